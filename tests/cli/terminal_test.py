#!/usr/bin/env python3
"""What a person at a terminal sees: Ctrl-C, progress, widths, completion, the manual page."""
import fcntl, json, os, pathlib, pty, random, select, shutil, signal, struct, subprocess, termios, time, unittest

from harness import TEGULA, CommandTest, main, npy


class AtATerminal(CommandTest):
    def noise(self, cells=1 << 20):
        """Numbers that compress badly, so that work on them takes a while."""
        npy(self.path('noise.npy'), [random.getrandbits(31) for _ in range(1 << 16)] * (cells >> 16))
        return 'noise.npy'

    def slow(self, name='slow', fmt='zarr2', cells=1 << 20):
        self.run_tegula('create', name, self.noise(cells), '--format', fmt, '--tile', '8192')
        return name

    def start(self, *args, **more):
        done = subprocess.Popen([TEGULA, *map(str, args)], cwd=self.folder, **more)
        self.addCleanup(done.kill)
        return done

    def on_pty(self, *args, columns=80, both=False):
        """Runs with stderr (or stdout too) on a terminal; returns what was shown there, and the exit code."""
        screen, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        process = self.start(*args, stdout=terminal if both else subprocess.DEVNULL, stderr=terminal, stdin=subprocess.DEVNULL)
        os.close(terminal)
        shown = b''
        while True:
            try:
                part = os.read(screen, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(screen)
        return shown.decode(), process.wait(timeout=120)

    def interrupt_when(self, ready, process):
        end = time.time() + 60
        while not ready():
            self.assertIsNone(process.poll(), 'ended before it could be interrupted')
            self.assertLess(time.time(), end)
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 130, message)
        return message


