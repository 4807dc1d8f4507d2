"""Arrays in buckets, on real servers: the contract of stores, a sample of the corpus, and faults on the way.

    run.py BUILD SERVERS CORPUS     BUILD has the programs, SERVERS is where the servers are installed, CORPUS is unpacked

SeaweedFS is strict and rclone is sloppy. Prints what fails and exits with 1 then.
"""
import concurrent.futures
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import servers as s

HERE = Path(__file__).resolve().parent
PROBLEMS = []
# Nothing of the machine's own settings: the keys are those of the test servers.
CLEAN = {**{k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'GOOGLE_', 'CLOUDSDK_'))},
         'AWS_ACCESS_KEY_ID': s.KEY, 'AWS_SECRET_ACCESS_KEY': s.SECRET, 'AWS_CONFIG_FILE': '/dev/null',
         'AWS_SHARED_CREDENTIALS_FILE': '/dev/null', 'AWS_EC2_METADATA_DISABLED': 'true'}


def problem(text):
    PROBLEMS.append(text)
    print('FAILED', text, flush=True)


class Tegula:
    """The command, pointed at a server."""

    def __init__(self, program, endpoint, *options):
        self.program, self.options = program, [f'--store-option={o}' for o in options]
        self.environment = {**CLEAN, 'AWS_ENDPOINT_URL': endpoint}

    def __call__(self, *arguments, timeout=120):
        done = subprocess.run([self.program, *self.options, *map(str, arguments)], env=self.environment,
                              capture_output=True, timeout=timeout)
        return done.returncode, done.stdout, done.stderr.decode(errors='replace')

    def right(self, *arguments):
        code, out, error = self(*arguments)
        if code != 0:
            problem(f'tegula {" ".join(map(str, arguments))}: exit {code}: {error.strip()}')
        for secret in (s.SECRET, 'Signature='):
            if secret in error:
                problem(f'tegula {" ".join(map(str, arguments))} shows a secret')
        return out


def upload(endpoint, folder, prefix):
    """Puts the files of a folder into the bucket. Returns whether the server takes them."""
    for path in sorted(Path(folder).rglob('*')):
        if path.is_file():
            key = urllib.parse.quote(f'{prefix}/{path.relative_to(folder)}', safe='/~')
            status, text = s.request(endpoint, 'PUT', f'/test/{key}', body=path.read_bytes())
            if status != 200:
                return False
    return True


def corpus_cases(corpus, step):
    """Every step-th case of the corpus, of each family some."""
    cases = sorted(p.parent for p in Path(corpus).rglob('case.json'))
    return cases[::step]


def check_corpus(program, server, corpus, step):
    local, remote = Tegula(program, server.endpoint), Tegula(program, server.endpoint)

    def one(case):
        name = str(case.relative_to(corpus))
        if not upload(server.endpoint, case / 'array', f'corpus/{name}'):
            return False  # rclone has no file `a` beside a folder `a`
        for verb in (['read', '--json'], ['info', '--json']):
            here = local(verb[0], str(case / 'array'), *verb[1:])
            there = remote(verb[0], f's3://test/corpus/{name}', *verb[1:])
            if verb[0] == 'info':  # the place is part of it
                here = (here[0], here[1].replace(str(case / 'array').encode(), b''), '')
                there = (there[0], there[1].replace(f's3://test/corpus/{name}'.encode(), b''), '')
            if here[:2] != there[:2]:
                problem(f'{server.name}: {verb[0]} of {name}: exit {here[0]} here, {there[0]} there; {there[2].strip()[:300]}')
        return True

    cases = corpus_cases(corpus, step)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        taken = sum(pool.map(one, cases))
    print(f'{server.name}: {taken} arrays of the corpus read as they read here', flush=True)
    if taken < len(cases) // 2:
        problem(f'{server.name}: took only {taken} of {len(cases)} arrays')


@contextlib.contextmanager
def proxy(server, folder):
    port = s.free_port()
    command = [sys.executable, str(HERE / 'fault_proxy.py'), str(port), server.endpoint.rsplit(':', 1)[1]]
    log = lambda endpoint: s.answers(endpoint + '/__log__')
    with s.started('proxy', command, f'http://127.0.0.1:{port}', folder, log) as started:
        yield started


def set_faults(endpoint, *faults):
    urllib.request.urlopen(urllib.request.Request(endpoint + '/__faults__', data=json.dumps(faults).encode(), method='PUT')).read()


