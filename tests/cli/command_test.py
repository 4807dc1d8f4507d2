#!/usr/bin/env python3
"""The `tegula` command as a person uses it: arguments in; output, messages and exit code out."""
import json, os, pathlib, struct, subprocess, time, zipfile

from harness import FORMATS, TEGULA, CommandTest, main, npy, read_npy


class Usage(CommandTest):
    def test_version_and_help(self):
        self.assertRegex(self.out('--version'), r'^tegula \d+\.\d+\.\d+\n$')
        self.assertIn('verify', self.out('--help'))
        for verb in ('info ls tree fragments read head stats create write append convert rechunk diff plot verify repair meta evolve delete '
                     'consolidate vacuum upgrade group tour').split():
            with self.subTest(verb):
                self.assertIn('Examples:', self.out(verb, '--help'))

    def test_wrong_arguments(self):
        for args in ([], ['nonsense'], ['info'], ['info', 'a', 'b'], ['read', 'a', '--nonsense'], ['head', 'a', '-n', 'x'],
                     ['meta'], ['meta', 'get', 'a'], ['--threads', 'many', 'info', 'a'], ['--memory', 'lots', 'info', 'a']):
            with self.subTest(args):
                done = self.run_tegula(*args, code=2)
                self.assertTrue(done.stderr.startswith('tegula: '), done.stderr)
                self.assertEqual(done.stdout, '')

    def test_nothing_there(self):
        self.fails(3, 'no such folder', 'info', 'missing')
        os.mkdir(self.path('empty'))
        self.fails(3, 'empty', 'read', 'empty')

    def test_bad_values_are_usage_errors(self):
        grid = self.grid()
        for args in (['--at', 'yesterday'], ['--key', 'xyz'], ['--key', '00ff'], ['--key', '00', '--key-file', 'k'], ['--select', '[1'],
                     ['--range', 'x'], ['--range', 'nowhere=1:2'], ['--range', 'dim_0=a:b'], ['--order', 'sideways'], ['--select', '[0]', '--range', 'dim_0=1:2'],
                     ['--csv', '--json'], ['--npy', 'a', '--npz', 'b'], ['--agg', 'median(x)'], ['--where', 'dim_0 >'], ['--missing', 'maybe']):
            with self.subTest(args):
                self.run_tegula('read', grid, *args, code=2)
        self.assertEqual(sorted(os.listdir(self.folder)), ['grid', 'grid.npy'])


