#!/usr/bin/env python3
"""Copies from format to format."""
import json, os, pathlib, shutil, subprocess

from harness import FORMATS, TEGULA, CommandTest, main, npy


class Converting(CommandTest):
    def test_every_pair(self):
        for source in FORMATS:
            self.grid(source, source, tile='2,4' if source == 'bcolz' else '2,2')
            for target in FORMATS:
                with self.subTest(f'{source} to {target}'):
                    name = f'{source}-{target}'
                    self.run_tegula('convert', source, name, '--to', target, '--verify')
                    self.assertIn('the same: 24', self.out('diff', source, name))

    def test_every_pair_of_other_types(self):
        values = {'bool': [True, False, True, True], '>i4': [-1, 2, -3, 4], 'float64': [1.5, 'nan', 'inf', -0.0],
                  'S5': ['a', 'bcdef', '', 'g'], 'U3': ['a', 'é', '', 'xyz'], 'datetime64[s]': [0, 1, 86400, -5]}
        for kind, cells in values.items():
            pathlib.Path(self.path('cells.json')).write_text(json.dumps({'': cells}))
            self.run_tegula('create', f'{kind}-zarr2', 'cells.json', '--format', 'zarr2', '--shape', '4', '--type', kind, '--tile', '3')
            for source in FORMATS:
                if source != 'zarr2':
                    self.run_tegula('convert', f'{kind}-zarr2', f'{kind}-{source}', '--to', source)
            for source in FORMATS:
                for target in FORMATS:
                    with self.subTest(f'{kind}: {source} to {target}'):
                        shutil.rmtree(self.path('copy'), ignore_errors=True)
                        self.run_tegula('convert', f'{kind}-{source}', 'copy', '--to', target)
                        self.assertIn('the same: 4', self.out('diff', f'{kind}-zarr2', 'copy'))

    def test_tables_and_sparse_arrays(self):
        pathlib.Path(self.path('t.csv')).write_text('name,age\nAda,36\nGrace,85\nAlan,41\n')
        self.run_tegula('create', 't', 't.csv', '--format', 'bcolz', '--table', '-a', 'name:S12', '-a', 'age:int32', '--tile', '2')
        self.run_tegula('convert', 't', 't.tdb', '--to', 'tiledb', '--verify')
        self.run_tegula('convert', 't.tdb', 'again', '--to', 'bcolz', '--verify')
        self.assertIn('the same: 6', self.out('diff', 't', 'again'))
        self.run_tegula('create', 's', '--format', 'tiledb', '--sparse', '-d', 'x:int32:1:100:10', '-d', 'who:ascii', '-a', 'v:float64', '-a', 'note:utf8:var:nullable')
        pathlib.Path(self.path('s.csv')).write_text('x,who,v,note\n5,b,1.5,first\n2,a,2.5,\n')
        self.run_tegula('write', 's', 's.csv')
        self.run_tegula('convert', 's', 's2', '--format-version', '18', '--verify')
        self.assertIn('the same: 8', self.out('diff', 's', 's2'))

    def test_chunks_longer_than_their_axis(self):
        for fmt in ('bcolz', 'zarr0', 'zarr1', 'zarr2', 'zarr3'):
            with self.subTest(fmt):
                grid = self.grid(f'small-{fmt}', fmt, tile='100,4' if fmt == 'bcolz' else '100,100')
                self.run_tegula('convert', grid, f'{fmt}.tdb', '--to', 'tiledb', '--verify')
                self.assertEqual([d['tile'] for d in self.json('info', f'{fmt}.tdb')['dimensions']], [6, 4])

    def test_unnamed_attributes_of_old_versions(self):
        npy(self.path('v.npy'), range(6))
        self.run_tegula('create', 'old', 'v.npy', '--format', 'tiledb', '--format-version', '3')
        self.run_tegula('convert', 'old', 'new', '--format-version', '22', '--verify')
        self.assertEqual(self.json('read', 'new')['fields'], {'': list(range(6))})
        self.run_tegula('convert', 'new', 'old again', '--format-version', '4', '--verify')

    def test_small_types_have_room_behind_their_largest_value(self):
        """As libtiledb sees it: the last tile of 0..120 ends at 129."""
        self.run_tegula('create', 'small', '--format', 'tiledb', '--dim', 'x:int8:0:120:10', '--type', 'int16')
        npy(self.path('v.npy'), range(121))
        self.run_tegula('write', 'small', 'v.npy')
        self.run_tegula('convert', 'small', 'copy', '--verify')
        self.assertEqual(self.json('read', 'copy')['fields'][''], list(range(121)))

    def test_spoiled_chunks_are_mended_on_the_way(self):
        """bcolz 0.12 wrote chunks that only those who know of it can read."""
        array, _ = self.corpus_case('bcolz/v0.12.1-rescue-lz4')
        self.run_tegula('convert', array, 'copy', '--verify')
        self.assertIn('the same', self.out('diff', array, 'copy'))

    def test_a_copy_takes_the_place_of_its_source(self):
        """With every spelling of the same folder, once it is whole; never inside it or around it."""
        npy(self.path('v.npy'), range(24), shape=(6, 4))
        os.symlink(self.path('own'), self.path('link'))
        for fmt in ('zarr3', 'tiledb'):
            self.run_tegula('create', 'own', 'v.npy', '--format', fmt, '--tile', '2,2', '--overwrite')
            tiles = [['3', '4'], ['2', '2']]
            for target in ('own', './own/', self.path('own'), 'file://' + self.path('own'), 'link'):
                tile = tiles[0]
                tiles.reverse()
                self.fails(2, 'has to go elsewhere', 'rechunk', 'own', target, '--tile', ','.join(tile))
                self.assertIn('24 values compared, 0 differ', self.out('rechunk', 'own', target, '--tile', ','.join(tile), '--overwrite'))
                self.assertEqual([str(d['tile']) for d in self.json('info', 'own')['dimensions']], tile)
                self.assertEqual(self.json('read', 'own')['fields'][''], list(range(24)))
            for target in ('own/inside', '.'):
                self.fails(2, 'has to go elsewhere', 'convert', 'own', target, '--overwrite')
                self.assertEqual(self.json('read', 'own')['fields'][''], list(range(24)))
        self.assertEqual(sorted(os.listdir(self.folder)), ['link', 'own', 'v.npy'])

    def test_failed_overwrites_leave_what_was_there(self):
        """Of every format, by every verb; and one format over another works."""
        npy(self.path('v.npy'), range(24), shape=(6, 4))
        npy(self.path('new.npy'), range(100, 124), shape=(6, 4))
        pathlib.Path(self.path('bad.npy')).write_bytes(pathlib.Path(self.path('new.npy')).read_bytes()[:-7])
        for old in FORMATS:
            for new in FORMATS:
                self.run_tegula('create', 'a', 'v.npy', '--format', old, '--overwrite')
                self.run_tegula('create', 'a', 'bad.npy', '--format', new, '--overwrite', code=3)
                self.assertEqual(self.json('read', 'a')['fields'][''], list(range(24)), (old, new))
                self.run_tegula('create', 'b', 'new.npy', '--format', new, '--overwrite')
                self.run_tegula('convert', 'b', 'a', '--overwrite', '--verify')
                self.assertEqual(self.json('read', 'a')['fields'][''], list(range(100, 124)), (old, new))
                self.assertEqual(self.json('info', 'a')['format'], new)
        self.assertEqual(sorted(n for n in os.listdir(self.folder) if n.startswith('.')), [])
        os.mkdir(self.path('papers'))
        pathlib.Path(self.path('papers', 'letter')).write_text('dear')
        for fmt in FORMATS:
            self.run_tegula('create', 'papers', 'v.npy', '--format', fmt, '--overwrite', code=2)
        self.assertEqual(os.listdir(self.path('papers')), ['letter'])

    def test_an_unfinished_copy_is_refused(self):
        grid = self.grid('grid', 'zarr2')
        self.run_tegula('convert', grid, 'copy', '--to', 'zarr3')
        # As it is when the second half was not copied.
        pathlib.Path(self.path('copy', '.tegula-conversion')).write_text(json.dumps({'source': 'grid', 'target': 'x', 'block_cells': 1, 'blocks': 2, 'done': 1}))
        for verb in (['read'], ['info'], ['head'], ['stats'], ['convert', 'copy', 'other']):
            verb = verb if len(verb) > 1 else [*verb, 'copy']
            self.fails(3, 'unfinished copy', *verb)
        self.assertFalse(os.path.exists(self.path('other')))
        self.assertIn('unfinished conversion', self.out('verify', 'copy', code=1))
        self.run_tegula('convert', grid, 'copy', '--to', 'zarr3', '--overwrite', '--verify')
        self.assertIn('the same', self.out('diff', grid, 'copy'))

    def test_torn_tables_say_so(self):
        pathlib.Path(self.path('t.csv')).write_text('a,b\n1,10\n2,20\n3,30\n')
        kind = ['--format', 'bcolz', '--table', '-a', 'a:int32', '-a', 'b:int32']
        self.run_tegula('create', 't', 't.csv', *kind)
        sizes = pathlib.Path(self.path('t', 'b', 'meta', 'sizes'))
        before = sizes.read_bytes()
        self.run_tegula('append', 't', 't.csv')
        sizes.write_bytes(before)
        torn = "all columns have 3 rows, and more have 'a' (6)"
        self.assertIn(torn, self.run_tegula('read', 't').stderr)
        self.assertIn(torn, self.json('info', 't')['warnings'][0])
        self.assertIn(torn, self.json('convert', 't', 'u', '--to', 'tiledb')['warnings'][0])
        self.assertEqual(self.run_tegula('read', 'u').stderr, '')

    def test_trees(self):
        """Groups, folders and fields, of several formats, any depth."""
        pathlib.Path(self.path('t.csv')).write_text('a,b\n1,2.5\n3,4.5\n')
        os.makedirs(self.path('tree', 'deep'))
        self.run_tegula('create', 'tree/table', 't.csv', '--format', 'bcolz', '--table', '-a', 'a:int32', '-a', 'b:float64')
        self.grid('tree/deep/grid', 'zarr2')
        self.run_tegula('group', 'create', 'tree/group', '--format', 'zarr3')
        document = pathlib.Path(self.path('tree', 'group', 'zarr.json'))
        document.write_text(json.dumps({**json.loads(document.read_text()), 'attributes': {'title': 'mine'}}))
        self.grid('tree/group/fine', 'zarr3')
        plan = self.json('convert', 'tree', 'copy', '--to', 'zarr3', '--dry-run')
        paths = ['', 'deep', 'deep/grid', 'group', 'group/fine', 'table', 'table/a', 'table/b']
        self.assertEqual([i['path'] for i in plan['items']], paths)
        self.assertFalse(os.path.exists(self.path('copy')))
        self.assertIn('52 values compared, 0 differ', self.out('convert', 'tree', 'copy', '--to', 'zarr3', '--verify'))
        self.assertIn('the same', self.out('diff', 'tree/deep/grid', 'copy/deep/grid'))
        self.assertEqual(json.loads(pathlib.Path(self.path('copy', 'group', 'zarr.json')).read_text())['attributes'], {'title': 'mine'})
        self.fails(2, 'something already', 'convert', 'tree', 'copy', '--to', 'zarr3')
        self.assertTrue(self.json('convert', 'tree', 'copy', '--to', 'tiledb', '--verify', '--overwrite')['same'])
        self.assertEqual(self.json('read', 'copy/table')['fields'], {'a': [1, 3], 'b': [2.5, 4.5]})
        self.assertEqual([m['name'] for m in self.json('ls', 'copy')], ['deep', 'group', 'table'])
        self.assertEqual(sorted(n for n in os.listdir(self.folder) if n.startswith('.')), [])

    def test_copies_of_unfiltered_arrays_have_no_filters(self):
        npy(self.path('v.npy'), range(24), shape=(6, 4))
        self.run_tegula('create', 'bare', 'v.npy', '--format', 'tiledb', '--filters', 'none', '--tile', '2,2')
        self.assertIn('6 tiles copied as they are', self.out('convert', 'bare', 'copy', '--verify'))
        self.assertEqual(self.json('info', 'copy')['attributes'][0]['filters'], [])

    def test_lists_of_texts_do_not_go_to_tiledb(self):
        array, _ = self.corpus_case('bcolz/ctable-nd-columns')
        self.fails(3, "'pair': its cells are lists of 2 texts", 'convert', array, 'copy', '--to', 'tiledb')
        self.assertFalse(os.path.exists(self.path('copy')))
        self.run_tegula('convert', array, 'vectors', '--to', 'tiledb', '--field', 'vec', '--verify')

    def test_orders_of_old_versions(self):
        """libtiledb up to 2.9 stored cells of mixed dimensions, and up to 2.2 those on a Hilbert curve, in an order of its own."""
        for name in 'v05/sparse_dim_types', 'v13/sparse_dim_types', 'v07/sparse_hilbert':
            with self.subTest(name):
                array, _ = self.corpus_case('tiledb/' + name)
                self.run_tegula('convert', array, 'copy', '--verify', '--overwrite')
                self.run_tegula('convert', array, 'same', '--verify', '--overwrite', '--format-version', '16')
                self.assertIn('the same', self.out('diff', 'copy', 'same'))

    def test_rechunk_keeps_the_options_of_codecs(self):
        """zarr-python 3 writes zstd with a flag of whether there are checksums."""
        for fmt, flag in (('zarr2', True), ('zarr2', False), ('zarr3', True), ('zarr3', False)):
            with self.subTest((fmt, flag)):
                grid = self.grid(f'{fmt}-{flag}', fmt)
                self.run_tegula('rechunk', grid, 'plain', '--filters', 'zstd:3', '--overwrite')
                document = pathlib.Path(self.path('plain', '.zarray' if fmt == 'zarr2' else 'zarr.json'))
                meta = json.loads(document.read_text())
                zstd = meta['compressor'] if fmt == 'zarr2' else meta['codecs'][-1]['configuration']
                zstd['checksum'] = flag
                document.write_text(json.dumps(meta))
                self.run_tegula('rechunk', 'plain', 'finer', '--tile', '3,3', '--verify', '--overwrite')
                meta = json.loads(pathlib.Path(self.path('finer', document.name)).read_text())
                zstd = meta['compressor'] if fmt == 'zarr2' else meta['codecs'][-1]['configuration']
                self.assertIs(zstd.get('checksum', False), flag)
                self.assertEqual(zstd['level'], 3)

    def test_rechunk(self):
        grid = self.grid()
        self.run_tegula('convert', grid, 'finer', '--tile', '3,1', '--verify')
        self.assertEqual([d['tile'] for d in self.json('info', 'finer')['dimensions']], [3, 1])

    def test_rechunk_verb(self):
        grid = self.grid()
        self.assertEqual(self.json('rechunk', grid, 'finer', '--tile', '3,1', '--dry-run')['dimensions'][0]['tile'], 3)
        self.assertFalse(os.path.exists(self.path('finer')))
        self.assertIn('24 values compared, 0 differ', self.out('rechunk', grid, 'finer', '--tile', '3,1', '--verify'))
        self.assertIn('the same', self.out('diff', grid, 'finer'))

    def test_chunks_are_passed_through(self):
        self.grid('a', 'zarr2')
        self.assertIn('6 chunks copied as they are', self.out('convert', 'a', 'b', '--to', 'zarr3', '--verify'))
        self.assertEqual(pathlib.Path(self.path('a', '1.1')).read_bytes(), pathlib.Path(self.path('b', 'c', '1', '1')).read_bytes())
        self.assertEqual(self.json('convert', 'a', 'c', '--tile', '3,3')['chunks_passed'], 0)

    def test_chunks_of_bcolz_are_passed_through(self):
        self.grid('a', 'bcolz', tile='4,4')
        self.assertIn('2 chunks copied as they are', self.out('convert', 'a', 'b', '--verify'))
        for name in ('__0.blp', '__1.blp'):
            self.assertEqual(pathlib.Path(self.path('a', 'data', name)).read_bytes(), pathlib.Path(self.path('b', 'data', name)).read_bytes())
        self.assertEqual(self.json('convert', 'a', 'c', '--filters', 'blosc:zstd:5:shuffle', '--verify')['chunks_passed'], 0)

    def test_stronger_compression_is_not_passed_over(self):
        npy(self.path('v.npy'), [i * i % 1000 for i in range(20000)])
        self.run_tegula('create', 'a', 'v.npy', '--format', 'zarr3', '--filters', 'zstd:1')
        self.assertEqual(self.json('rechunk', 'a', 'b', '--filters', 'zstd:19', '--verify')['chunks_passed'], 0)
        self.assertNotEqual(pathlib.Path(self.path('a', 'c', '0')).read_bytes(), pathlib.Path(self.path('b', 'c', '0')).read_bytes())

    def test_tiledb_copies_are_one_fragment_in_little_memory(self):
        self.run_tegula('create', 'big', '--format', 'zarr2', '--shape', '2000,8000', '--type', 'int32', '--tile', '500,500', '--fill', '5')
        for tile in ('500,500', '300,700'):
            target = 'copy' + tile[0]
            process = subprocess.Popen([TEGULA, 'convert', 'big', target, '--to', 'tiledb', '--tile', tile, '--memory', '8MB', '--threads', '2'],
                                       cwd=self.folder, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            self.assertLess(used.ru_maxrss, 48 * 1024, 'KiB; the array has 61 MiB')
            self.assertEqual(len(self.json('fragments', target)), 1)
            stats = self.json('stats', target)['']
            self.assertEqual((stats['cells'], stats['min'], stats['max']), (2000 * 8000, 5, 5))

    def test_names_that_the_target_lacks(self):
        self.run_tegula('create', 't', '--format', 'tiledb', '-d', 'x:int32:0:3:2', '-a', 'v:int32', '--fill', '7')
        for target in ('bcolz', 'zarr2', 'zarr3'):
            self.assertIn('4 values compared, 0 differ', self.out('convert', 't', target, '--to', target, '--verify'))
            self.assertEqual(self.json('read', target)['fields'], {'': [7, 7, 7, 7]})

    def test_single_cells(self):
        self.run_tegula('create', 's', '--format', 'zarr3', '--shape', '[]', '--type', 'int32', '--fill', '7')
        self.run_tegula('convert', 's', 'z', '--to', 'zarr2', '--verify')
        for target in ('tiledb', 'bcolz', 'zarr0'):
            self.fails(3, 'no dimensions', 'convert', 's', 'x', '--to', target)
            self.assertFalse(os.path.exists(self.path('x')))

    def test_lossy_copies_are_verified_too(self):
        self.run_tegula('create', 'n', '--format', 'tiledb', '-d', 'x:int32:1:4:2', '-a', 'v:int32:nullable')
        pathlib.Path(self.path('n.json')).write_text('{"v": [1, null, 3, null]}')
        self.run_tegula('write', 'n', 'n.json')
        self.run_tegula('convert', 'n', 'z', '--to', 'zarr3', code=3)
        self.run_tegula('convert', 'n', 'z', '--to', 'zarr3', '--dry-run', code=1)
        self.assertFalse(os.path.exists(self.path('z')))
        report = self.json('convert', 'n', 'z', '--to', 'zarr3', '--lossy', '--verify')
        self.assertEqual((report['same'], len(report['losses'])), (True, 2))
        self.assertEqual(self.json('read', 'z')['fields'][''], [1, 0, 3, 0])

    def test_diff(self):
        self.grid('a')
        self.grid('b', 'zarr3')
        npy(self.path('one.npy'), [99], shape=())
        self.run_tegula('write', 'b', 'one.npy', '--select', '[1, 2]')
        self.assertEqual(self.out('diff', 'a', 'b', code=1), '[1, 2]: 6 | 99\n1 of 24 values differ\n')
        report = self.json('diff', 'a', 'b', code=1)
        self.assertEqual((report['different'], report['first'][0]['index']), (1, [1, 2]))
        npy(self.path('v.npy'), range(3))
        self.run_tegula('create', 'c', 'v.npy', '--format', 'zarr2')
        self.assertIn('dimensions', self.out('diff', 'a', 'c', code=1))

    def test_tables_have_several_fields(self):
        pathlib.Path(self.path('t.csv')).write_text('a,b\n1,2.5\n3,4.5\n')
        self.run_tegula('create', 't', 't.csv', '--format', 'bcolz', '--table', '-a', 'a:int32', '-a', 'b:float64')
        report = self.json('convert', 't', 'both.zarr', '--to', 'zarr2', '--verify')
        self.assertEqual([(i['path'], i['kind']) for i in report['items']], [('', 'group'), ('a', 'array'), ('b', 'array')])
        self.assertEqual((report['compared'], report['same']), (4, True))
        self.assertEqual(self.json('read', 'both.zarr/a')['fields'][''], [1, 3])
        self.run_tegula('convert', 't', 't.zarr', '--to', 'zarr2', '--field', 'b')
        self.assertEqual(self.json('read', 't.zarr')['fields'][''], [2.5, 4.5])


if __name__ == '__main__':
    main()