def requests_of(endpoint):
    return json.loads(urllib.request.urlopen(endpoint + '/__log__').read())


DATA = '[^?]*/(__fragments/.*tdb|c/[0-9/]+|data/__[0-9]+.blp)$'  # files of cells, not metadata of any format
STATUS = lambda status, code='', **more: {'kind': 'status', 'status': status, 'code': code, **more}
# What happens to reads: a name, the fault, and whether the cells come or an error that says so.
READ_FAULTS = [
    ('503 once', STATUS(503, 'SlowDown'), None),
    ('500 once', STATUS(500, 'InternalError'), None),
    ('429 once', STATUS(429, 'TooManyRequests'), None),
    ('reset once', {'kind': 'reset'}, None),
    ('answer lost once', {'kind': 'lost'}, None),
    ('body cut once', {'kind': 'cut'}, None),
    ('wrong Content-Range once', {'kind': 'shift'}, None),
    ('a second of silence', {'kind': 'delay', 'seconds': 1, 'match': DATA}, None),
    ('503 for ever', STATUS(503, 'SlowDown', mode='always'), '503 SlowDown'),
    ('reset for ever', {'kind': 'reset', 'mode': 'always'}, 'failed, 3 times'),
    ('bodies cut for ever', {'kind': 'cut', 'mode': 'always', 'match': DATA}, '3 t'),
    ('403 for cells', STATUS(403, 'AccessDenied', mode='always', match=DATA), '403 AccessDenied'),
    ('404 without a reason', STATUS(404, mode='always', match=DATA), '404'),
    ('404 of another kind', STATUS(404, 'NoSuchBucket', mode='always', match=DATA), 'NoSuchBucket'),
    ('expired keys', STATUS(400, 'ExpiredToken', mode='always'), 'ExpiredToken'),
    ('a listing without a field', {'kind': 'list200', 'mode': 'always', 'match': 'list-type=2'}, 'whether it is complete'),
]


def check_read_faults(program, server, through):
    direct, faulty = Tegula(program, server.endpoint), Tegula(program, through.endpoint, 'tries=3')
    for name in ('dense', 'sparse', 'zarr', 'table'):
        uri = f's3://test/{name}'
        expected = direct.right('read', uri, '--json')
        for what, fault, error in READ_FAULTS:
            set_faults(through.endpoint, fault)
            code, out, said = faulty('read', uri, '--json')
            hit = any(r['fault'] for r in requests_of(through.endpoint))
            if not hit:
                if fault['kind'] in ('status', 'reset', 'lost', 'cut') and 'match' not in fault:
                    problem(f'{name}, {what}: the fault met no request')
                continue
            if error is None and (code != 0 or out != expected):
                problem(f'{name}, {what}: exit {code}, {len(out)} bytes, expected {len(expected)}: {said.strip()[:300]}')
            if error is not None and (code == 0 or error not in said):
                problem(f'{name}, {what}: exit {code}, expected an error with "{error}": {said.strip()[:300]}')
            if s.SECRET in said or 'Signature=' in said:
                problem(f'{name}, {what}: shows a secret')


WRITE_FAULTS = [
    ('503 once', STATUS(503, 'SlowDown')),
    ('reset once', {'kind': 'reset'}),
    ('answer lost once', {'kind': 'lost'}),
    ('an error behind 200', {'kind': 'error200', 'method': 'POST'}),
]