class Reading(CommandTest):
    def test_json(self):
        grid = self.grid()
        whole = self.json('read', grid)
        self.assertEqual(whole, {'shape': [6, 4], 'fields': {'': list(range(24))}})
        part = self.json('read', grid, '--select', '[1:3, ::2]')
        self.assertEqual(part, {'shape': [2, 2], 'fields': {'': [4, 6, 8, 10]}})
        self.assertEqual(self.json('read', grid, '--range', 'dim_0=1:2', '--range', 'dim_1=0'), {'shape': [2, 1], 'fields': {'': [4, 8]}})

    def test_text_forms(self):
        grid = self.grid()
        lines = self.out('read', grid, '--select', '[0:1]').splitlines()
        self.assertEqual(lines[0].split(), ['dim_0', 'dim_1', 'value'])
        self.assertEqual([line.split() for line in lines[1:]], [['0', str(i), str(i)] for i in range(4)])
        self.assertEqual(self.out('read', grid, '--select', '[5, 2:]', '--csv').splitlines()[0].split(',')[-1], 'value')

    def test_limit_and_head(self):
        grid = self.grid()
        self.assertEqual(self.json('read', grid, '--limit', '5')['fields'][''], [0, 1, 2, 3, 4])
        self.assertEqual(len(self.out('head', grid).splitlines()), 11)
        self.assertEqual(len(self.out('head', grid, '-n', '3').splitlines()), 4)

    def test_limit_of_huge_arrays_is_quick(self):
        for fmt in ('zarr3', 'tiledb'):
            self.run_tegula('create', fmt, '--format', fmt, '--shape', '1000000,1000000', '--type', 'int32', '--tile', '100,100')
            for args in ([], ['--select', '[7:, 3:]'], ['--range', 'dim_0=5:999999']):
                with self.subTest([fmt, *args]):
                    start = time.monotonic()
                    self.assertEqual(self.json('read', fmt, '--limit', '3', *args)['fields'][''], [0, 0, 0])
                    self.assertLess(time.monotonic() - start, 5)

    def test_only_what_was_written_of_huge_domains(self):
        self.run_tegula('create', 'frame', '--format', 'tiledb', '-d', f'row:int64:0:{2 ** 62}:10000', '-a', 'v:int32')
        npy(self.path('rows.npy'), range(5, 25))
        self.run_tegula('write', 'frame', 'rows.npy', '--select', '[100:120]')
        self.assertEqual(self.out('head', 'frame', '-n', '2').split(), ['row', 'v', '100', '5', '101', '6'])
        self.assertEqual(self.json('read', 'frame')['fields'], {'v': list(range(5, 25))})
        self.assertEqual(self.json('read', 'frame', '--agg', 'n = count(), s = sum(v)')['fields'], {'n': [20], 's': [sum(range(5, 25))]})
        self.assertEqual(self.json('read', 'frame', '--select', '[98:101]')['fields'], {'v': [0, 0, 5]})

    def test_text_with_control_characters(self):
        texts = ['\x01\x7f0', '0x017f30', 'a\tb', 'two\nlines', '"quoted"', '', 'ümläut\x1b[2J']
        rows = ',\n'.join(json.dumps({'t': t}) for t in texts)
        pathlib.Path(self.path('t.json')).write_text(f'[{rows}]')
        self.run_tegula('create', 't', 't.json', '--format', 'tiledb', '--shape', str(len(texts)), '-a', 't:utf8:var')
        done = subprocess.run([TEGULA, 'read', 't', '--csv', '-f', 't'], cwd=self.folder, capture_output=True)
        pathlib.Path(self.path('t.csv')).write_bytes(done.stdout)
        self.run_tegula('create', 'back', 't.csv', '--format', 'tiledb', '--shape', str(len(texts)), '-a', 't:utf8:var')
        self.run_tegula('diff', 't', 'back')
        shown = self.out('read', 't')
        self.assertNotIn('\x1b', shown)
        self.assertIn('\\x01\\x7f0', shown)
        # Text of a fixed size ends where its padding begins.
        self.run_tegula('create', 'fixed', '--format', 'tiledb', '--shape', '2', '-a', 'f:ascii:3')
        self.assertEqual(self.out('read', 'fixed', '--csv', '-f', 'f'), 'f\n""\n""\n')

    def test_missing_chunks(self):
        grid = self.grid()
        os.remove(self.path('grid', '1.1'))
        self.assertEqual(self.json('read', grid, '--select', '[2]')['fields'][''], [8, 9, 0, 0])
        self.fails(3, '1.1', 'read', grid, '--select', '[2]', '--missing', 'error')
        self.assertEqual(self.json('read', grid, '--select', '[0]', '--missing', 'error')['fields'][''], [0, 1, 2, 3])

    def test_ranges_of_labels(self):
        array, _ = self.corpus_case('tiledb/v18/dimension_labels')
        self.assertEqual(self.json('read', array, '--range', 'lab=0:2.5'), {'shape': [2], 'fields': {'a': [-3, -157969420]}})
        self.assertEqual(self.json('read', array, '--range', 'tag=a:c'), {'shape': [3], 'fields': {'a': [986, -245, 525]}})
        self.run_tegula('read', array, '--range', 'nowhere=1:2', code=2)

    def test_numpy_files(self):
        grid = self.grid()
        self.run_tegula('read', grid, '--npy', 'out.npy')
        header, values = read_npy(pathlib.Path(self.path('out.npy')).read_bytes())
        self.assertEqual((header['descr'], header['shape'], values), ('<i4', (6, 4), list(range(24))))
        self.run_tegula('read', grid, '--select', '[2]', '--npz', 'out.npz')
        with zipfile.ZipFile(self.path('out.npz')) as z:
            self.assertEqual(z.testzip(), None)
            header, values = read_npy(z.read('value.npy'))
        self.assertEqual((header['shape'], values), ((4,), [8, 9, 10, 11]))
        self.fails(3, 'cannot', 'read', grid, '--npy', 'no/such/folder/x.npy')

    def test_query_documents(self):
        grid = self.grid()
        document = {'ranges': {'dim_0': [[0, 0], [5, 5]]}, 'layout': 'row-major'}
        self.assertEqual(self.json('read', grid, '--query', '-', stdin=json.dumps(document))['fields'][''], [0, 1, 2, 3, 20, 21, 22, 23])
        pathlib.Path(self.path('q.json')).write_text('{"select": "[-1]"}')
        self.assertEqual(self.json('read', grid, '--query', 'q.json'), {'shape': [4], 'fields': {'': [20, 21, 22, 23]}})
        self.fails(2, 'known keys', 'read', grid, '--query', '-', '--json', stdin='{"colour": 1}')
        self.fails(2, 'stdin', 'read', grid, '--query', '-', '--json', stdin='{')
        self.fails(2, 'whole request', 'read', grid, '--query', '-', '--limit', '1', stdin='{}')

    def test_batch_mode(self):
        grid = self.grid()
        requests = [{'uri': grid, 'query': {'select': '[0, 0:2]'}}, {'uri': 'missing'}, {'uri': grid, 'query': {'select': '[9]'}}]
        done = self.run_tegula('read', '--batch', '-', stdin='\n'.join(map(json.dumps, requests)) + '\n', code=1)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(answers[0], {'shape': [2], 'fields': {'': [0, 1]}})
        self.assertEqual([a['error']['kind'] for a in answers[1:]], ['not found', 'invalid argument'])

    def test_threads_agree(self):
        grid = self.grid(rows=50, columns=40, tile='7,9')
        one, many = (self.out('read', grid, '--json', '--threads', n, '--memory', '1MB') for n in ('1', '8'))
        self.assertEqual(one, many)

    def test_trace_io(self):
        grid = self.grid()
        done = self.run_tegula('read', grid, '--json', '--trace-io', '--select', '[0, 0]')
        self.assertIn('read 0.0', done.stderr)
        self.assertNotIn('read 1.0', done.stderr)


