#!/usr/bin/env python3
"""Arrays in zip archives: those that Python's zipfile makes, and those that the command makes."""
import os, pathlib, zipfile

from harness import CommandTest, main


class Archives(CommandTest):
    def zipped(self, name, folder, method=zipfile.ZIP_STORED, top=''):
        with zipfile.ZipFile(self.path(name), 'w', method) as archive:
            for path in sorted(pathlib.Path(self.path(folder)).rglob('*')):
                if path.is_file():
                    archive.write(path, top + str(path.relative_to(self.path(folder))))
        return name

    def test_every_format_is_read(self):
        for fmt in ('tiledb', 'bcolz', 'zarr0', 'zarr1', 'zarr2', 'zarr3'):
            grid = self.grid(fmt, fmt, tile='2,4' if fmt == 'bcolz' else '2,2')
            for method, top in ((zipfile.ZIP_STORED, ''), (zipfile.ZIP_DEFLATED, 'top/')):
                with self.subTest(fmt, method=method):
                    name = self.zipped(f'{fmt}-{method}.zip', grid, method, top)
                    self.assertIn('the same: 24', self.out('diff', grid, name))
                    self.assertEqual(self.json('info', name)['dimensions'], self.json('info', grid)['dimensions'])
                    self.assertEqual(self.json('read', name), self.json('read', grid))
                    self.run_tegula('verify', name)
                    self.run_tegula('convert', name, f'{name}-copy', '--to', 'zarr3', '--verify')
                    self.assertIn('the same: 24', self.out('diff', grid, f'{name}-copy'))

    def test_groups_and_folders_inside(self):
        self.run_tegula('group', 'create', 'all', '--format', 'zarr2')
        for name in ('a', 'b'):
            self.grid(f'all/{name}')
        self.grid('loose/one'), self.grid('loose/two', 'tiledb')
        for folder in ('all', 'loose'):
            with self.subTest(folder):
                name = self.zipped(f'{folder}.zip', folder)
                listed = self.json('ls', name)
                self.assertEqual([item['kind'] for item in listed], ['array', 'array'])
                for item in listed:
                    self.assertEqual(self.json('read', item['uri']), self.json('read', f'{folder}/{item["name"]}'))
                self.assertIn(listed[0]['name'], self.out('tree', name))
        self.assertEqual(self.json('read', 'all.zip!/a'), self.json('read', 'all/a'))
        self.assertEqual(self.json('read', 'zip://all.zip!/a'), self.json('read', 'all/a'))
        os.rename(self.path('all.zip'), self.path('all.data'))
        self.assertEqual(self.json('read', 'all.data!/a'), self.json('read', 'all/a'))

    def test_new_archives(self):
        for fmt in ('zarr2', 'zarr3', 'tiledb', 'bcolz'):
            with self.subTest(fmt):
                grid = self.grid(f'grid-{fmt}', fmt, tile='2,4' if fmt == 'bcolz' else '2,2')
                name = f'{fmt}.zip'
                self.run_tegula('convert', grid, name, '--to', fmt, '--verify')
                self.assertIn('the same: 24', self.out('diff', grid, name))
                with zipfile.ZipFile(self.path(name)) as archive:
                    self.assertIsNone(archive.testzip())
                    self.assertEqual({info.compress_type for info in archive.infolist()}, {zipfile.ZIP_STORED})
                    names = archive.namelist()
                self.assertEqual(len(names), len(set(names)))
                if fmt.startswith('zarr'):
                    self.assertIn(names[0], ('zarr.json', '.zarray'))
                self.fails(2, 'exists already', 'convert', grid, name, '--to', fmt)
                self.run_tegula('convert', grid, name, '--to', fmt, '--overwrite')
        self.grid('made.zip', 'zarr3')
        self.assertIn('the same: 24', self.out('diff', 'made.zip', 'zarr3.zip'))
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith('.tegula')], [])

    def test_what_an_archive_cannot(self):
        self.run_tegula('convert', self.grid(), 'x.zip', '--to', 'zarr2')
        self.fails(3, 'a zip archive is only read', 'write', 'x.zip', 'grid.npy')
        self.fails(3, 'a zip archive is only read', 'meta', 'set', 'x.zip', 'a', '1')
        self.fails(3, 'archives are written whole', 'convert', 'grid', 'x.zip!/inner', '--to', 'zarr2')
        pathlib.Path(self.path('bad.zip')).write_bytes(b'PK\3\4 and nothing else')
        self.fails(3, 'cut short', 'info', 'bad.zip')

    def test_damage_is_found(self):
        self.run_tegula('convert', self.grid(), 'x.zip', '--to', 'zarr2')
        data = pathlib.Path(self.path('x.zip')).read_bytes()
        with zipfile.ZipFile(self.path('x.zip')) as archive:
            chunk = archive.getinfo('0.0')
        at = chunk.header_offset + 30 + len('0.0') + chunk.file_size - 1
        pathlib.Path(self.path('y.zip')).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
        self.fails(3, 'its CRC-32 is', 'read', 'y.zip')
        self.run_tegula('verify', 'y.zip', code=1)


if __name__ == '__main__':
    main()
