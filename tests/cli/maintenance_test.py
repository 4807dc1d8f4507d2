#!/usr/bin/env python3
"""Verbs that change, merge and mend arrays."""
import os, pathlib, shutil, time

from harness import CommandTest, main, npy


class Maintaining(CommandTest):
    def events(self, *more):
        self.run_tegula('create', 'events', '--format', 'tiledb', '--sparse', '-d', 'x:int32:1:100:10', '-a', 'v:float64', *more)
        for when, rows in ((1000, '2,1.5\n5,2.5\n'), (2000, '5,3.5\n9,4.5\n')):
            pathlib.Path(self.path('rows.csv')).write_text('x,v\n' + rows)
            self.run_tegula('write', 'events', 'rows.csv', '--at', when)
        return 'events'

    def files(self, name):
        return sorted(str(p.relative_to(self.path(name))) for p in pathlib.Path(self.path(name)).rglob('*'))

    def test_wrong_requests_change_nothing(self):
        events, grid = self.events(), self.grid()
        before = self.files(events), self.files(grid)
        for code, args in ((2, ['evolve', events]), (2, ['evolve', events, '--drop', 'nothing']), (2, ['evolve', events, '--add', 'v:int32']),
                           (2, ['evolve', events, '--add', 'w']), (2, ['evolve', events, '--add', 'w:int32', '--fill', '"x"']), (2, ['evolve', events, '--rename', 'v=w']),
                           (2, ['evolve', events, '--extend-enum', 'e=[1]']), (2, ['evolve', events, '--add-enum', 'e=red']), (2, ['evolve', grid, '--add', 'w:int32']),
                           (2, ['delete', events]), (2, ['delete', events, '--where', 'v > 1', '--fragments', '1:2']), (2, ['delete', events, '--where', 'nothing > 1']),
                           (2, ['delete', events, '--fragments', 'then']), (2, ['upgrade', events, '--format-version', '21']), (2, ['consolidate', events, '--what', 'dust']),
                           (2, ['consolidate', events, '--what', 'commits', '--purge']), (2, ['consolidate', events, '--between', 'x']), (2, ['vacuum', events, '--what', 'dust']),
                           (2, ['rechunk', grid, 'new']), (2, ['repair', grid, '--older-than', 'x']), (3, ['repair', 'missing']), (2, ['group', 'add', events]),
                           (2, ['group', 'create', 'g', '--format', 'bcolz'])):
            with self.subTest(args):
                self.run_tegula(*args, code=code)
        self.assertEqual((self.files(events), self.files(grid)), before)
        self.assertFalse(os.path.exists(self.path('new')))

    def test_evolve(self):
        events = self.events()
        before = self.files(events)
        self.assertIn('would add tag:int32', self.out('evolve', events, '--add', 'tag:int32', '--dry-run'))
        self.assertEqual(self.files(events), before)
        self.assertIn('tag int32', self.out('evolve', events, '--add', 'tag:int32', '--fill', '-1', '--filters', 'zstd:3'))
        self.assertEqual(self.json('read', events, '--order', 'row')['fields']['tag'], [-1, -1, -1])
        report = self.json('evolve', events, '--add-enum', 'colours=["red", "blue"]', '--add', 'colour:uint8', '--enum', 'colours')
        self.assertEqual([a['name'] for a in report['attributes']], ['v', 'tag', 'colour'])
        self.run_tegula('evolve', events, '--extend-enum', 'colours=["green"]')
        self.assertIn('enumeration colours: 3 values', self.out('info', events))
        self.run_tegula('evolve', events, '--drop', 'tag')
        self.assertEqual(list(self.json('read', events)['fields']), ['x', 'v', 'colour'])

    def test_columns_of_a_table(self):
        pathlib.Path(self.path('t.csv')).write_text('a,b\n1,2.5\n3,4.5\n')
        self.run_tegula('create', 't', 't.csv', '--format', 'bcolz', '--table', '-a', 'a:int32', '-a', 'b:float64')
        before = self.files('t')
        for args in (['--add', 'c:int64'], ['--drop', 'a'], ['--rename', 'a=d']):
            self.run_tegula('evolve', 't', *args, '--dry-run')
        self.assertEqual(self.files('t'), before)
        self.run_tegula('evolve', 't', '--add', 'c:int64', '--fill', '7')
        self.run_tegula('evolve', 't', '--rename', 'a=d')
        self.run_tegula('evolve', 't', '--drop', 'b')
        self.assertEqual(self.json('read', 't')['fields'], {'d': [1, 3], 'c': [7, 7]})

    def test_delete(self):
        events = self.events()
        before = self.files(events)
        self.assertEqual(self.json('delete', events, '--where', 'v > 3', '--dry-run')['cells'], 2)
        self.assertEqual(len(self.json('delete', events, '--fragments', '0:1500', '--dry-run')['fragments']), 1)
        self.assertEqual(self.files(events), before)
        self.run_tegula('delete', events, '--where', 'v > 4', '--at', '3000')
        self.assertEqual(self.json('read', events, '--order', 'row')['fields']['x'], [2, 5])
        self.assertEqual(self.json('read', events, '--order', 'row', '--at', '2500')['fields']['x'], [2, 5, 9])
        self.assertIn('removed', self.out('delete', events, '--fragments', '0:1500'))
        self.assertEqual(self.json('read', events, '--order', 'row')['fields']['x'], [5])
        self.assertIn('nothing changed', self.out('delete', events, '--fragments', '0:1500'))

    def test_consolidate_and_vacuum(self):
        events = self.events()
        before = self.files(events)
        plan = self.json('consolidate', events, '--dry-run')['merged']
        self.assertEqual([(len(one['inputs']), one['outputs'], one['cells']) for one in plan], [(2, [], 4)])
        self.assertEqual(self.json('vacuum', events, '--dry-run')['removed'], [])
        self.assertEqual(self.files(events), before)
        self.assertIn('merged 2 fragments', self.out('consolidate', events))
        self.assertEqual(self.json('read', events, '--order', 'row')['fields'], {'x': [2, 5, 9], 'v': [1.5, 3.5, 4.5]})
        merged = self.files(events)
        self.assertEqual(len(self.json('vacuum', events, '--dry-run', '--what', 'fragments')['removed']) > 0, True)
        self.assertEqual(self.files(events), merged)
        self.assertIn('removed', self.out('vacuum', events))
        self.assertEqual(self.json('read', events, '--order', 'row')['fields']['v'], [1.5, 3.5, 4.5])
        self.assertEqual(self.json('read', events, '--order', 'row', '--at', '1500')['fields']['v'], [1.5, 2.5])
        self.assertEqual(len(self.json('fragments', events)), 1)
        self.assertIn('everything decodes', self.out('verify', events))
        self.assertEqual(self.out('consolidate', events), 'nothing to merge\n')

    def test_groups(self):
        self.grid('one', 'tiledb')
        self.run_tegula('group', 'create', 'g', '--dry-run')
        self.assertFalse(os.path.exists(self.path('g')))
        self.run_tegula('group', 'create', 'g')
        self.assertEqual(self.json('ls', 'g'), [])
        self.run_tegula('group', 'add', 'g', self.path('one'), '--name', 'first', '--dry-run')
        self.assertEqual(self.json('ls', 'g'), [])
        self.run_tegula('group', 'add', 'g', self.path('one'), '--name', 'first')
        self.assertEqual([(m['name'], m['kind']) for m in self.json('ls', 'g')], [('first', 'array')])
        self.fails(2, 'already', 'group', 'add', 'g', self.path('one'), '--name', 'first')
        self.fails(3, 'neither', 'group', 'add', 'g', 'nothing')
        self.fails(3, 'no member', 'group', 'remove', 'g', 'second')
        self.run_tegula('group', 'remove', 'g', 'first')
        self.assertEqual(self.json('ls', 'g'), [])
        self.assertTrue(os.path.exists(self.path('one')))

    def test_consolidated_metadata_of_groups(self):
        for fmt, copy in (('zarr2', '.zmetadata'), ('zarr3', 'zarr.json')):
            with self.subTest(format=fmt):
                self.run_tegula('group', 'create', fmt, '--format', fmt)
                self.run_tegula('create', fmt + '/p/q', '--shape', '6', '--type', 'int32', '--format', fmt)
                self.run_tegula('consolidate', fmt, '--dry-run')
                self.assertFalse(os.path.exists(self.path(fmt, '.zmetadata')))
                self.assertIn('consolidated', self.out('consolidate', fmt))
                self.run_tegula('create', fmt + '/new/one', '--shape', '6', '--type', 'int32', '--format', fmt)
                self.assertIn('new/one', self.text_of(fmt, copy))
                self.assertNotIn('note', self.out('verify', fmt))
                shutil.rmtree(self.path(fmt + '/new/one'))
                self.assertIn('new/one', self.out('verify', fmt))
                self.run_tegula('consolidate', fmt)
                self.assertNotIn('note', self.out('verify', fmt))
                self.fails(2, 'only the metadata', 'consolidate', fmt, '--what', 'commits')

    def text_of(self, *names):
        return pathlib.Path(self.path(*names)).read_text()

    def test_metadata_of_groups(self):
        for fmt, units, pair in (('tiledb', {'type': 'utf8', 'value': 'K'}, {'type': 'int64', 'value': [1, 2]}), ('zarr2', 'K', [1, 2]), ('zarr3', 'K', [1, 2])):
            with self.subTest(fmt):
                self.run_tegula('group', 'create', fmt, '--format', fmt)
                self.run_tegula('meta', 'set', fmt, 'units', 'K')
                self.run_tegula('meta', 'set', fmt, 'pair', '[1, 2]')
                before = self.files(fmt)
                self.assertIn('would set', self.out('meta', 'set', fmt, 'pair', '3', '--dry-run'))
                self.assertIn('would remove', self.out('meta', 'del', fmt, 'pair', '--dry-run'))
                self.fails(3, 'nothing changed', 'meta', 'del', fmt, 'absent')
                self.assertEqual(self.files(fmt), before)
                self.assertEqual(self.json('meta', 'list', fmt), {'units': units, 'pair': pair})
                self.assertEqual(self.json('meta', 'get', fmt, 'units'), 'K')
                self.run_tegula('meta', 'del', fmt, 'pair')
                self.assertEqual(self.json('meta', 'list', fmt), {'units': units})
        self.fails(2, '--type', 'meta', 'set', 'zarr3', 'n', '1', '--type', 'int32')
        self.grid('folder/member', 'zarr2')
        self.fails(3, 'tegula group create', 'meta', 'set', 'folder', 'units', 'K')
        self.run_tegula('group', 'create', 'folder', '--format', 'zarr2')
        self.run_tegula('meta', 'set', 'folder', 'units', 'K')
        self.assertEqual(self.json('meta', 'list', 'folder'), {'units': 'K'})

    def test_upgrade(self):
        self.run_tegula('create', 'old', '--format', 'tiledb', '--shape', '4', '--type', 'int32', '--tile', '2', '--format-version', '12')
        before = self.files('old')
        self.assertEqual(self.json('upgrade', 'old', '--dry-run'), {'uri': 'old', 'dry_run': True, 'from': 12, 'to': 22})
        self.assertEqual(self.files('old'), before)
        self.run_tegula('upgrade', 'old')
        self.assertIn('format version 22', self.out('info', 'old'))

    def test_repair_removes_old_leftovers(self):
        for name, make in (('events', self.events), ('grid', self.grid)):
            with self.subTest(name):
                make()
                leftovers = ['.tegula-00112233']
                pathlib.Path(self.path(name, leftovers[0])).write_text('half')
                if name == 'events':
                    leftovers.append('__fragments/__3000_3000_0123456789abcdef0123456789abcdef_22')
                    os.mkdir(self.path(name, leftovers[1]))
                self.assertIn('a writer may be at work', self.out('repair', name))
                self.assertEqual(self.json('repair', name)['removed'], [])
                an_hour_ago = time.time() - 3700
                for item in leftovers:
                    os.utime(self.path(name, item), (an_hour_ago, an_hour_ago))
                self.assertEqual(self.json('repair', name, '--dry-run')['removed'], leftovers)
                for item in leftovers:
                    self.assertTrue(os.path.exists(self.path(name, item)))
                self.assertIn('removed .tegula-00112233', self.out('repair', name))
                for item in leftovers:
                    self.assertFalse(os.path.exists(self.path(name, item)))
                self.assertEqual(self.json('verify', name)['problems'], [])

    def test_repair_gives_up_rows_of_a_cut_table(self):
        npy(self.path('v.npy'), range(10))
        self.run_tegula('create', 'v', 'v.npy', '--format', 'bcolz', '--tile', '4')
        os.remove(self.path('v', 'data', '__2.blp'))
        self.assertIn('repair removes these rows', self.out('verify', 'v', code=1))
        self.run_tegula('repair', 'v', '--dry-run', code=1)
        self.run_tegula('verify', 'v', code=1)
        self.assertIn('8 rows are counted now', self.out('repair', 'v'))
        self.assertEqual(self.json('read', 'v')['fields'][''], list(range(8)))
        self.run_tegula('verify', 'v')


if __name__ == '__main__':
    main()