class Looking(CommandTest):
    def test_info(self):
        grid = self.grid()
        text = self.out('info', grid)
        self.assertIn('grid: dense zarr v2 array', text)
        self.assertIn('int32', text)
        document = self.json('info', grid)
        self.assertEqual((document['format'], [d['domain'] for d in document['dimensions']]), ('zarr2', [[0, 5], [0, 3]]))

    def test_chunks_are_counted_once(self):
        self.run_tegula('create', 't', '--format', 'tiledb', '--shape', '6,6', '--type', 'int32', '--tile', '2,2')
        npy(self.path('v.npy'), range(12), shape=(3, 4))
        for select, present in (('[0:3, 0:4]', 4), ('[0:3, 0:4]', 4), ('[3:6, 0:4]', 6), ('[1:4, 2:6]', 8)):
            self.run_tegula('write', 't', 'v.npy', '--select', select)
            info = self.json('info', 't')
            self.assertEqual((info['chunks_present'], info['chunks_expected']), (present, 9), select)

    def test_ls_and_tree(self):
        self.grid('a')
        self.grid('b', 'bcolz')
        self.assertEqual([(i['name'], i['kind'], i['format']) for i in self.json('ls', '.')], [('a', 'array', 'zarr2'), ('b', 'array', 'bcolz')])
        tree = self.out('tree', '.')
        self.assertIn('├── a', tree)
        self.assertIn('└── b', tree)
        self.fails(3, 'no such folder', 'ls', 'missing')

    def test_tree_does_not_follow_links_in_circles(self):
        self.grid('folder/grid')
        os.symlink('.', self.path('folder', 'self'))
        self.assertEqual(len(self.out('tree', 'folder').splitlines()), 3)

    def test_tree_of_groups_that_hold_each_other(self):
        for name in 'gh':
            self.run_tegula('group', 'create', name, '--format', 'tiledb')
        for name in ('once', 'twice'):
            self.run_tegula('group', 'add', 'g', self.path('h'), '--name', name)
            self.run_tegula('group', 'add', 'h', self.path('g'), '--name', name)
        self.assertLess(len(self.out('tree', 'g').splitlines()), 100)
        self.json('tree', 'g')

    def test_stats(self):
        grid = self.grid()
        stats = self.json('stats', grid)['']
        self.assertEqual((stats['cells'], stats['min'], stats['max'], stats['mean']), (24, 0, 23, 11.5))
        self.assertIn('█', self.out('stats', grid))

    def test_stats_of_numbers_that_doubles_lack(self):
        npy(self.path('n.npy'), [2**63 - 1, 2**63 - 2, -2**63 + 1], 'q', '<i8')
        self.run_tegula('create', 'n', 'n.npy', '--format', 'zarr3')
        self.assertIn('min -9223372036854775807, max 9223372036854775807', self.out('stats', 'n'))
        stats = self.json('stats', 'n')['']
        self.assertEqual((stats['min'], stats['max']), (1 - 2**63, 2**63 - 1))
        pathlib.Path(self.path('t.json')).write_text(json.dumps({'': [1600000000000000001, 1600000000000000999]}))
        self.run_tegula('create', 't', 't.json', '--format', 'tiledb', '--shape', '2', '--type', 'datetime64[ns]')
        self.assertIn('min 2020-09-13T12:26:40.000000001, max 2020-09-13T12:26:40.000000999', self.out('stats', 't'))
        npy(self.path('f.npy'), [float('inf'), float('-inf'), -1.5e308, 1.5e308, 0, 0], 'd', '<f8')
        self.run_tegula('create', 'f', 'f.npy', '--format', 'zarr3')
        stats = self.json('stats', 'f')['']
        self.assertEqual((stats['min'], stats['max'], stats['histogram_range']), ('-inf', 'inf', [-1.5e308, 1.5e308]))
        self.assertEqual((stats['histogram'][0], stats['histogram'][10], stats['histogram'][19]), (1, 2, 1))
        self.assertEqual(len(self.out('stats', 'f').splitlines()), 22)

    def test_files_that_may_not_be_read_are_no_damage(self):
        for fmt, pattern in (('zarr2', '0.0'), ('tiledb', '__fragments/*/a0.tdb'), ('bcolz', 'data/__0.blp')):
            self.run_tegula('create', fmt, '--format', fmt, '--shape', '4,4', '--type', 'int32')
            npy(self.path('v.npy'), range(16), shape=(4, 4))
            self.run_tegula('write', fmt, 'v.npy')
            file = next(pathlib.Path(self.path(fmt)).glob(pattern))
            file.chmod(0)
            os.chmod(self.folder, 0o755)
            other = {'user': 65534} if os.geteuid() == 0 else {}
            done = subprocess.run([TEGULA, 'verify', self.path(fmt)], capture_output=True, text=True, cwd='/', **other)
            self.assertEqual(done.returncode, 3, f'{fmt}: {done.stdout}{done.stderr}')
            self.assertIn('ermission denied', done.stderr)

    def test_verify(self):
        grid = self.grid()
        self.assertIn('everything decodes', self.out('verify', grid))
        chunk = pathlib.Path(self.path('grid', '1.1'))
        chunk.write_bytes(chunk.read_bytes()[:-5])
        self.assertIn('1.1', self.out('verify', grid, code=1))
        report = self.json('verify', grid, code=1)
        self.assertEqual((report['ok'], len(report['problems'])), (False, 1))
        self.fails(3, 'corrupt', 'read', grid)