def check_write_faults(program, server, through, folder):
    """What is written through faults is whole, and what fails leaves the array as it was."""
    direct, faulty = Tegula(program, server.endpoint), Tegula(program, through.endpoint, 'tries=4')
    for i, (what, fault) in enumerate(WRITE_FAULTS):
        set_faults(through.endpoint, fault)
        for name, form in (('dense', 'tiledb'), ('zarr', 'zarr3'), ('table', 'bcolz')):
            uri = f's3://test/written/{form}-{i}'
            set_faults(through.endpoint, fault)
            code, _, said = faulty('convert', f'{folder}/{name}', uri, '--to', form)
            if code != 0:
                problem(f'convert to {form}, {what}: exit {code}: {said.strip()[:300]}')
                continue
            code, out, said = direct('diff', f'{folder}/{name}', uri)
            if code != 0:
                problem(f'convert to {form}, {what}: the copy differs: {out.decode()[:300]} {said.strip()[:300]}')
    # A vacuum through faults, and a denied commit.
    uri = 's3://test/sparse'
    before = direct.right('read', uri, '--json')
    set_faults(through.endpoint, STATUS(403, 'AccessDenied', mode='always', method='PUT', match='__commits'))
    code, _, said = faulty('write', uri, f'{folder}/more.csv')
    if code == 0 or 'AccessDenied' not in said:
        problem(f'a denied commit: exit {code}: {said.strip()[:300]}')
    if direct.right('read', uri, '--json') != before:
        problem('a denied commit changed the array')
    for fault in (STATUS(503, 'SlowDown'), {'kind': 'lost'}):
        set_faults(through.endpoint, fault)
        faulty.right('consolidate', uri)
        set_faults(through.endpoint, {'kind': 'error200', 'method': 'POST'}, fault)
        faulty.right('vacuum', uri)
        if direct.right('read', uri, '--json') != before:
            problem(f'consolidate and vacuum through {fault["kind"]} changed the array')
        direct.right('verify', uri)
        direct.right('write', uri, f'{folder}/more.csv')
        before = direct.right('read', uri, '--json')
    # Uploads in parts that were begun are finished or aborted.
    status, text = s.request(server.endpoint, 'GET', '/test', 'uploads=')
    if status == 200 and b'<Upload>' in text:
        problem('uploads in parts are left behind')


def make_arrays(program, server, folder):
    tegula = Tegula(program, server.endpoint)
    folder = Path(folder)
    rows = [f'{i},{i * 7 % 50},{i * 3}' for i in range(300)]
    (folder / 'points.csv').write_text('x,y,v\n' + '\n'.join(rows) + '\n')
    (folder / 'more.csv').write_text('x,y,v\n' + '\n'.join(f'{i},{i % 50},{i}' for i in range(500, 600)) + '\n')
    head = str({'descr': '<i4', 'fortran_order': False, 'shape': (120, 100)}).ljust(117) + '\n'
    cells = b''.join((i * i % 9973).to_bytes(4, 'little') for i in range(12000))
    (folder / 'cells.npy').write_bytes(b'\x93NUMPY\x01\x00' + len(head).to_bytes(2, 'little') + head.encode() + cells)
    make = lambda *arguments: tegula.right('create', *arguments)
    make(folder / 'dense', folder / 'cells.npy', '--format', 'tiledb', '--tile', '40,50')
    make(folder / 'zarr', folder / 'cells.npy', '--format', 'zarr3', '--tile', '40,50')
    make(folder / 'table', folder / 'points.csv', '--format', 'bcolz', '--table', '-a', 'x:int32', '-a', 'y:int32', '-a', 'v:int64')
    make(folder / 'sparse', '--format', 'tiledb', '--sparse', '-d', 'x:int32:0:999:100', '-d', 'y:int32:0:99:10', '-a', 'v:int64')
    for name in ('points.csv', 'more.csv'):
        tegula.right('write', folder / 'sparse', folder / name)
    for name in ('dense', 'zarr', 'table', 'sparse'):
        if not upload(server.endpoint, folder / name, name):
            problem(f'{name} cannot be uploaded')


def main():
    build, installed, corpus = (Path(argument).resolve() for argument in sys.argv[1:4])
    program = str(build / 'tegula')
    begun = time.monotonic()
    binaries = s.install(installed)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix='tegula-stores-'))
        strict = stack.enter_context(s.seaweedfs(binaries, folder))
        sloppy = stack.enter_context(s.rclone(binaries, folder))
        both = [strict, sloppy]
        code = subprocess.run([str(build / 'test_store'), '--gtest_brief=1', '--gtest_filter=*Contract*/' + ':*Contract*/'.join(x.name for x in both)],
                              env={**CLEAN, **s.environment_of(both)}).returncode
        if code:
            problem('the contract of stores')
        print(f'contract: {time.monotonic() - begun:.0f} s', flush=True)
        check_corpus(program, strict, corpus, 40)
        check_corpus(program, sloppy, corpus, 120)
        print(f'corpus: {time.monotonic() - begun:.0f} s', flush=True)
        make_arrays(program, strict, folder)
        through = stack.enter_context(proxy(strict, folder))
        check_read_faults(program, strict, through)
        print(f'faults of reads: {time.monotonic() - begun:.0f} s', flush=True)
        check_write_faults(program, strict, through, folder)
        print(f'faults of writes: {time.monotonic() - begun:.0f} s', flush=True)
    raise SystemExit(f'{len(PROBLEMS)} problems' if PROBLEMS else 0)


if __name__ == '__main__':
    main()
