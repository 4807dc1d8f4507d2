#!/usr/bin/env python3
"""Files of many times the memory budget, into arrays and out of them; creations that fail or are stopped leave nothing."""
import os, pathlib, pty, random, signal, subprocess, time

from harness import TEGULA, CommandTest, main, npy, read_npy

BUDGET, ROOM = 16, 64  # MB: what --memory says, and what code, buffers of the system and the like may take beside it


def empty_npy(path, shape, descr, size, fortran=False):
    """A file of zeros, which takes no space on the disk."""
    npy(path, [], descr=descr, shape=shape, fortran=fortran)
    cells = 1
    for extent in shape:
        cells *= extent
    os.truncate(path, os.path.getsize(path) + cells * size)


class Memory(CommandTest):
    def peak(self, *args):
        """The most memory that the command had, in MB, beyond that of the smallest command."""
        def run(*words):
            pid = os.posix_spawn(TEGULA, [TEGULA, *map(str, words)], os.environ,
                                 file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
            _, status, used = os.wait4(pid, 0)
            self.assertEqual(os.waitstatus_to_exitcode(status), 0, words)
            return used.ru_maxrss / 1024
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            return run('--memory', f'{BUDGET}MB', '--quiet', *args) - run('--version')
        finally:
            os.chdir(here)

    def within(self, *args):
        self.assertLess(self.peak(*args), BUDGET + ROOM, args)

    def test_numpy_files_and_pictures(self):
        empty_npy(self.path('rows.npy'), (8192, 4096), '<f8', 8)
        empty_npy(self.path('columns.npy'), (8192, 4096), '<f8', 8, fortran=True)
        empty_npy(self.path('line.npy'), (32 << 20,), '<f8', 8)
        for name, file, flags in (('zarr', 'rows.npy', ['--format', 'zarr3', '--tile', '256,256']),
                                  ('chosen', 'rows.npy', ['--format', 'zarr2']),
                                  ('turned', 'columns.npy', ['--format', 'zarr2', '--tile', '256,256']),
                                  ('tiles', 'rows.npy', ['--format', 'tiledb', '--tile', '256,256']),
                                  ('carray', 'line.npy', ['--format', 'bcolz'])):
            with self.subTest(name):
                self.within('create', name, file, '--no-sync', *flags)
                self.within('plot', name, '--out', f'{name}.png')
        self.assertEqual([d['tile'] for d in self.json('info', 'chosen')['dimensions']], [256, 512])
        self.within('write', 'tiles', 'rows.npy', '--no-sync')
        self.within('append', 'carray', 'line.npy', '--no-sync')

    def test_tables(self):
        rows = 1_500_000
        with open(self.path('t.csv'), 'w') as out:
            out.write('x,v,s\n')
            out.writelines(f'{i * 7919 % 2000003},{i / 8},name {i % 1000}\n' for i in range(rows))
        fields = ['-a', 'v:float64', '-a', 's:S12']
        self.within('create', 'table', 't.csv', '--format', 'bcolz', '--table', '-a', 'x:int64', *fields, '--no-sync')
        self.within('create', 'points', 't.csv', '--format', 'tiledb', '--sparse', '-d', 'x:int64:0:2000003:10000', '-a', 'v:float64',
                    '-a', 's:utf8:var', '--no-sync')
        self.within('read', 'table', '--arrow', 't.arrow')
        self.within('create', 'again', 't.arrow', '--format', 'tiledb', '--no-sync')
        self.within('read', 'table', '--npz', 't.npz')
        self.within('read', 'table', '--json')
        self.within('read', 'points', '-f', 's', '--npy', 's.npy')
        self.within('plot', 'points', '--field', 'v', '--out', 'p.png')
        for name in ('table', 'points', 'again'):
            found = self.json('read', name, '--agg', 'n = count(), v = sum(v), x = sum(x)')['fields']
            self.assertEqual(found, {'n': [rows], 'v': [sum(i / 8 for i in range(rows))], 'x': [sum(i * 7919 % 2000003 for i in range(rows))]}, name)
        self.assertEqual(len(self.json('fragments', 'points')), 1)
        self.assertEqual([e for e in os.listdir(self.path('points')) if e.startswith('.')], [])


class Pieces(CommandTest):
    """Small budgets cut small files into many pieces; the cells are the same."""

    def test_boxes_of_numpy_files(self):
        shape = (37, 53, 11)
        cells = list(range(37 * 53 * 11))
        npy(self.path('c.npy'), cells, shape=shape)
        turned = [(k * 53 + j) * 37 + i for i in range(37) for j in range(53) for k in range(11)]
        npy(self.path('f.npy'), cells, shape=shape, fortran=True)
        for fmt in ('tiledb', 'zarr2', 'zarr3', 'bcolz'):
            for memory in ('4KB', '64KB', '2GB'):
                for file, wanted in (('c.npy', cells), ('f.npy', turned)):
                    with self.subTest(fmt=fmt, memory=memory, file=file):
                        tile = ['--tile', '5,7,4'] if fmt != 'bcolz' else []
                        self.run_tegula('create', fmt, file, '--format', fmt, '--overwrite', '--memory', memory, '--no-sync', *tile)
                        self.run_tegula('read', fmt, '--npy', 'out.npy')
                        self.assertEqual(read_npy(pathlib.Path(self.path('out.npy')).read_bytes())[1], wanted)
                        self.assertNotIn('.tegula-conversion', os.listdir(self.path(fmt)))

    def test_parts_of_an_array(self):
        for fmt in ('tiledb', 'zarr3', 'bcolz'):
            self.run_tegula('create', fmt, '--format', fmt, '--shape', '40,30', '--type', 'int32', '--tile', '7,30' if fmt == 'bcolz' else '7,9')
            npy(self.path('part.npy'), range(20 * 13), shape=(20, 13))
            self.run_tegula('write', fmt, 'part.npy', '--select', '[11:31, 5:18]', '--memory', '4KB')
            npy(self.path('row.npy'), range(30), shape=(30,))
            self.run_tegula('write', fmt, 'row.npy', '--select', '[3]', '--memory', '4KB')
            found = self.json('read', fmt, '--select', '[11:31, 5:18]')['fields']
            self.assertEqual(next(iter(found.values())), list(range(20 * 13)), fmt)
            self.assertEqual(next(iter(self.json('read', fmt, '--select', '[3]')['fields'].values())), list(range(30)), fmt)
            self.fails(2, 'shape', 'write', fmt, 'row.npy', '--select', '[3, 2:]')

    def test_rows(self):
        values = [random.Random(5).randrange(1 << 30) for _ in range(20000)]
        pathlib.Path(self.path('v.csv')).write_text('\ufeffvalue\n' + ''.join(f'{v}\n' for v in values))
        for fmt, more in (('tiledb', []), ('zarr2', []), ('bcolz', [])):
            self.run_tegula('create', fmt, 'v.csv', '--format', fmt, '--shape', '20000', '--type', 'int64', '--tile', '300', '--memory', '64KB',
                            '--no-sync')
            self.assertEqual(next(iter(self.json('read', fmt)['fields'].values())), values, fmt)
            for count, word in ((19999, 'the file has 20000 cells, the selection 19999'), (20001, 'the file has 20000 cells, the selection 20001')):
                self.fails(2, word, 'create', 'x', 'v.csv', '--format', fmt, '--shape', count, '--type', 'int64', '--memory', '64KB')
                self.assertFalse(os.path.exists(self.path('x')))
        with open(self.path('v.csv'), 'rb') as file:
            done = subprocess.run(f'cat | {TEGULA} create piped - --as csv --format zarr3 --shape 20000 --type int64 --memory 64KB', shell=True,
                                  stdin=file, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.json('read', 'piped', '--agg', 's = sum(value)')['fields'], {'s': [sum(values)]})

    def test_an_append_that_fails_leaves_the_rows_that_were_there(self):
        good = ''.join(f'{i},t{i}\n' for i in range(20000))
        pathlib.Path(self.path('good.csv')).write_text('a,s\n' + good)
        pathlib.Path(self.path('bad.csv')).write_text('a,s\n' + good + 'x,y\n')
        self.run_tegula('create', 't', 'good.csv', '--format', 'bcolz', '--table', '-a', 'a:int64', '-a', 's:S8', '--memory', '64KB', '--no-sync')
        self.fails(2, "line 20002, field 'a'", 'append', 't', 'bad.csv', '--memory', '64KB')
        self.assertEqual(self.json('read', 't', '--agg', 'n = count(), s = sum(a)')['fields'], {'n': [20000], 's': [19999 * 10000]})
        self.run_tegula('append', 't', 'good.csv', '--memory', '64KB')
        self.assertEqual(self.json('read', 't', '--agg', 'n = count(), s = sum(a)')['fields'], {'n': [40000], 's': [19999 * 20000]})

    def test_places_that_occur_twice_are_found_in_files_of_any_size(self):
        for rows in (10, 20000):
            text = 'x,v\n' + ''.join(f'{i},1\n' for i in range(rows)) + '3,1\n'
            pathlib.Path(self.path('p.csv')).write_text(text)
            args = ['create', f'p{rows}', 'p.csv', '--format', 'tiledb', '--sparse', '-d', 'x:int64:0:99999:1000', '-a', 'v:int32', '--memory', '64KB']
            self.fails(2, 'the same place', *args)
            self.assertFalse(os.path.exists(self.path(f'p{rows}')))
            self.run_tegula(*args, '--allow-duplicates')
            self.assertEqual(self.json('read', f'p{rows}', '--agg', 'n = count()')['fields'], {'n': [rows + 1]})


class NothingIsLeft(CommandTest):
    FORMATS = (('zarr3', ['--shape', '3', '--type', 'int32']), ('tiledb', ['--shape', '3', '--type', 'int32']),
               ('bcolz', ['--table', '-a', 'value:int32']),
               ('tiledb', ['--sparse', '-d', 'x:int32:0:9:5', '-a', 'value:int32']))

    def test_after_a_file_that_does_not_fit(self):
        for fmt, flags in self.FORMATS:
            head = 'x,value' if '--sparse' in flags else 'value'
            row = '1,{}' if '--sparse' in flags else '{}'
            pathlib.Path(self.path('bad.csv')).write_text(head + '\n' + '\n'.join(row.format(v) for v in ('1', '2', 'x')) + '\n')
            rows = ['0,1', '1,2', '2,3'] if '--sparse' in flags else ['1', '2', '3']
            pathlib.Path(self.path('good.csv')).write_text(head + '\n' + '\n'.join(rows) + '\n')
            with self.subTest(fmt=fmt, flags=flags):
                self.fails(2, 'line 4', 'create', 'new', 'bad.csv', '--format', fmt, *flags)
                self.assertFalse(os.path.exists(self.path('new')))
                os.mkdir(self.path('mine'))
                self.fails(2, 'line 4', 'create', 'mine', 'bad.csv', '--format', fmt, *flags)
                self.assertEqual(os.listdir(self.path('mine')), [])
                self.run_tegula('create', 'mine', 'good.csv', '--format', fmt, *flags)
                self.fails(2, 'already', 'create', 'mine', 'good.csv', '--format', fmt, *flags)
                self.fails(2, 'line 4', 'create', 'mine', 'bad.csv', '--format', fmt, *flags, '--overwrite')
                self.assertEqual(self.json('read', 'mine', '--agg', 's = sum(value)')['fields'], {'s': [6]})
                self.run_tegula('create', 'mine', 'good.csv', '--format', fmt, *flags, '--overwrite')
                subprocess.run(['rm', '-r', self.path('mine')], check=True)

    def stopped(self, *args):
        process = subprocess.Popen([TEGULA, *args], cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        end = time.time() + 60
        while not os.path.exists(self.path('new')):
            self.assertIsNone(process.poll(), 'ended before it could be stopped')
            self.assertLess(time.time(), end)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 130, message)
        self.assertFalse(os.path.exists(self.path('new')))

    def test_after_a_stop(self):
        empty_npy(self.path('big.npy'), (1 << 15, 1 << 15), '<f8', 8)
        with open(self.path('big.csv'), 'w') as out:
            out.write('value\n')
            for _ in range(100):
                out.write('12345\n' * 100000)
        for fmt in ('zarr3', 'tiledb', 'bcolz'):
            for file, flags in (('big.npy', []), ('big.csv', ['--shape', '10000000', '--type', 'int64'])):
                with self.subTest(fmt=fmt, file=file):
                    self.stopped('create', 'new', file, '--format', fmt, *flags, '--memory', '16MB')

    def test_progress_is_drawn(self):
        empty_npy(self.path('big.npy'), (1 << 14, 1 << 13), '<f8', 8)
        screen, terminal = pty.openpty()
        process = subprocess.Popen([TEGULA, 'create', 'new', 'big.npy', '--format', 'zarr3', '--tile', '128,128', '--memory', '16MB', '--no-sync',
                                    '--threads', '1'], cwd=self.folder, stderr=terminal, stdout=subprocess.DEVNULL)
        os.close(terminal)
        shown = b''
        while True:
            try:
                shown += os.read(screen, 1 << 16)
            except OSError:  # the other end is closed
                break
        os.close(screen)
        self.assertEqual(process.wait(timeout=120), 0)
        self.assertIn(b'copying [', shown)

    def test_while_a_pipe_is_waited_for(self):
        reader, writer = os.pipe()
        process = subprocess.Popen([TEGULA, 'create', 'new', '-', '--as', 'csv', '--format', 'zarr3', '--shape', '3', '--type', 'int32'],
                                   cwd=self.folder, stdin=reader, stderr=subprocess.PIPE)
        os.write(writer, b'value\n1\n')
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        os.close(writer)
        os.close(reader)


main()
