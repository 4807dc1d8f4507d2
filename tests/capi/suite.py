#!/usr/bin/env python3
"""suite.py BUILD WORK: runs TileDB-Py's own tests, from its source release and unmodified, on libtegula-tiledb.so through `tegula run`, and compares
with suite_expected.txt. BUILD holds the command and the library. WORK keeps the environment and the tests between runs.

  suite.py BUILD WORK --files test_domain.py ...    only some files of the suite
  suite.py BUILD WORK --write                       writes suite_expected.txt from what was found

Fails when a test fails that is not in the list, and names those in the list that pass."""
import argparse, glob, os, re, shutil, subprocess, sys, tarfile, xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, 'suite_expected.txt')
RELEASE = '0.36.1'
PACKAGES = [f'tiledb=={RELEASE}', 'pandas<3', 'pyarrow', 'pytest', 'pytest-rerunfailures', 'pytest-timeout', 'pytest-xdist', 'hypothesis', 'psutil', 'dask[distributed]']
HEAD = '''# Tests of TileDB-Py %s that do not pass on libtegula-tiledb.so yet ("fails"), and files that ./check all leaves out because of the time they take ("skips").
# tests/capi/suite.py compares, and --write makes this list anew.
'''


def prepare(work):
    """The environment, and the tests where they find what they look for: `examples` and `tiledb/fragment.py` two folders above them."""
    environment, suite = os.path.join(work, 'venv'), os.path.join(work, 'suite')
    subprocess.run([os.path.join(HERE, '../../scripts/python-venv'), environment, *PACKAGES], check=True)
    if not os.path.exists(os.path.join(suite, 'pyproject.toml')):
        shutil.rmtree(suite, ignore_errors=True)
        subprocess.run([os.path.join(environment, 'bin/pip'), '-q', 'download', '--no-deps', '--no-build-isolation', '--no-binary', 'tiledb', '-d', work, f'tiledb=={RELEASE}'],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        archive = os.path.join(work, f'tiledb-{RELEASE}.tar.gz')
        if not os.path.exists(archive):  # the metadata of the release needs its build tools
            subprocess.run([os.path.join(environment, 'bin/pip'), '-q', 'download', '--no-deps', '--no-binary', 'tiledb', '-d', work, f'tiledb=={RELEASE}'], check=True)
        with tarfile.open(archive) as tar:
            tar.extractall(work, filter='data')
        source = os.path.join(work, f'tiledb-{RELEASE}')
        os.makedirs(os.path.join(suite, 'tiledb'), exist_ok=True)
        shutil.copytree(os.path.join(source, 'tiledb/tests'), os.path.join(suite, 't/tests'))
        shutil.copytree(os.path.join(source, 'examples'), os.path.join(suite, 'examples'))
        shutil.copy(os.path.join(source, 'tiledb/fragment.py'), os.path.join(suite, 'tiledb'))
        shutil.copy(os.path.join(source, 'pyproject.toml'), suite)
    return environment, suite


def read_expected():
    lines = [line.split(None, 1) for line in open(EXPECTED) if line.strip() and not line.startswith('#')]
    return {name.strip() for kind, name in lines if kind == 'fails'}, {name.strip() for kind, name in lines if kind == 'skips'}


def run(build, environment, suite, work, files, jobs):
    """What each test came to: 'passed', 'failed' or 'skipped'."""
    report = os.path.join(work, 'report.xml')
    if os.path.exists(report):
        os.remove(report)
    command = [os.path.join(build, 'tegula'), 'run', '--', os.path.join(environment, 'bin/python'), '-m', 'pytest', '-q', '-c', 'pyproject.toml', '-p', 'no:cacheprovider',
               '-n', str(jobs), '--dist', 'load', '--timeout=240', '--tb=no', '-W', 'ignore::pytest.PytestConfigWarning', f'--junitxml={report}', *files]
    subprocess.run(command, cwd=suite, env=dict(os.environ, XDG_CACHE_HOME=os.path.join(work, 'cache')))
    if not os.path.exists(report):
        sys.exit('suite: pytest made no report')
    found = {}
    for case in xml.etree.ElementTree.parse(report).iter('testcase'):
        name = f"{case.get('classname')}::{case.get('name')}".removeprefix('t.tests.')
        kinds = {child.tag for child in case}
        result = 'failed' if kinds & {'failure', 'error'} else 'skipped' if 'skipped' in kinds else 'passed'
        if found.get(name) != 'failed':  # a test may have an entry for its teardown, too
            found[name] = result
    return found


def original_is_out_of_the_way(build, environment, work):
    code = ("import tiledb; print(*sorted({l.split()[-1] for l in open('/proc/self/maps') if 'libtiledb' in l or 'tegula' in l}))")
    maps = subprocess.run([os.path.join(build, 'tegula'), 'run', '--', os.path.join(environment, 'bin/python'), '-c', code], check=True, capture_output=True, text=True,
                          env=dict(os.environ, XDG_CACHE_HOME=os.path.join(work, 'cache'))).stdout.split()
    if any('tiledb.libs' in name for name in maps) or not any(name.endswith('libtegula-tiledb.so') for name in maps):
        sys.exit(f'suite: the original library is loaded: {maps}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('work')
    parser.add_argument('--files', nargs='+')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--write', action='store_true')
    options = parser.parse_args()
    build, work = os.path.abspath(options.build), os.path.abspath(options.work)
    os.makedirs(work, exist_ok=True)
    environment, suite = prepare(work)
    original_is_out_of_the_way(build, environment, work)
    known, skipped = read_expected() if os.path.exists(EXPECTED) else (set(), set())
    tests = os.path.join(suite, 't/tests')
    files = options.files or sorted(os.path.relpath(f, tests) for f in glob.glob(tests + '/**/test_*.py', recursive=True) if '/perf/' not in f)
    files = [f't/tests/{name}' for name in files if options.files or name not in skipped]
    found = run(build, environment, suite, work, files, options.jobs)
    failed = {name for name, result in found.items() if result == 'failed'}
    passed = {name for name, result in found.items() if result == 'passed'}
    print(f'{len(passed)} passed, {len(failed)} failed ({len(failed & known)} of them known), {len(found) - len(passed) - len(failed)} skipped')
    if options.write:
        with open(EXPECTED, 'w') as file:
            file.write(HEAD % RELEASE + ''.join(f'skips {name}\n' for name in sorted(skipped)) + ''.join(f'fails {name}\n' for name in sorted(failed)))
        return
    for name in sorted(passed & known):
        print(f'passes, although suite_expected.txt lists it: {name}')
    for name in sorted(failed - known):
        print(f'FAILED, and is not in suite_expected.txt: {name}')
    sys.exit(1 if failed - known or (passed & known) else 0)


main()
