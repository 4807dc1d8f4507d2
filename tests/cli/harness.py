"""What the tests of the command share: the programs are called as `NAME_test.py TEGULA CORPUS [unittest arguments]`."""
import json, os, pathlib, shutil, struct, subprocess, sys, tempfile, unittest

TEGULA = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else 'tegula'
CORPUS = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else pathlib.Path('.')


def npy(path, values, code='i', descr='<i4', shape=None, fortran=False):
    """A small .npy file, written without numpy."""
    head = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {(len(values),) if shape is None else shape}, }}"
    head += ' ' * (-(len(head) + 11) % 64) + '\n'
    body = struct.pack(f'<{len(values)}{code}', *values)
    pathlib.Path(path).write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + body)


def read_npy(data, code='i'):
    size = struct.unpack('<H', data[8:10])[0]
    header = eval(data[10:10 + size].decode(), {}, {})  # our own output
    body = data[10 + size:]
    return header, list(struct.unpack(f'<{len(body) // struct.calcsize(code)}{code}', body))


FORMATS = ('tiledb', 'bcolz', 'zarr0', 'zarr1', 'zarr2', 'zarr3')


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tegula-cli-')
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_tegula(self, *args, code=0, stdin=None):
        done = subprocess.run([TEGULA, *map(str, args)], capture_output=True, text=True, input=stdin, cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, code, f'{args}: {done.stdout}{done.stderr}')
        return done

    def out(self, *args, **more):
        return self.run_tegula(*args, **more).stdout

    def json(self, *args, **more):
        return json.loads(self.out(*args, '--json', **more))

    def fails(self, code, text, *args, **more):
        done = self.run_tegula(*args, code=code, **more)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, '')
        return done

    def grid(self, name='grid', fmt='zarr2', rows=6, columns=4, tile='2,2'):
        npy(self.path('grid.npy'), range(rows * columns), shape=(rows, columns))
        self.run_tegula('create', name, 'grid.npy', '--format', fmt, '--tile', tile)
        return name

    def corpus_case(self, name):
        case = CORPUS / name
        target = self.path(name.replace('/', '-'))
        shutil.copytree(case, target)
        return os.path.join(target, 'array'), json.loads((case / 'case.json').read_text())


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
