"""Who runs where: an interpreter and its packages for every library, made on first use below build/."""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field

TILEDB = 'tiledb==0.36.1'  # carries libtiledb 2.30.0
PEERS = [TILEDB, 'zarr==3.1.6', 'tensorstore==0.1.86', 'zarrs==0.2.3', 'bcolz-zipline==1.13.0', 'obstore==0.12.0', 'numexpr',
         'numpy>=2,<3', 'matplotlib']
ZARR_2 = ['zarr==2.18.7', 'numpy<2']
ZARR_04_TOOLS = ['numpy==1.16.6', 'Cython==0.29.37', 'setuptools==47.1.0', 'setuptools_scm==3.5.0', 'wheel<0.43', 'fasteners<0.21']
VERSIONS = """
import importlib.metadata as m, json
print(json.dumps({p: m.version(p) for p in ('tiledb', 'zarr', 'zarrs', 'tensorstore', 'bcolz-zipline', 'numpy')}))
import tiledb; print(json.dumps('.'.join(map(str, tiledb.libtiledb.version()))))
"""


class Unavailable(Exception):
    pass


@dataclass
class Library:
    label: str
    python: str
    variables: dict = field(default_factory=dict)


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise Unavailable('%s\n%s' % (' '.join(command)[:300], done.stdout[-1500:]))
    return done.stdout


def say(text):
    print(text, file=sys.stderr, flush=True)


def once(folder, recipe, make):
    """make() unless an earlier run finished it with the same recipe."""
    stamp, key = os.path.join(folder, '.made'), hashlib.sha256(json.dumps(recipe).encode()).hexdigest()
    if os.path.exists(stamp) and open(stamp).read() == key:
        return
    shutil.rmtree(folder, ignore_errors=True)
    make()
    with open(stamp, 'w') as file:
        file.write(key)


def venv(folder, packages, python=sys.executable):
    def make():
        say('installing into %s: %s' % (os.path.relpath(folder), ' '.join(packages)))
        run([python, '-m', 'venv', folder])
        run([folder + '/bin/python', '-m', 'pip', 'install', '-q', '--disable-pip-version-check', *packages])
    once(folder, packages, make)
    return folder + '/bin/python'


def find_python37():
    roots = filter(None, [os.environ.get('PYENV_ROOT'), os.path.expanduser('~/.pyenv'), '/opt/pyenv'])
    places = [os.environ.get('TEGULA_PYTHON37'), shutil.which('python3.7')]
    places += [p for root in roots for p in sorted(glob.glob(root + '/versions/3.7.*/bin/python3'))]
    for place in filter(None, places):  # a shim may be there without what it stands for
        if subprocess.run([place, '-c', ''], stderr=subprocess.DEVNULL).returncode == 0:
            return place
    raise Unavailable('no Python 3.7 (name one in TEGULA_PYTHON37)')


def zarr_04(build):
    """zarr 0.4 as its release is, but for a function whose name current compilers' headers take."""
    folder = build + '/bench-venv-zarr04'

    def make():
        say('building zarr 0.4.0 with Python 3.7')
        python = find_python37()
        run([python, '-m', 'venv', folder])
        python = folder + '/bin/python'
        run([python, '-m', 'pip', 'install', '-q', '--disable-pip-version-check', *ZARR_04_TOOLS])
        source = folder + '/source'
        run([python, '-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', '--no-build-isolation', '-d', source, 'zarr==0.4.0'])
        shutil.unpack_archive(glob.glob(source + '/*.tar.gz')[0], source)
        tree = source + '/zarr-0.4.0'
        for path in glob.glob(tree + '/**/shuffle.c', recursive=True):
            text = open(path).read()
            with open(path, 'w') as file:
                file.write(re.sub(r'\b_xgetbv\b', 'blosc_own_xgetbv', text))
        run([python, 'setup.py', 'build_ext', '--inplace'], cwd=tree, env={**os.environ, 'CFLAGS': '-O3 -w -fno-strict-aliasing'})
        run([python, '-c', 'import zarr'], cwd=tree)
    once(folder, ZARR_04_TOOLS, make)
    return Library('zarr 0.4.0', folder + '/bin/python', {'PYTHONPATH': folder + '/source/zarr-0.4.0'})


def peers(build):
    """The peers' libraries by name, and where the wheel of TileDB is."""
    folder = build + '/bench-venv'
    python = venv(folder, PEERS)
    wheels = build + '/bench-venv/wheels'
    if not glob.glob(wheels + '/tiledb-*.whl'):
        run([python, '-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--no-deps', '-d', wheels, TILEDB])
    versions, libtiledb = map(json.loads, run([python, '-c', VERSIONS]).splitlines()[-2:])
    libraries = {
        'numpy': Library('numpy ' + versions['numpy'], python),
        'memcpy': Library('memcpy', python),
        'footers': Library('reading footers', python),
        'curl': Library('curl', python),
        'tiledb': Library('libtiledb ' + libtiledb, python),
        'tensorstore': Library('tensorstore ' + versions['tensorstore'], python),
        'zarr': Library('zarr ' + versions['zarr'], python),
        'zarrs': Library('zarrs ' + versions['zarrs'], python),
        'bcolz': Library('bcolz-zipline ' + versions['bcolz-zipline'], python),
    }
    try:
        libraries['original'] = zarr_04(build)
    except Unavailable as e:
        say('zarr 0.4 does not build here, zarr 2.18 takes its place: %s' % e)
        libraries['original'] = Library('zarr 2.18.7', venv(build + '/bench-venv-zarr2', ZARR_2))
    return libraries, glob.glob(wheels + '/tiledb-*.whl')[0]


def build_package(root, build, python):
    """Builds tegula's wheel and unpacks it; gives the folder and the wheel."""
    wheels, folder = build + '/bench-wheel', build + '/bench-package'
    say('building the Python package')
    shutil.rmtree(wheels, ignore_errors=True)
    run([python, '-m', 'pip', 'wheel', '-q', '--disable-pip-version-check', '--no-deps', '-w', wheels, root])
    wheel = glob.glob(wheels + '/tegula-*.whl')[0]
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder, wheel


def zip_package(folder, path):
    """What a wheel of the package would weigh, for a package that is used where it was built."""
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as file:
        for name in glob.glob(folder + '/tegula/**', recursive=True):
            if os.path.isfile(name) and '__pycache__' not in name:
                file.write(name, os.path.relpath(name, folder))
    return path


def tegula(label, folder, python):
    # Installing compiles modules once; so that importing is measured alike, so does this.
    run([python, '-m', 'compileall', '-q', os.path.join(folder, 'tegula')])
    return Library(label, python, {'PYTHONPATH': os.path.abspath(folder)})


def nosync(source, build):
    """A library to preload that makes syncing cost nothing."""
    path = build + '/bench-nosync.so'
    if not os.path.exists(path) or os.path.getmtime(path) < os.path.getmtime(source):
        run([os.environ.get('CC', 'cc'), '-O2', '-shared', '-fPIC', '-o', path, source])
    return path