class Writing(CommandTest):
    def test_create_and_read_back(self):
        for fmt in FORMATS:
            with self.subTest(fmt):
                npy(self.path('v.npy'), range(10))
                self.run_tegula('create', fmt, 'v.npy', '--format', fmt, '--tile', '4')
                self.assertEqual(self.json('read', fmt)['fields'][''], list(range(10)))
                self.fails(2, 'already', 'create', fmt, 'v.npy', '--format', fmt)
                self.assertEqual(self.json('read', fmt)['fields'][''], list(range(10)))

    def test_fortran_order_and_other_types(self):
        npy(self.path('f.npy'), [1, 2, 3, 4, 5, 6], shape=(2, 3), fortran=True)
        self.run_tegula('create', 'f', 'f.npy', '--format', 'zarr2')
        self.assertEqual(self.json('read', 'f')['fields'][''], [1, 3, 5, 2, 4, 6])
        npy(self.path('w.npy'), [7.0, 8.0, 9.0], 'd', '<f8')
        self.run_tegula('write', 'f', 'w.npy', '--select', '[1]')
        self.assertEqual(self.json('read', 'f')['fields'][''], [1, 3, 5, 7, 8, 9])
        npy(self.path('x.npy'), [0.5, 8.0, 9.0], 'd', '<f8')
        self.fails(2, 'does not fit', 'write', 'f', 'x.npy', '--select', '[1]')

    def test_write_selection(self):
        grid = self.grid()
        npy(self.path('row.npy'), [100, 101, 102, 103])
        self.run_tegula('write', grid, 'row.npy', '--select', '[2]')
        self.assertEqual(self.json('read', grid, '--select', '[1:4, 0]')['fields'][''], [4, 100, 12])
        self.fails(2, 'shape', 'write', grid, 'row.npy')
        self.fails(2, 'end in', 'write', grid, 'row.txt')
        self.assertEqual(self.json('read', grid, '--select', '[0]')['fields'][''], [0, 1, 2, 3])

    def test_append(self):
        for fmt in ('bcolz', 'zarr2', 'zarr3'):
            with self.subTest(fmt):
                npy(self.path('v.npy'), range(10))
                self.run_tegula('create', fmt, 'v.npy', '--format', fmt, '--tile', '4')
                self.run_tegula('append', fmt, 'v.npy')
                self.assertEqual(self.json('read', fmt)['fields'][''], [*range(10), *range(10)])

    def test_tables(self):
        pathlib.Path(self.path('people.csv')).write_text('name,age\nAda,36\n"Grace, B.",85\n')
        self.run_tegula('create', 'people', 'people.csv', '--format', 'bcolz', '--table', '-a', 'name:S12', '-a', 'age:int32')
        pathlib.Path(self.path('more.json')).write_text('[{"name": "Alan", "age": 41}]')
        self.run_tegula('append', 'people', 'more.json')
        self.assertEqual(self.json('read', 'people')['fields'], {'name': ['Ada', 'Grace, B.', 'Alan'], 'age': [36, 85, 41]})
        self.assertEqual(self.json('read', 'people', '--where', 'age > 40', '--fields', 'name')['fields'], {'name': ['Grace, B.', 'Alan']})
        self.assertEqual(self.out('read', 'people', '--csv', '--limit', '2'), 'name,age\nAda,36\n"Grace, B.",85\n')
        self.assertEqual(self.json('read', 'people', '--agg', 'count(), hi = max(age)')['fields'], {'count()': [3], 'hi': [85]})
        pathlib.Path(self.path('bad.csv')).write_text('name,age\nBob,old\n')
        self.fails(2, 'line 2', 'append', 'people', 'bad.csv')
        pathlib.Path(self.path('short.csv')).write_text('name\nBob\n')
        self.fails(2, "no field 'age'", 'append', 'people', 'short.csv')
        self.assertEqual(len(self.json('read', 'people')['fields']['age']), 3)

    def test_sparse_history(self):
        self.run_tegula('create', 'events', '--format', 'tiledb', '--sparse', '-d', 'x:int32:1:100:10', '-d', 'who:ascii', '-a', 'v:float64', '-a', 'note:utf8:var:nullable')
        pathlib.Path(self.path('one.csv')).write_text('x,who,v,note\n5,b,1.5,first\n2,a,2.5,\n')
        pathlib.Path(self.path('two.json')).write_text('{"x": [5], "who": ["b"], "v": ["nan"], "note": ["second"]}')
        self.run_tegula('write', 'events', 'one.csv', '--at', '1000')
        self.run_tegula('write', 'events', 'two.json', '--at', '2000')
        self.assertEqual(self.json('read', 'events', '--order', 'row')['fields'], {'x': [2, 5], 'who': ['a', 'b'], 'v': [2.5, 'nan'], 'note': [None, 'second']})
        self.assertEqual(self.json('read', 'events', '--order', 'row', '--at', '1500')['fields']['note'], [None, 'first'])
        self.assertEqual(self.json('read', 'events', '--at', '1500:')['fields']['x'], [5])
        self.assertEqual(self.json('read', 'events', '--range', 'x=1:3', '--range', 'who=a:z')['fields']['x'], [2])
        self.assertEqual([(f['first_time'], f['cells']) for f in self.json('fragments', 'events')], [(1000, 2), (2000, 1)])
        self.assertIn('everything decodes', self.out('verify', 'events'))
        done = self.fails(3, 'nulls', 'convert', 'events', 'table', '--to', 'bcolz')
        self.assertIn('history of 2 fragments', done.stderr)
        self.assertFalse(os.path.exists(self.path('table')))

    def test_typed_metadata(self):
        self.run_tegula('create', 't', '--format', 'tiledb', '--shape', '4', '--type', 'int32', '--tile', '2')
        self.run_tegula('meta', 'set', 't', 'units', 'K')
        self.run_tegula('meta', 'set', 't', 'scale', '[1, 2]', '--type', 'float32')
        self.assertEqual(self.json('meta', 'list', 't'), {'scale': {'type': 'float32', 'value': [1.0, 2.0]}, 'units': {'type': 'utf8', 'value': 'K'}})
        self.assertEqual(self.out('meta', 'get', 't', 'units'), 'K\n')
        self.fails(2, 'does not fit', 'meta', 'set', 't', 'n', '300', '--type', 'uint8')

    def test_encryption(self):
        npy(self.path('v.npy'), range(10))
        key = '00112233445566778899aabbccddeeff' * 2
        self.run_tegula('create', 'secret', 'v.npy', '--format', 'tiledb', '--tile', '4', '--key', key)
        self.assertEqual(self.json('read', 'secret', '--key', key)['fields'][''], list(range(10)))
        self.fails(2, 'give the key', 'read', 'secret')
        self.run_tegula('read', 'secret', '--key', key.replace('0', '1'), code=3)
        for name, contents in (('digits', key.encode() + b'\n'), ('bytes', bytes.fromhex(key))):
            pathlib.Path(self.path(name)).write_bytes(contents)
            self.assertEqual(self.json('read', 'secret', '--key-file', name)['fields'][''], list(range(10)))
        self.run_tegula('create', 'other', 'v.npy', '--format', 'tiledb', '--tile', '4', '--key-file', 'digits')
        self.assertIn('the same', self.out('diff', 'secret', 'other', '--key-file', 'bytes'))
        pathlib.Path(self.path('short')).write_text('00ff')
        self.fails(2, '32', 'read', 'secret', '--key-file', 'short')
        self.fails(3, 'cannot read', 'read', 'secret', '--key-file', 'missing')

    def test_schema_round_trip(self):
        grid = self.grid()
        schema = self.out('info', grid, '--json')
        self.run_tegula('create', 'copy', '--schema', '-', stdin=schema)
        self.assertEqual(self.json('info', 'copy')['dimensions'], json.loads(schema)['dimensions'])
        self.fails(2, 'give no --tile', 'create', 'other', '--schema', '-', '--tile', '3,3', stdin=schema)

    def test_schema_round_trip_of_everything_tiledb_has(self):
        self.run_tegula('create', 't', '--format', 'tiledb', '--sparse', '-d', '__tiledb_rows:int32:0:99:10', '-d', 'y:float64:-1:1:0.5', '-a', 'v:int32:nullable',
                        '--filters', 'none', '--capacity', '7', '--allow-duplicates')
        self.run_tegula('evolve', 't', '--add-enum', 'colours=["red", "blue"]', '--ordered', '--add', 'c:uint8', '--enum', 'colours', '--filters', 'zstd:7')
        self.run_tegula('evolve', 't', '--current-domain', '__tiledb_rows=0:50')
        schema = self.out('info', 't', '--json')
        self.run_tegula('create', 'copy', '--schema', '-', stdin=schema)
        old, new = json.loads(schema), self.json('info', 'copy')
        self.assertEqual(old['enumerations'][0]['values'], ['red', 'blue'])
        self.assertEqual(old['current_domain'][0], [0, 50])
        self.assertEqual({**old, 'uri': ''}, {**new, 'uri': ''})

    def test_metadata(self):
        grid = self.grid()
        self.run_tegula('meta', 'set', grid, 'units', 'K')
        self.run_tegula('meta', 'set', grid, 'range', '[1, 2.5]')
        self.assertEqual(self.json('meta', 'list', grid), {'range': [1, 2.5], 'units': 'K'})
        self.assertEqual(self.out('meta', 'get', grid, 'range'), '[1, 2.5]\n')
        self.run_tegula('meta', 'del', grid, 'range', '--dry-run')
        self.run_tegula('meta', 'del', grid, 'units')
        self.assertEqual(list(self.json('meta', 'list', grid)), ['range'])
        self.fails(3, "no metadata 'units'", 'meta', 'get', grid, 'units')
        self.fails(2, 'no JSON', 'meta', 'set', grid, 'x', '{"a":')

    def test_bad_schemas(self):
        for args in ([], ['--format', 'zarr9', '--shape', '3', '--type', 'int32'], ['--format', 'zarr2'], ['--format', 'zarr2', '--shape', '3'],
                     ['--format', 'zarr2', '--shape', '3', '--type', 'quaternion'], ['--format', 'zarr2', '--shape', '3,x', '--type', 'int32'],
                     ['--format', 'zarr2', '--shape', '3', '--type', 'int32', '--tile', '0'], ['--format', 'zarr2', '--shape', '3', '--type', 'int32', '--tile', '1,1'],
                     ['--format', 'zarr2', '--shape', '3', '--type', 'int32', '--fill', 'x']):
            with self.subTest(args):
                self.run_tegula('create', 'new', *args, code=2)
                self.assertFalse(os.path.exists(self.path('new')))

    def test_slips_in_schemas(self):
        """A member that nobody knows would mean another array than its author thinks."""
        right = {'format': 'tiledb', 'kind': 'sparse', 'dimensions': [{'name': 'x', 'type': 'int32', 'domain': [0, 9]}],
                 'attributes': [{'name': 'a', 'type': 'int32'}]}
        self.run_tegula('create', 'right', '--schema', '-', stdin=json.dumps(right))
        for slip, said in (({'sparse': True}, "has no 'sparse'; known: format, kind"), ({'kind': 'spares'}, 'there are dense, sparse'),
                           ({'dimensions': [{**right['dimensions'][0], 'tiles': 3}]}, "a dimension has no 'tiles'"),
                           ({'attributes': [{**right['attributes'][0], 'null': True}]}, "an attribute has no 'null'")):
            with self.subTest(slip):
                self.fails(2, said, 'create', 'new', '--schema', '-', stdin=json.dumps({**right, **slip}))
                self.assertFalse(os.path.exists(self.path('new')))


