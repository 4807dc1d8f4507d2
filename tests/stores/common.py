"""What the checks of stores share: the command, what went wrong so far, arrays, and the proxy that misbehaves."""
import contextlib
import json
import os
import shlex
import shutil
import struct
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import servers as s

HERE = Path(__file__).resolve().parent
PROBLEMS = []
# Nothing of the machine's own settings: the keys are those of the test servers.
CLEAN = {**{k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'AZURE_', 'GOOGLE_', 'CLOUDSDK_'))},
         'AWS_ACCESS_KEY_ID': s.KEY, 'AWS_SECRET_ACCESS_KEY': s.SECRET, 'AWS_CONFIG_FILE': '/dev/null',
         'AWS_SHARED_CREDENTIALS_FILE': '/dev/null', 'AWS_EC2_METADATA_DISABLED': 'true',
         'AZURE_STORAGE_ACCOUNT': s.AZURE_ACCOUNT, 'AZURE_STORAGE_KEY': s.AZURE_KEY}


def problem(text):
    PROBLEMS.append(text)
    print('FAILED', text, flush=True)


class Tegula:
    """The command, pointed at a server."""

    def __init__(self, program, endpoint, *options):
        self.program, self.options = program, [f'--store-option={o}' for o in options]
        self.environment = {**CLEAN, 'AWS_ENDPOINT_URL': endpoint, 'AZURE_STORAGE_ENDPOINT': endpoint}

    def __call__(self, *arguments, timeout=120):
        done = subprocess.run([self.program, *self.options, *map(str, arguments)], env=self.environment,
                              capture_output=True, timeout=timeout)
        return done.returncode, done.stdout, done.stderr.decode(errors='replace')

    def line(self, *arguments):
        """The command as a line for a shell."""
        return shlex.join([self.program, *self.options, *map(str, arguments)])

    def right(self, *arguments):
        code, out, error = self(*arguments)
        if code != 0:
            problem(f'tegula {" ".join(map(str, arguments))}: exit {code}: {error.strip()}')
        for secret in (s.SECRET, s.AZURE_KEY, 'Signature='):
            if secret in error:
                problem(f'tegula {" ".join(map(str, arguments))} shows a secret')
        return out


def upload(server, folder, prefix):
    """Puts the files of a folder into the bucket. Returns whether the server takes them."""
    put = s.request if server.scheme == 's3' else s.azure_request
    headers = {'x-ms-blob-type': 'BlockBlob'} if server.scheme == 'az' else None
    for path in sorted(Path(folder).rglob('*')):
        if path.is_file():
            key = urllib.parse.quote(f'{prefix}/{path.relative_to(folder)}', safe='/~')
            status, _ = put(server.endpoint, 'PUT', f'/test/{key}', body=path.read_bytes(), headers=headers)
            if status not in (200, 201):
                return False
    return True


@contextlib.contextmanager
def proxy(server, folder):
    port = s.free_port()
    place = urllib.parse.urlsplit(server.endpoint)
    command = [sys.executable, str(HERE / 'fault_proxy.py'), str(port), str(place.port)]
    log = lambda endpoint: s.answers(endpoint + '/__log__')
    with s.started('proxy', command, f'http://127.0.0.1:{port}{place.path}', folder, log) as started:
        yield started


def set_faults(endpoint, *faults):
    urllib.request.urlopen(urllib.request.Request(endpoint + '/__faults__', data=json.dumps(faults).encode(), method='PUT')).read()


def requests_of(endpoint):
    return json.loads(urllib.request.urlopen(endpoint + '/__log__').read())


def npy(path, values, shape=None):
    """A .npy file of 32-bit integers."""
    head = str({'descr': '<i4', 'fortran_order': False, 'shape': tuple(shape or (len(values),))}).ljust(117) + '\n'
    Path(path).write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack(f'<{len(values)}i', *values))


def csv(path, names, rows):
    Path(path).write_text(','.join(names) + '\n' + ''.join(','.join(map(str, row)) + '\n' for row in rows))


def make_arrays(program, server, folder):
    """An array of each family, in the folder and in the bucket, and files to write into them."""
    tegula = Tegula(program, server.endpoint)
    folder = Path(folder)
    names = ('x', 'y', 'v')
    csv(folder / 'points.csv', names, [(i, i * 7 % 50, i * 3) for i in range(300)])
    csv(folder / 'more.csv', names, [(i, i % 50, i) for i in range(500, 600)])
    csv(folder / 'third.csv', names, [(i, i % 50, -i) for i in range(250, 550)])
    npy(folder / 'cells.npy', [i * i % 9973 for i in range(12000)], (120, 100))
    npy(folder / 'part.npy', range(-1600, 0), (40, 40))
    npy(folder / 'small.npy', range(-200, 0), (10, 20))
    npy(folder / 'rows.npy', range(-5000, 0), (50, 100))
    npy(folder / 'thousand.npy', range(1000))
    npy(folder / 'hundred.npy', range(-100, 0))
    make = lambda *arguments: tegula.right('create', *arguments)
    make(folder / 'dense', folder / 'cells.npy', '--format', 'tiledb', '--tile', '40,50')
    make(folder / 'zarr', folder / 'cells.npy', '--format', 'zarr3', '--tile', '40,50')
    make(folder / 'zarr2', folder / 'cells.npy', '--format', 'zarr2', '--tile', '40,50')
    make(folder / 'table', folder / 'points.csv', '--format', 'bcolz', '--table', '-a', 'x:int32', '-a', 'y:int32', '-a', 'v:int64')
    make(folder / 'column', folder / 'thousand.npy', '--format', 'bcolz', '--tile', '64')
    make(folder / 'sparse', '--format', 'tiledb', '--sparse', '-d', 'x:int32:0:999:100', '-d', 'y:int32:0:99:10', '-a', 'v:int64')
    for name in ('points.csv', 'more.csv'):
        tegula.right('write', folder / 'sparse', folder / name)
    shutil.copytree(folder / 'sparse', folder / 'merged')
    tegula.right('consolidate', folder / 'merged', '--what', 'all')
    for name in ('dense', 'zarr', 'zarr2', 'table', 'column', 'sparse', 'merged'):
        if not upload(server, folder / name, name):
            problem(f'{name} cannot be uploaded')
