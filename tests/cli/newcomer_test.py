#!/usr/bin/env python3
"""What people get wrong, and odd data: every message says what is wrong and what to try, and JSON is JSON whatever is in it."""
import json, os, pathlib, shutil, subprocess, unittest

from harness import TEGULA, CommandTest, main, npy


def strict(text):
    def refuse(name):
        raise AssertionError(f'{name} is no JSON')
    return json.loads(text, parse_constant=refuse)


class Mistakes(CommandTest):
    def test_files_are_no_arrays(self):
        pathlib.Path(self.path('notes.txt')).write_text('hello')
        for verb in ('info', 'read', 'head', 'verify', 'stats'):
            self.fails(3, 'is a file, and arrays are folders or zip archives', verb, 'notes.txt')

    def test_counts_are_not_negative(self):
        grid = self.grid()
        for args in (['head', grid, '-n', '-1'], ['read', grid, '--limit', '-5'], ['read', grid, '--limit', '99999999999999999999'], ['head', grid, '-n', '1.5']):
            with self.subTest(args):
                self.fails(2, 'not a whole number', *args)
        self.assertEqual(len(self.json('read', grid, '--limit', 2**64 - 1)['fields']['']), 24)

    def test_unknown_verbs(self):
        self.fails(2, "'inof' is no verb; did you mean 'info'?", 'inof', 'x')
        self.fails(2, "'verif' is no verb; did you mean 'verify'?", 'verif', 'x')
        self.assertNotIn('did you mean', self.fails(2, "'abracadabra' is no verb", 'abracadabra').stderr)
        self.fails(2, "'x' is no verb", '--threads', '2', 'x')

    def test_history_is_tiledbs(self):
        for fmt in ('bcolz', 'zarr3'):
            self.grid(fmt, fmt, tile='2,4')
            self.fails(3, 'no history', 'read', fmt, '--at', '1000')
            self.fails(3, 'no history', 'head', fmt, '--at', '2024-05-31')

    def test_shapes(self):
        self.fails(2, 'one cell at least', 'create', 't', '--format', 'tiledb', '--shape', '0,3', '--type', 'int32')
        self.assertFalse(os.path.exists(self.path('t')))
        for fmt in ('zarr2', 'zarr3'):
            self.run_tegula('create', fmt, '--format', fmt, '--shape', '[]', '--type', 'int32', '--fill', '7')
            self.assertEqual(self.json('read', fmt), {'shape': [], 'fields': {'': [7]}})
            self.assertIn('7', self.out('head', fmt))
            self.assertEqual(self.json('stats', fmt)['']['max'], 7)

    def test_data_that_does_not_fit_leaves_all_as_it_was(self):
        pathlib.Path(self.path('good.csv')).write_text('a,b\n1,2\n')
        pathlib.Path(self.path('bad.csv')).write_text('a,b\n1,x\n')
        pathlib.Path(self.path('far.csv')).write_text('a,b\n1,2\n1000,2\n')
        npy(self.path('v.npy'), [1.5, 2.5], 'd', '<f8')
        kinds = (['bad.csv', '--format', 'bcolz', '--table', '-a', 'a:int32', '-a', 'b:int32'],
                 ['far.csv', '--format', 'tiledb', '--sparse', '-d', 'a:int32:0:99:10', '-a', 'b:int32'],
                 ['v.npy', '--format', 'zarr3', '--type', 'int32'],
                 ['v.npy', '--format', 'zarr2', '--shape', '5', '--type', 'float64'])
        self.run_tegula('create', 'old', 'good.csv', *kinds[0][1:])
        for kind in kinds:
            with self.subTest(kind):
                self.fails(2, 'invalid argument', 'create', 'new', *kind)
                self.assertFalse(os.path.exists(self.path('new')))
                self.run_tegula('create', 'old', *kind, '--overwrite', code=2)
                self.assertEqual(self.json('read', 'old')['fields'], {'a': [1], 'b': [2]})
        self.fails(2, "writing 'new': cell 1: coordinate 1000", 'create', 'new', *kinds[1])

    def test_csv_as_it_is_printed(self):
        self.run_tegula('create', 't', '--format', 'tiledb', '--sparse', '-d', 'x:int32:0:99:10', '-a', 's:utf8:var:nullable', '-a', 'n:int32:nullable')
        cells = {'x': [1, 2, 3], 's': ['', None, 'a "b"\nc'], 'n': [None, 5, None]}
        self.run_tegula('write', 't', '-', '--as', 'json', stdin=json.dumps(cells))
        self.run_tegula('create', 'u', '--schema', '-', stdin=self.out('info', 't', '--json'))
        self.run_tegula('write', 'u', '-', '--as', 'csv', stdin=self.out('read', 't', '--csv'))
        self.assertEqual(self.json('read', 'u')['fields'], cells)
        self.fails(2, "line 3: a quote is opened and never closed", 'write', 'u', '-', '--as', 'csv', stdin='x,s,n\n1,a,2\n2,"b,3\n4,c,5\n')

    def test_quotes_within_csv_fields(self):
        rows = {'5" pipe,1\r\n6" pipe,2\r\n': [['5" pipe', 1], ['6" pipe', 2]],
                'a\rb,1\n"c""\n",2': [['a\rb', 1], ['c"\n', 2]],
                '"",1\n"x",2\r': [['', 1], ['x', 2]]}
        for i, (text, cells) in enumerate(rows.items()):
            pathlib.Path(self.path('q.csv')).write_bytes(b's,n\n' + text.encode())
            self.run_tegula('create', f'q{i}', 'q.csv', '--format', 'bcolz', '--table', '-a', 's:S10', '-a', 'n:int32')
            fields = self.json('read', f'q{i}')['fields']
            self.assertEqual([[s, n] for s, n in zip(fields['s'], fields['n'])], cells)
        for text, message in (('s,n\n"a"b,1\n', 'line 2: text follows the closing quote'), ('s,n,s\na,1,b\n', "names 's' twice")):
            pathlib.Path(self.path('q.csv')).write_text(text)
            self.fails(2, message, 'create', 'q', 'q.csv', '--format', 'bcolz', '--table', '-a', 's:S10', '-a', 'n:int32')

    def test_devices_are_written_to(self):
        grid = self.grid()
        os.mkfifo(self.path('pipe'))
        for kind, start in (('--npy', b'\x93NUMPY'), ('--npz', b'PK'), ('--arrow', b'ARROW1')):
            process = subprocess.Popen([TEGULA, 'read', grid, kind, 'pipe'], cwd=self.folder)
            self.assertTrue(pathlib.Path(self.path('pipe')).read_bytes().startswith(start))
            self.assertEqual(process.wait(timeout=60), 0)
        pathlib.Path(self.path('real.npy')).write_bytes(b'')
        os.symlink('real.npy', self.path('link.npy'))
        self.run_tegula('read', grid, '--npy', 'link.npy')
        self.assertTrue(os.path.islink(self.path('link.npy')))
        self.assertGreater(os.path.getsize(self.path('real.npy')), 100)

    @unittest.skipUnless(os.path.exists('/dev/full'), 'no /dev/full')
    def test_output_that_cannot_be_written(self):
        grid = self.grid()
        for args in (['--help'], ['--version'], ['completion', 'bash'], ['man'], ['info', grid], ['read', grid, '--json']):
            with open('/dev/full', 'w') as full:
                done = subprocess.run([TEGULA, *args], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(done.returncode, 3, args)
            self.assertIn(b'writ', done.stderr)

    def test_the_unnamed_field_is_called_as_it_is_shown(self):
        grid = self.grid()
        self.assertEqual(self.json('read', grid, '--fields', 'value')['fields'][''], list(range(24)))
        self.assertEqual(self.json('read', grid, '--agg', 'hi = max(value)')['fields'], {'hi': [23]})
        self.run_tegula('plot', grid, '--field', 'value', '--ascii')
        self.fails(2, "there is no field 'valu'", 'read', grid, '--agg', 'max(valu)')

    def test_encryption_is_not_lost_silently(self):
        key, other = '00' * 32, '11' * 32
        npy(self.path('v.npy'), range(4))
        self.run_tegula('create', 'secret', 'v.npy', '--format', 'tiledb', '--key', key)
        self.run_tegula('create', 'plain', 'v.npy', '--format', 'tiledb')
        for fmt in ('zarr3', 'bcolz'):
            self.fails(2, 'only TileDB arrays are encrypted', 'create', 'new', 'v.npy', '--format', fmt, '--key', key)
            self.fails(2, 'only TileDB arrays are encrypted', 'convert', 'plain', 'new', '--to', fmt, '--new-key', key)
            self.fails(3, 'the copy would not be', 'convert', 'secret', 'new', '--to', fmt, '--key', key)
        self.assertIn('encryption', self.out('convert', 'secret', 'new', '--key', key, '--dry-run', code=1))
        self.assertFalse(os.path.exists(self.path('new')))
        self.run_tegula('convert', 'secret', 'new', '--key', key, '--new-key', other, '--verify')
        self.assertEqual(self.json('read', 'new', '--key', other)['fields'][''], [0, 1, 2, 3])
        self.assertIn('lost: the encryption', self.run_tegula('convert', 'secret', 'bare', '--to', 'zarr3', '--key', key, '--lossy').stderr)
        self.assertEqual(self.json('read', 'bare')['fields'][''], [0, 1, 2, 3])
        listed = self.out('ls', '.', '--key', key)
        self.assertNotIn('plain  TileDB array', listed)
        self.assertEqual(listed.count('does not open'), 1)  # 'new' has another key

    def test_names_do_not_move_the_cursor(self):
        self.grid('plain')
        os.rename(self.path('plain'), self.path('a\x1b[31m\nb'))
        self.run_tegula('meta', 'set', 'a\x1b[31m\nb', 'k\x1b[2J', '1')
        for args in (['ls', '.'], ['tree', '.'], ['info', 'a\x1b[31m\nb'], ['meta', 'list', 'a\x1b[31m\nb']):
            self.assertNotIn('\x1b', self.out(*args))
        self.assertIn('a\\x1b[31m\\x0ab', self.out('ls', '.'))

    def test_filters(self):
        self.fails(2, "'level' is 99", 'create', 'z', '--format', 'zarr3', '--shape', '4', '--type', 'int32', '--filters', 'zstd:99')
        self.fails(2, "'level' is 99", 'create', 'z', '--format', 'zarr2', '--shape', '4', '--type', 'int32', '--filters', 'zstd:99')
        self.run_tegula('create', 't', '--format', 'tiledb', '--shape', '4', '--type', 'int32', '--filters', 'none')
        self.assertEqual(self.json('info', 't')['attributes'][0]['filters'], [])
        # What is shown can be given.
        for fmt, filters in (('zarr2', 'blosc:lz4:5:shuffle'), ('zarr3', 'blosc:zstd:5:bitshuffle'), ('zarr3', 'zstd:5'), ('bcolz', 'blosc:lz4:5:shuffle')):
            self.run_tegula('create', 'f', '--format', fmt, '--shape', '4', '--type', 'int32', '--filters', filters, '--overwrite')
            self.assertIn(f' {filters} ', self.out('info', 'f'))

    def test_times_of_other_zones(self):
        self.run_tegula('create', 't', '--format', 'tiledb', '--shape', '2', '--type', 'int32')
        npy(self.path('v.npy'), [1, 2])
        self.run_tegula('write', 't', 'v.npy', '--at', '2024-05-31T12:00:00+02:00')
        self.assertEqual(self.json('fragments', 't')[0]['first_time'], 1717149600000)
        for at, found in (('2024-05-31T10:00Z', 1), ('2024-05-31T09:59', 0), ('2024-05-31T04:30-0530', 1), ('2024-05-31T04:29-05:30', 0),
                          ('2024-05-31T12:00+02:00:2024-06-01T00:00-05:30', 1), ('2024-05-31T12:01+02:00:2024-06-01T00:00-05:30', 0)):
            self.assertEqual(len(self.json('fragments', 't', '--at', at)), found, at)
        self.fails(2, 'is not a time', 'read', 't', '--at', '2024-05-31T12:00+25:00')
        self.assertEqual([self.json('info', 't')[key] for key in ('first_time', 'last_time')], [1717149600000] * 2)

    def test_dimensions(self):
        self.fails(2, 'which domain?', 'create', 't', '--format', 'tiledb', '-d', 'x:int32', '-a', 'v:int32')
        self.run_tegula('create', 't', '--format', 'tiledb', '-d', 'when:datetime64[D]:2024-01-01:2024-12-31:7', '-a', 'v:int32')
        self.assertIn('2024-01-01 .. 2024-12-31  tile 7', self.out('info', 't'))

    def test_fragments_are_tiledbs(self):
        self.fails(2, 'only TileDB arrays have fragments', 'fragments', self.grid())

    def test_a_folder_that_nobody_may_open(self):
        self.grid('open')
        os.mkdir(self.path('shut'))
        os.symlink('/', self.path('away'))  # a link that leads outside is refused to everybody, root included
        os.rename(self.path('away'), self.path('shut', 'zarr.json'))
        listed = {item['name']: item for item in self.json('ls', '.')}
        self.assertIn('error', listed['shut'])
        self.assertEqual((listed['open']['shape'], listed['open']['fields']), ([6, 4], {'': 'int32'}))
        self.assertIn('does not open', self.out('ls', '.'))
        self.assertIn('6 x 4', self.out('tree', '.'))
        self.assertEqual(len(self.json('tree', '.')), 2)

    def test_types_of_any_length(self):
        pathlib.Path(self.path('t.json')).write_text('{"": ["a", "", "long text"]}')
        for fmt in ('tiledb', 'zarr2', 'zarr3'):
            self.run_tegula('create', fmt, 't.json', '--format', fmt, '--shape', '3', '--type', 'utf8:var')
            self.assertEqual(self.json('read', fmt)['fields'][''], ['a', '', 'long text'])

    def test_texts_of_numpy_into_tiledb(self):
        pathlib.Path(self.path('t.json')).write_text('{"": ["a", "bcd", ""]}')
        self.run_tegula('create', 's', 't.json', '--format', 'tiledb', '--shape', '3', '--type', 'S3')
        self.run_tegula('create', 'z', 't.json', '--format', 'zarr2', '--shape', '3', '--type', 'S3')
        self.assertIn('the same: 3', self.out('diff', 's', 'z'))


class OddData(CommandTest):
    def test_files_without_cells(self):
        for i, shape in enumerate([(0,), (3, 0), (3, 0, 2), (0, 5)]):
            npy(self.path('none.npy'), [], shape=shape)
            self.run_tegula('create', f'none{i}', 'none.npy', '--format', 'zarr3')
            self.run_tegula('read', f'none{i}', '--npy', 'back.npy')
            self.assertIn(f"'shape': {shape}".encode(), pathlib.Path(self.path('back.npy')).read_bytes())

    def test_thousands_of_fields_are_not_all_named(self):
        names = [f'field_{i}' for i in range(2000)]
        pathlib.Path(self.path('wide.csv')).write_text(','.join(names) + ',other\n' + '1,' * 2000 + '1\n')
        done = self.run_tegula('create', 'wide', 'wide.csv', '--format', 'tiledb', '--shape', '1', *[f'-a{n}:int32' for n in names], code=2)
        self.assertIn("there is no field 'other'", done.stderr)
        self.assertIn('and 1980 more', done.stderr)
        self.assertLess(len(done.stderr), 1000)

    def test_numbers_that_json_lacks(self):
        for fmt in ('bcolz', 'zarr2', 'zarr3', 'tiledb'):
            with self.subTest(fmt):
                npy(self.path('v.npy'), [1.5, float('nan'), float('inf'), float('-inf')], 'd', '<f8')
                self.run_tegula('create', fmt, 'v.npy', '--format', fmt)
                self.run_tegula('meta', 'set', fmt, 'limits', '[NaN, Infinity, -Infinity, 1]')
                self.run_tegula('meta', 'set', fmt, 'text', '"a \\"NaN\\" inside"')
                self.assertEqual(strict(self.out('read', fmt, '--json'))['fields'][''], [1.5, 'nan', 'inf', '-inf'])
                listed = strict(self.out('meta', 'list', fmt, '--json'))
                limits, text = ((listed[k]['value'] if fmt == 'tiledb' else listed[k]) for k in ('limits', 'text'))
                self.assertEqual((limits, text), (['nan', 'inf', '-inf', 1], 'a "NaN" inside'))
                self.assertEqual(strict(self.out('meta', 'get', fmt, 'limits', '--json')), ['nan', 'inf', '-inf', 1])
                for verb in ('info', 'stats', 'verify'):
                    strict(self.out(verb, fmt, '--json'))

    def test_numbers_that_do_not_fit(self):
        grid = self.grid()
        for value in ('1e400', '[1, 2', '{bad'):
            self.fails(2, 'no JSON', 'meta', 'set', grid, 'n', value)
        for words in ('2024-05-31', '-', '3 m'):
            self.run_tegula('meta', 'set', grid, 'n', words)
            self.assertEqual(self.json('meta', 'get', grid, 'n'), words)
        document = json.loads(pathlib.Path(self.path('grid', '.zattrs')).read_text())
        pathlib.Path(self.path('grid', '.zattrs')).write_text(json.dumps(document)[:-1] + ', "huge": 1e999}')
        self.fails(3, '.zattrs', 'meta', 'list', grid)

    def test_names_that_are_no_utf8(self):
        self.grid('plain')
        odd = os.fsencode(self.folder) + b'/odd\xff'
        shutil.copytree(os.fsencode(self.path('plain')), odd)
        for args in (['ls', '.'], ['info', odd], ['tree', '.']):
            done = subprocess.run([TEGULA, *args, '--json'], capture_output=True, cwd=self.folder, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            strict(done.stdout.decode('utf-8'))
        for key, value in ((b'\xff', '1'), ('k', b'\xff')):
            done = subprocess.run([TEGULA, 'meta', 'set', 'plain', key, value], capture_output=True, cwd=self.folder, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(b'not UTF-8', done.stderr)
        self.run_tegula('create', 't', '--format', 'tiledb', '--shape', '3', '--type', 'int32')
        subprocess.run([TEGULA, 'meta', 'set', 't', b'\xff', '1'], cwd=self.folder, check=True, timeout=60)
        self.assertEqual(list(strict(subprocess.run([TEGULA, 'meta', 'list', 't', '--json'], capture_output=True, cwd=self.folder, timeout=60).stdout.decode())), ['\udcff'])

    def test_domains_without_end(self):
        """Tables of TileDB-Py keep room for all rows that there can be."""
        self.run_tegula('create', 't', '--format', 'tiledb', '-d', f'row:uint64:0:{2**62 - 1}:10000', '-a', 'v:int32')
        npy(self.path('v.npy'), range(5))
        self.run_tegula('write', 't', 'v.npy', '--select', '[0:5]')
        stats = self.json('stats', 't')['v']
        self.assertEqual((stats['cells'], stats['max']), (5, 4))
        self.assertEqual(len(self.out('plot', 't', '--ascii').splitlines()), 25)
        for target in ('tiledb', 'zarr2', 'zarr3'):
            self.assertIn('10000 values compared, 0 differ' if target != 'tiledb' else '5 values compared, 0 differ',
                          self.out('convert', 't', target, '--to', target, '--verify'))
            self.assertIn('the same', self.out('diff', 't', target))
        self.fails(3, 'would take weeks', 'convert', 't', 'b', '--to', 'bcolz')
        self.assertFalse(os.path.exists(self.path('b')))

    def test_readers_that_go_away(self):
        self.run_tegula('create', 'big', '--format', 'zarr3', '--shape', '2000,1000', '--type', 'int32')
        for args in (['read', 'big'], ['read', 'big', '--json'], ['read', 'big', '--csv']):
            process = subprocess.Popen([TEGULA, *args], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.read(10)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b'')
            process.stderr.close()
            self.assertNotEqual(process.wait(timeout=60), 0)


if __name__ == '__main__':
    main()
