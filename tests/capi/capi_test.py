#!/usr/bin/env python3
"""capi_test.py PROGRAM LIBRARY [COMMAND]: runs the C program, compares what the library exports with symbols.txt, and runs a program through
`tegula run`."""
import os, subprocess, sys, tempfile, unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM, LIBRARY = map(os.path.abspath, sys.argv[1:3])
COMMAND = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None


def exported(library):
    lines = subprocess.run(['nm', '-D', '--defined-only', library], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[-1].split('@')[0] for line in lines}


class Abi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_c_program_uses_it_and_every_mistake_is_an_error(self):
        os.symlink(LIBRARY, os.path.join(self.folder, 'libtiledb.so.2.30'))  # what it was linked with
        result = subprocess.run([PROGRAM, os.path.join(self.folder, 'array')], capture_output=True, text=True,
                                env=dict(os.environ, LD_LIBRARY_PATH=self.folder))
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, '', ''))

    def test_exactly_the_names_of_libtiledb_are_exported(self):
        with open(os.path.join(HERE, 'symbols.txt')) as file:
            wanted = set(file.read().split())
        self.assertEqual(len(wanted), 520)
        self.assertEqual(exported(LIBRARY), wanted | {'tegula_capi_version'})

    @unittest.skipUnless(COMMAND, 'the command is not built')
    def test_tegula_run_puts_it_in_front(self):
        # Asks for libtiledb by the name of a wheel, as TileDB-Py's modules do, and gets this library.
        code = '''if 1:
            import ctypes
            lib = ctypes.CDLL("libtiledb-edd2b82f.so.2.30")
            lib.tegula_capi_version.restype = ctypes.c_char_p
            print(lib.tegula_capi_version().decode())
            print(ctypes.CDLL("libtiledb.so.2.30").tiledb_var_num() & 0xFFFFFFFF)
        '''
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, 'cache'))
        for words in (['--'], []):
            result = subprocess.run([COMMAND, 'run', *words, sys.executable, '-c', code], capture_output=True, text=True, env=environment)
            self.assertEqual((result.returncode, result.stderr), (0, ''), result.stderr)
            self.assertRegex(result.stdout, r'^tegula \S+\n4294967295\n$')
        result = subprocess.run([COMMAND, 'run', '-v', sys.executable, '-c', 'pass'], capture_output=True, text=True, env=environment)
        self.assertEqual(result.returncode, 0)
        self.assertIn('libtegula-tiledb.so stands in for', result.stderr)

    @unittest.skipUnless(COMMAND, 'the command is not built')
    def test_tegula_run_passes_on_exit_codes_and_says_what_is_missing(self):
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, 'cache'))
        run = lambda *words: subprocess.run([COMMAND, 'run', *words], capture_output=True, text=True, env=environment)
        self.assertEqual(run('--', 'sh', '-c', 'exit 7').returncode, 7)
        self.assertEqual(run('--', 'sh', '-c', 'echo "$@"', 'x', '-v', '--json').stdout, '-v --json\n')
        self.assertEqual(run('--').returncode, 2)
        missing = run('--', 'no-such-program')
        self.assertEqual(missing.returncode, 3)
        self.assertIn("there is no program 'no-such-program' in PATH", missing.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
