#!/usr/bin/env python3
"""What people get wrong, and odd data: every message says what is wrong and what to try, and JSON is JSON whatever is in it."""
import json, os, pathlib, shutil, subprocess

from harness import TEGULA, CommandTest, main, npy


def strict(text):
    def refuse(name):
        raise AssertionError(f'{name} is no JSON')
    return json.loads(text, parse_constant=refuse)


class Mistakes(CommandTest):
    def test_files_are_no_arrays(self):
        pathlib.Path(self.path('notes.txt')).write_text('hello')
        for verb in ('info', 'read', 'head', 'verify', 'stats'):
            self.fails(3, 'is a file, and arrays are folders', verb, 'notes.txt')

    def test_counts_are_not_negative(self):
        grid = self.grid()
        for args in (['head', grid, '-n', '-1'], ['read', grid, '--limit', '-5'], ['read', grid, '--limit', '99999999999999999999'], ['head', grid, '-n', '1.5']):
            with self.subTest(args):
                self.fails(2, 'not a whole number', *args)
        self.assertEqual(len(self.json('read', grid, '--limit', 2**64 - 1)['fields']['']), 24)

    def test_unknown_verbs(self):
        self.fails(2, "'inof' is no verb", 'inof', 'x')
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
        self.fails(3, 'more than anybody can wait for', 'convert', 't', 'b', '--to', 'bcolz')
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
