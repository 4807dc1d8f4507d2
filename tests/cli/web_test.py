#!/usr/bin/env python3
"""Arrays on web servers: one that behaves, and the others."""
import hashlib, http.server, os, pathlib, re, shutil, sys, threading, urllib.parse

from harness import CommandTest, main


class Web(http.server.BaseHTTPRequestHandler):
    """The first part of a path says how the server is: /ranges, /whole (has no ranges), /token (denies who does not send it), /pages (a
    page in place of what is absent), /hides (403 in place of what is absent), /weak (fails every other request), /denied (403 for
    chunks), /gzip (encodes)."""
    protocol_version = 'HTTP/1.1'
    seen = []
    tries = {}

    def log_message(self, *_):
        pass

    def answer(self, status, body=b'', **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        address, _, query = self.path.partition('?')
        mode, _, path = urllib.parse.unquote(address).lstrip('/').partition('/')
        Web.seen.append((self.command, path, query))
        if mode == 'token' and query != 'key=secret':
            return self.answer(403)
        if mode == 'weak':
            Web.tries[path] = Web.tries.get(path, 0) + 1
            if Web.tries[path] % 2:
                return self.answer(503, Retry_After='0')
        file = pathlib.Path(self.server.root) / path
        if file.is_dir():
            return self.answer(403) if address.endswith('/') else self.answer(301, Location=address + '/')
        if mode == 'denied' and re.search(r'/(c/)?\d[\d./]*$', path):
            return self.answer(403)
        if not file.is_file():
            if mode == 'pages':
                return self.answer(200, b'<html>nothing here</html>', Content_Type='text/html')
            return self.answer(403 if mode == 'hides' else 404)
        data = file.read_bytes()
        tag = f'"{hashlib.md5(data).hexdigest()}"'
        wanted = re.fullmatch(r'bytes=(\d*)-(\d*)', self.headers.get('Range', ''))
        if mode == 'gzip':
            return self.answer(200, data, Content_Encoding='gzip')
        if self.headers.get('If-None-Match') == tag:
            return self.answer(304)
        if mode == 'whole' or not wanted:
            return self.answer(200, data, ETag=tag)
        first, last = wanted.groups()
        start = int(first) if first else max(0, len(data) - int(last))
        stop = min(len(data), int(last) + 1) if first and last else len(data)
        if start >= len(data):
            return self.answer(416, Content_Range=f'bytes */{len(data)}')
        self.answer(206, data[start:stop], ETag=tag, Content_Range=f'bytes {start}-{stop - 1}/{len(data)}')


class WebTest(CommandTest):
    def setUp(self):
        super().setUp()
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Web)
        server.root = self.folder
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.at = f'http://127.0.0.1:{server.server_port}'
        Web.seen, Web.tries = [], {}


class Arrays(WebTest):
    def test_formats_that_need_no_listing(self):
        for fmt in ('bcolz', 'zarr0', 'zarr1', 'zarr2', 'zarr3'):
            grid = self.grid(fmt, fmt, tile='2,4' if fmt == 'bcolz' else '2,2')
            # bcolz must know that no change is unfinished there.
            vague = [] if fmt == 'bcolz' else ['pages', 'hides']
            for mode in ('ranges', 'whole', *vague, *(['weak'] if fmt == 'zarr2' else [])):
                with self.subTest(fmt, mode=mode):
                    self.assertEqual(self.json('read', f'{self.at}/{mode}/{grid}'), self.json('read', grid))
            self.run_tegula('info', f'{self.at}/ranges/{grid}')
            self.fails(3, 'does not list', 'verify', f'{self.at}/ranges/{grid}')
            self.assertIn('the same: 24', self.out('diff', grid, f'{self.at}/ranges/{grid}'))
            self.run_tegula('convert', f'{self.at}/ranges/{grid}', f'{grid}-copy', '--to', 'zarr3')
            self.assertIn('the same: 24', self.out('diff', grid, f'{grid}-copy'))
            self.run_tegula('index', grid)
            self.run_tegula('verify', f'{self.at}/ranges/{grid}')

    def test_tables(self):
        pathlib.Path(self.path('t.csv')).write_text('name,age\nAda,36\nGrace,85\nAlan,41\n')
        self.run_tegula('create', 't', 't.csv', '--format', 'bcolz', '--table', '-a', 'name:S12', '-a', 'age:int32', '--tile', '2')
        for mode in ('ranges', 'whole'):
            self.assertEqual(self.json('read', f'{self.at}/{mode}/t'), self.json('read', 't'))

    def test_an_unwritten_chunk_has_the_fill_value_and_a_denied_one_is_an_error(self):
        self.run_tegula('create', 'holes', '--format', 'zarr3', '--shape', '6,4', '--tile', '2,2', '--type', 'int32', '--fill', '7')
        self.assertEqual(self.json('read', f'{self.at}/ranges/holes'), self.json('read', 'holes'))
        self.grid('g', 'zarr3')
        self.fails(3, 'is not taken for absence', 'read', f'{self.at}/denied/g')
        self.fails(3, 'is not taken for absence', 'read', f'{self.at}/hides/holes')
        self.fails(3, 'sent a page', 'read', f'{self.at}/pages/holes')
        self.fails(3, 'sends it encoded (gzip)', 'read', f'{self.at}/gzip/g')
        self.grid('b', 'bcolz', tile='2,4')
        self.fails(3, 'is not taken for absence', 'read', f'{self.at}/hides/b')
        self.fails(3, 'sent a page', 'read', f'{self.at}/pages/b')

    def test_the_query_is_sent_and_not_shown(self):
        grid = self.grid('g', 'zarr2')
        uri = f'{self.at}/token/{grid}?key=secret'
        self.assertEqual(self.json('read', uri), self.json('read', grid))
        self.assertEqual({query for _, _, query in Web.seen}, {'key=secret'})
        self.assertNotIn('secret', self.run_tegula('read', uri, '--trace-io').stderr)
        done = self.run_tegula('read', f'{self.at}/token/none?key=secret', code=3)
        self.assertNotIn('secret', done.stdout + done.stderr)
        self.fails(3, '403', 'read', f'{self.at}/token/{grid}')

    def test_few_requests(self):
        for fmt, chunk in (('bcolz', 'data/__0.blp'), ('zarr0', '__zdata__/0.0.blosc'), ('zarr1', '0.0'), ('zarr2', '0.0'), ('zarr3', 'c/0/0')):
            with self.subTest(fmt):
                self.grid(fmt, fmt, tile='2,4' if fmt == 'bcolz' else '2,2')
                Web.seen = []
                self.run_tegula('read', f'{self.at}/ranges/{fmt}', '--select', '[0, 0]')
                paths = [path.removeprefix(f'{fmt}/') for _, path, _ in Web.seen]
                self.assertEqual([path for path in paths if re.search(r'__\d|\d\.|c/', path)], [chunk])
                self.assertEqual(sorted(set(paths)), sorted(paths), 'nothing is asked for twice')
                self.assertNotIn('.tegula-index.json', paths)

    def test_archives(self):
        self.run_tegula('convert', self.grid('g', 'zarr3'), 'g.zip', '--to', 'zarr3')
        for mode in ('ranges', 'whole'):
            self.assertEqual(self.json('read', f'{self.at}/{mode}/g.zip'), self.json('read', 'g'))
        self.assertEqual(self.json('read', f'{self.at}/token/g.zip?key=secret'), self.json('read', 'g'))

    def test_nothing_there(self):
        self.fails(3, 'cannot be listed', 'info', f'{self.at}/ranges/none')
        self.fails(3, '403', 'info', f'{self.at}/hides/none')
        self.fails(3, 'sent a page', 'info', f'{self.at}/pages/none')
        self.fails(3, 'only read', 'write', f'{self.at}/ranges/{self.grid("g", "zarr2")}', 'grid.npy')