class Pictures(CommandTest):
    def test_png_and_ascii(self):
        grid = self.grid()
        self.run_tegula('plot', grid, '--out', 'p.png', '--width', '300', '--height', '200')
        data = pathlib.Path(self.path('p.png')).read_bytes()
        self.assertEqual(data[:8], b'\x89PNG\r\n\x1a\n')
        self.assertEqual(struct.unpack('>II', data[16:24]), (300, 200))
        lines = self.out('plot', grid, '--ascii').splitlines()
        self.assertEqual((len(lines), lines[-1][-1]), (7, '@'))
        self.assertEqual(len(self.out('plot', grid, '--ascii', '--select', '[0]', '--height', '5').splitlines()), 6)
        self.fails(2, '--out', 'plot', grid)

    def test_numbers_that_have_no_place(self):
        npy(self.path('v.npy'), [-1.5e308, 1.7e308, float('inf'), float('-inf'), float('nan'), 5e-324], 'd', '<f8')
        npy(self.path('g.npy'), [-1.5e308, 1.7e308, float('inf'), 5e-324], 'd', '<f8', shape=(2, 2))
        npy(self.path('tiny.npy'), [0, 5e-324], 'd', '<f8')
        for name in ('v', 'g', 'tiny'):
            self.run_tegula('create', name, name + '.npy', '--format', 'zarr3')
        self.run_tegula('create', 's', '--format', 'tiledb', '--sparse', '-d', 'x:int64:0:4000000000000000000:10', '-d', 'y:int64:0:99:10', '-a', 'v:int32:nullable')
        at = 1600000000000000000
        self.run_tegula('write', 's', '-', '--as', 'json', stdin=json.dumps({'x': [at, at + 700], 'y': [1, 2], 'v': [None, 3]}))
        for name in ('v', 'g', 'tiny', 's'):
            with self.subTest(name):
                self.run_tegula('plot', name, '--out', name + '.png')
                self.run_tegula('plot', name, '--ascii')

    def test_axes_show_coordinates(self):
        self.run_tegula('create', 't', '--format', 'tiledb', '-d', 'x:int32:-50:49:10', '-a', 'v:int32')
        pictures = set()
        for part in (['--range', 'x=-50:-41'], ['--range', 'x=0:9'], ['--select', '[0:10]'], ['--select', '[50:60]'], ['--select', '[59:49:-1]']):
            self.run_tegula('plot', 't', *part, '--out', 'p.png')
            pictures.add(pathlib.Path(self.path('p.png')).read_bytes())
        self.assertEqual(len(pictures), 3)  # two parts are named twice, once from either end

    def test_tour(self):
        text = self.out('tour')
        self.assertIn('$ tegula verify', text)
        self.assertIn('1 place is damaged', text)