class CtrlC(AtATerminal):
    def test_convert_goes_on_afterwards(self):
        slow = self.slow()
        args = ['convert', slow, 'copy', '--to', 'zarr3', '--filters', 'zstd:19', '--tile', '4096', '--memory', '1MB', '--threads', '1', '--verify']
        record = pathlib.Path(self.path('copy', '.tegula-conversion'))

        def begun():
            try:
                return json.loads(record.read_text())['done'] > 1
            except FileNotFoundError:
                return False

        message = self.interrupt_when(begun, self.start(*args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
        self.assertIn('the same command goes on', message)
        done = json.loads(record.read_text())['done']
        self.assertIn('unfinished conversion', self.out('verify', 'copy', code=1))
        self.assertEqual(self.json('repair', 'copy', '--older-than', '0', code=1)['removed'], [])
        self.fails(2, 'differs from this one', 'convert', slow, 'copy', '--to', 'zarr3', '--tile', '512')
        report = self.json(*args)
        self.assertEqual((report['resumed'], report['same'], report['compared']), (True, True, 1 << 20))
        self.assertGreater(done, 1)
        self.assertFalse(record.exists())
        self.run_tegula('verify', 'copy')

    def test_convert_into_tiledb_is_all_or_nothing(self):
        slow = self.slow()
        args = ['convert', slow, 'copy', '--to', 'tiledb', '--filters', 'bzip2:9', '--memory', '1MB', '--threads', '1']
        process = self.start(*args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        record, fragments = pathlib.Path(self.path('copy', '.tegula-conversion')), self.path('copy', '__fragments')
        begun = lambda: record.exists() and os.path.exists(fragments) and os.listdir(fragments)
        self.assertIn('the same command goes on', self.interrupt_when(begun, process))
        self.assertTrue(record.exists())
        self.fails(3, 'unfinished copy', 'fragments', 'copy')
        self.assertEqual(os.listdir(self.path('copy', '__commits')), [])
        self.assertEqual([p['severity'] for p in self.json('verify', 'copy', code=1)['problems']], ['damage'])
        self.assertTrue(self.json(*args)['resumed'])
        self.assertFalse(record.exists())
        self.assertEqual(len(self.json('fragments', 'copy')), 1)
        self.run_tegula('verify', 'copy')
        self.assertIn('the same', self.out('diff', slow, 'copy'))

    def test_write_leaves_nothing_visible(self):
        self.noise()
        self.run_tegula('create', 'array', '--format', 'tiledb', '--shape', 1 << 20, '--type', 'int32', '--tile', '4096', '--filters', 'bzip2:9')
        process = self.start('write', 'array', 'noise.npy', '--threads', '1', stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        unfinished = lambda: any(e.name.startswith('.tegula-') for e in os.scandir(self.path('array'))) or os.listdir(self.path('array', '__fragments'))
        self.interrupt_when(unfinished, process)
        self.assertEqual(self.json('fragments', 'array'), [])
        self.run_tegula('verify', 'array')
        self.run_tegula('write', 'array', 'noise.npy')
        self.assertEqual(len(self.json('fragments', 'array')), 1)

    def test_read(self):
        slow = self.slow()
        process = self.start('read', slow, '--csv', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(100)  # it is at work
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def test_files_are_whole_or_not_there(self):
        slow = self.slow()
        process = self.start('read', slow, '--npy', 'out.npy', '--threads', '1', '--memory', '1MB', stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        if process.returncode:
            self.assertFalse(os.path.exists(self.path('out.npy')))


class Progress(AtATerminal):
    def test_bar(self):
        slow = self.slow()
        shown, code = self.on_pty('convert', slow, 'copy', '--tile', '4096', '--filters', 'bz2:9', '--memory', '1MB', '--threads', '1')
        self.assertEqual(code, 0)
        self.assertRegex(shown, r'copying \[#+\.*\] +\d+%')
        self.assertTrue(shown.endswith('\r\x1b[K'), repr(shown[-60:]))  # wiped at the end

    def test_none_without_a_terminal_or_when_quiet(self):
        slow = self.slow()
        args = ['convert', slow, 'a', '--tile', '4096', '--filters', 'bz2:9', '--memory', '1MB', '--threads', '1']
        self.assertEqual(self.run_tegula(*args).stderr, '')
        args[2] = 'b'
        self.assertEqual(self.on_pty(*args, '--quiet'), ('', 0))


class Tables(AtATerminal):
    def test_long_texts_are_cut_to_the_terminal(self):
        pathlib.Path(self.path('t.csv')).write_text('n,text,m\n1,' + 'x' * 200 + ',2\n30,short,4\n')
        self.run_tegula('create', 't', 't.csv', '--format', 'bcolz', '--table', '-a', 'n:int32', '-a', 'text:S200', '-a', 'm:int32')
        lines = self.on_pty('read', 't', columns=60, both=True)[0].splitlines()
        self.assertEqual({len(line) for line in lines}, {60})
        self.assertIn('xx…', lines[1])
        self.assertTrue(lines[1].endswith(' 2'))
        self.assertIn('x' * 200, self.out('read', 't'))  # a pipe gets everything

    def test_numbers_are_never_cut(self):
        npy(self.path('v.npy'), [2**31 - 1] * 4, shape=(2, 2))
        self.run_tegula('create', 'v', 'v.npy', '--format', 'zarr2')
        self.assertIn('2147483647', self.on_pty('read', 'v', columns=8, both=True)[0])


@unittest.skipUnless(shutil.which('bash'), 'no bash')
class Completion(CommandTest):
    def complete(self, shell, *words):
        script = (f'source <({TEGULA} completion {shell}); COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; '
                  '_tegula; printf "%s\\n" "${COMPREPLY[@]}"')
        return subprocess.run([shell, '-c', script], capture_output=True, text=True, check=True, timeout=60).stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete('bash', 'tegula', 'conv'), ['convert'])
        self.assertEqual(self.complete('bash', 'tegula', 'read', '--sel'), ['--select'])
        self.assertEqual(self.complete('bash', 'tegula', '--quiet', 'verif'), ['verify'])
        self.assertEqual(self.complete('bash', 'tegula', 'meta', 'li'), ['list'])
        self.assertIn('repair', self.complete('bash', 'tegula', "''"))
        self.assertNotIn('man', self.complete('bash', 'tegula', "ma"))

    @unittest.skipUnless(shutil.which('zsh'), 'no zsh')
    def test_zsh(self):
        for words, found in (('tegula conv', 'convert'), ('tegula read --sel', '--select'), ('tegula meta li', 'list')):
            # As bashcompinit calls it, which leaves out itself what does not match.
            script = (f'source <({TEGULA} completion zsh); f() {{ emulate -L sh; setopt kshglob noshglob braceexpand; COMP_WORDS=({words}); '
                      f'COMP_CWORD={len(words.split()) - 1}; _tegula; printf "%s\\n" "${{COMPREPLY[@]}}"; }}; f')
            done = subprocess.run(['zsh', '-f', '-c', script], capture_output=True, text=True, timeout=60)
            self.assertIn(found, done.stdout.split())
            self.assertEqual((done.returncode, done.stderr), (0, ''))

    @unittest.skipUnless(shutil.which('zsh'), 'no zsh')
    def test_zsh_loads(self):
        done = subprocess.run(['zsh', '-f', '-c', f'source <({TEGULA} completion zsh); whence -w _tegula'], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '_tegula: function\n', ''))


class Manual(CommandTest):
    def test_every_verb_is_in_it(self):
        page = self.out('man')
        verbs = [line.split()[0] for line in self.out('--help').split('SUBCOMMANDS:')[-1].split('Subcommands:')[-1].splitlines() if line.startswith('  ') and line.split()]
        self.assertGreater(len(verbs), 20)
        for verb in verbs:
            self.assertIn(f'\n.SS {verb}\n', page)
        self.assertIn('\\fB\\-\\-select\\fR \\fITEXT\\fR', page)

    @unittest.skipUnless(shutil.which('groff'), 'no groff')
    def test_troff_has_no_complaints(self):
        done = subprocess.run(['groff', '-man', '-Tutf8', '-ww'], input=self.out('man'), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ''))


if __name__ == '__main__':
    main()