class Indexes(WebTest):
    def test_tiledb_by_its_index(self):
        grid = self.grid('t', 'tiledb')
        self.fails(3, 'cannot be listed', 'read', f'{self.at}/ranges/{grid}')
        self.assertIn('files', self.out('index', grid))
        for mode in ('ranges', 'whole', 'pages', 'hides'):
            with self.subTest(mode):
                self.assertEqual(self.json('read', f'{self.at}/{mode}/{grid}'), self.json('read', grid))
                self.assertEqual(self.json('read', f'{self.at}/{mode}/{grid}', '--format', 'tiledb'), self.json('read', grid))
        self.run_tegula('verify', f'{self.at}/ranges/{grid}')
        self.assertIn('note: .tegula-conversion', self.out('verify', f'{self.at}/hides/{grid}'))
        self.run_tegula('verify', grid)
        self.assertNotIn('index', self.out('repair', grid, '--dry-run'))

    def test_an_index_of_more_files_than_one_listing(self):
        grid = self.grid('t', 'tiledb')
        os.mkdir(self.path(grid, 'more'))
        for i in range(1001):
            pathlib.Path(self.path(grid, 'more', str(i))).touch()
        self.run_tegula('index', grid)
        for mode in ('ranges', 'pages', 'hides'):
            with self.subTest(mode):
                self.assertEqual(self.json('read', f'{self.at}/{mode}/{grid}'), self.json('read', grid))

    def test_members_that_no_document_names(self):
        for fmt in ('zarr2', 'zarr3', 'tiledb'):
            with self.subTest(fmt):
                group = f'{fmt}-group'
                self.run_tegula('group', 'create', group, '--format', fmt)
                self.grid(f'{group}/a', fmt)
                if fmt == 'tiledb':
                    self.run_tegula('group', 'add', group, f'{group}/a', '--name', 'a')
                self.fails(3, 'list', 'ls', f'{self.at}/ranges/{group}')
                self.run_tegula('index', group)
                self.run_tegula('index', f'{group}/a')
                for mode in ('ranges', 'pages', 'hides'):
                    self.assertIn('6 x 4', self.out('ls', f'{self.at}/{mode}/{group}'))

    def test_an_index_that_is_too_old(self):
        grid = self.grid('t', 'tiledb')
        self.run_tegula('index', grid)
        fragment = next(pathlib.Path(self.path(grid, '__fragments')).iterdir())
        shutil.rmtree(fragment)
        self.fails(3, '`tegula index` makes it anew', 'read', f'{self.at}/ranges/{grid}')


class Nginx(CommandTest):
    def test_formats_and_archives(self):
        binary = shutil.which('nginx', path=os.environ.get('PATH', '') + ':/usr/sbin')
        if not binary:
            self.skipTest('nginx is not installed')
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'stores'))
        import servers
        root = self.path('root')
        os.mkdir(root)
        for fmt in ('bcolz', 'zarr0', 'zarr1', 'zarr2', 'zarr3', 'tiledb'):
            self.grid(f'root/{fmt}', fmt, tile='2,4' if fmt == 'bcolz' else '2,2')
        self.run_tegula('index', 'root/tiledb')
        self.run_tegula('convert', 'root/zarr2', 'root/x.zip', '--to', 'zarr2')
        with servers.nginx(root, self.folder) as server:
            for name in ('bcolz', 'zarr0', 'zarr1', 'zarr2', 'zarr3', 'tiledb', 'x.zip'):
                with self.subTest(name):
                    self.assertEqual(self.json('read', f'{server.endpoint}/{name}'), self.json('read', f'root/{name}'))


if __name__ == '__main__':
    main()