class Arrow(CommandTest):
    def test_file_frame(self):
        grid = self.grid()
        self.run_tegula('read', grid, '--arrow', 'a.arrow')
        data = pathlib.Path(self.path('a.arrow')).read_bytes()
        self.assertEqual((data[:8], data[-6:]), (b'ARROW1\0\0', b'ARROW1'))
        footer = struct.unpack('<I', data[-10:-6])[0]
        self.assertLess(footer, len(data))
        self.assertIn(struct.pack('<24i', *range(24)), data)

    def test_round_trip(self):
        self.run_tegula('create', 'from', '--format', 'tiledb', '--sparse', '-d', 'x:int32:1:100:10', '-a', 'v:float64', '-a', 'note:utf8:var:nullable',
                        '-a', 'flag:bool', '-a', 'when:datetime64[ms]', '-a', 'rgb:uint8:3', '-a', 'list:int16:var')
        cells = {'x': [2, 5, 9], 'v': [1.5, 'nan', -2], 'note': ['first', None, ''], 'flag': [True, False, True], 'when': [0, 1000, 86400000],
                 'rgb': [[1, 2, 3], [4, 5, 6], [7, 8, 9]], 'list': [[1], [], [2, 3]]}
        pathlib.Path(self.path('cells.json')).write_text(json.dumps(cells))
        self.run_tegula('write', 'from', 'cells.json')
        self.run_tegula('read', 'from', '--arrow', 'cells.arrow', '--order', 'row')
        self.run_tegula('create', 'to', '--schema', '-', stdin=self.out('info', 'from', '--json'))
        self.run_tegula('write', 'to', 'cells.arrow')
        self.assertIn('the same: 21', self.out('diff', 'from', 'to'))
        data = pathlib.Path(self.path('cells.arrow')).read_bytes()
        pathlib.Path(self.path('cells.arrows')).write_bytes(data[8:])  # the stream form is inside of the file form
        self.run_tegula('create', 'again', 'cells.arrows', '--format', 'tiledb', '--sparse', '-d', 'x:int32:1:100:10')
        self.assertEqual(self.json('read', 'again', '--order', 'row'), self.json('read', 'from', '--order', 'row'))

    def test_tables_and_grids(self):
        pathlib.Path(self.path('people.csv')).write_text('name,age\nAda,36\nGrace,85\n')
        self.run_tegula('create', 'people', 'people.csv', '--format', 'bcolz', '--table', '-a', 'name:S12', '-a', 'age:int32')
        self.run_tegula('read', 'people', '--arrow', 'people.arrow')
        self.run_tegula('append', 'people', 'people.arrow')
        self.assertEqual(self.json('read', 'people')['fields']['age'], [36, 85, 36, 85])
        self.run_tegula('create', 'copy', 'people.arrow', '--format', 'bcolz', '--table')
        self.assertEqual(self.json('read', 'copy')['fields'], {'name': ['Ada', 'Grace'], 'age': [36, 85]})
        grid = self.grid()
        self.run_tegula('read', grid, '--arrow', 'grid.arrow')
        self.run_tegula('create', 'wide', 'grid.arrow', '--format', 'zarr3', '--shape', '6,4', '--type', 'int64')
        self.assertIn('the same', self.out('diff', grid, 'wide'))
        pathlib.Path(self.path('cut.arrow')).write_bytes(pathlib.Path(self.path('grid.arrow')).read_bytes()[:200])
        self.fails(3, 'cut.arrow', 'write', grid, 'cut.arrow')

    def test_stdin(self):
        npy(self.path('v.npy'), range(10))
        done = subprocess.run([TEGULA, 'create', 'v', '-', '--as', 'npy', '--format', 'zarr2'], cwd=self.folder, input=pathlib.Path(self.path('v.npy')).read_bytes(), capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b''))
        self.assertEqual(self.json('read', 'v')['fields'][''], list(range(10)))


if __name__ == '__main__':
    main()
