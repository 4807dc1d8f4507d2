"""`tegula serve`, with sockets: what it answers, and clients that mean harm."""
import http.client, json, os, pathlib, signal, socket, subprocess, threading, time, urllib.parse

import harness
from harness import CommandTest, npy

ENOUGH = 60  # seconds that nothing here takes


class ServeTest(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path('root'))
        npy(self.path('grid.npy'), range(24), shape=(6, 4))
        for fmt in ('tiledb', 'zarr2', 'zarr3'):
            self.run_tegula('create', f'root/{fmt}', 'grid.npy', '--format', fmt, '--tile', '4,4')
        self.run_tegula('create', 'secret', 'grid.npy', '--format', 'zarr3')

    def serve(self, *more, root='root'):
        process = subprocess.Popen([harness.TEGULA, 'serve', root, '--port', '0', '--json', *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.addCleanup(self.end, process)
        line = process.stdout.readline()
        self.assertTrue(line, process.stderr.read() if not line else '')
        self.port = int(json.loads(line)['url'].split('/')[2].split(':')[1])
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def ask(self, path, method='GET', **headers):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=ENOUGH)
        connection.request(method, path, headers={name.replace('_', '-'): value for name, value in headers.items()})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def connect(self):
        sock = socket.create_connection(('127.0.0.1', self.port), timeout=ENOUGH)
        self.addCleanup(sock.close)
        return sock

    def send(self, data):
        """Everything the server says to these bytes until it closes the connection."""
        sock = self.connect()
        said = b''
        try:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            while part := sock.recv(65536):
                said += part
        except ConnectionError:
            pass
        return said

    def test_chunks_are_the_cells(self):
        self.serve()
        for path in ('/v3/tiledb/value/c/0/0', '/v2/tiledb/value/0.0'):
            answer, body = self.ask(path)
            self.assertEqual((answer.status, body), (200, b''.join(i.to_bytes(4, 'little') for i in range(16))), path)
        # The second row of chunks is half inside.
        body = self.ask('/v3/tiledb/value/c/1/0')[1]
        self.assertEqual(body[:32], b''.join(i.to_bytes(4, 'little') for i in range(16, 24)))
        self.assertEqual(len(body), 64)
        stored = pathlib.Path(self.path('root', 'zarr3', 'c', '0', '0')).read_bytes()
        self.assertEqual(self.ask('/v3/zarr3/c/0/0')[1], stored)
        self.assertEqual(self.ask('/v3/zarr3/c/2/0')[0].status, 404)
        document = json.loads(self.ask('/v3/zarr.json')[1])
        self.assertIn('tiledb/value', document['consolidated_metadata']['metadata'])

    def test_ranges_tags_and_lengths(self):
        self.serve()
        path = '/v3/tiledb/value/c/0/0'
        whole, body = self.ask(path)
        self.assertEqual(whole.headers['Content-Length'], str(len(body)))
        head, nothing = self.ask(path, 'HEAD')
        self.assertEqual((head.status, head.headers['Content-Length'], nothing), (200, str(len(body)), b''))
        for asked, status, expected in (('bytes=4-7', 206, body[4:8]), ('bytes=-8', 206, body[-8:]), ('bytes=60-', 206, body[60:]), ('bytes=60-999', 206, body[60:]), ('bytes=64-', 416, b''),
                                        ('bytes=0-1,4-5', 200, body), ('bytes=x', 200, body), ('bytes=' + ','.join(f'{i}-' for i in range(500)), 200, body)):
            answer, part = self.ask(path, Range=asked)
            self.assertEqual((answer.status, part), (status, expected), asked)
        tag = whole.headers['ETag']
        self.assertEqual(self.ask(path, If_None_Match=tag)[0].status, 304)
        self.assertEqual(self.ask(path, If_Match='"old"')[0].status, 412)
        self.run_tegula('write', 'root/tiledb', 'grid.npy')
        deadline = time.monotonic() + ENOUGH
        while self.ask(path, If_None_Match=tag)[0].status == 304:
            self.assertLess(time.monotonic(), deadline, 'the change was not noticed')
            time.sleep(0.1)

    def test_queries_and_overviews(self):
        self.serve()
        document = urllib.parse.quote('{"ranges": {"dim_0": [1, 2], "dim_1": [0, 1]}}')
        answer, body = self.ask(f'/api/query/tiledb?query={document}')
        self.assertEqual((answer.status, json.loads(body)), (200, {'shape': [2, 2], 'fields': {'': [4, 5, 8, 9]}}))
        self.assertEqual(self.ask(f'/api/query/tiledb?query={document}', If_None_Match=answer.headers['ETag'])[0].status, 304)
        header, values = harness.read_npy(self.ask('/api/query/zarr3?format=npy')[1])
        self.assertEqual((header['shape'], values), ((6, 4), list(range(24))))
        self.assertEqual([member['name'] for member in json.loads(self.ask('/api/list/')[1])['members']], ['tiledb', 'zarr2', 'zarr3'])
        self.assertEqual(json.loads(self.ask('/api/info/zarr2')[1])['shape'], [6, 4])
        self.assertEqual(json.loads(self.ask('/api/stats/zarr2')[1])['fields']['max(value)'], [23])
        header, values = harness.read_npy(self.ask('/api/overview/zarr3?width=2&height=3')[1], 'd')
        self.assertEqual((header['shape'], values), ((3, 2), [2.5, 4.5, 10.5, 12.5, 18.5, 20.5]))
        self.assertEqual(self.ask('/api/overview/zarr3?format=png')[1][:4], b'\x89PNG')
        self.assertEqual(self.ask('/api/query/tiledb?query=%7B')[0].status, 400)
        self.assertEqual(self.ask('/api/query/none')[0].status, 404)

    def test_one_connection_many_requests(self):
        self.serve()
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=ENOUGH)
        connection.connect()
        first = connection.sock
        for path, status in (('/v3/zarr.json', 200), ('/v3/nothing', 404), ('/v3/zarr3/c/0/0', 200), ('/v3/../x', 400)):
            connection.request('GET', path)
            answer = connection.getresponse()
            answer.read()
            self.assertEqual(answer.status, status, path)
            if status != 400:
                self.assertIs(connection.sock, first, path)
        # Several requests in one packet.
        said = self.send(b'GET /v3/zarr3/zarr.json HTTP/1.1\r\nHost: localhost\r\n\r\n' * 3)
        self.assertEqual(said.count(b'HTTP/1.1 200 OK'), 3)

    def test_nothing_outside_of_the_root(self):
        os.symlink(self.path('secret'), self.path('root', 'link'))
        self.serve()
        for path in ('/v3/../secret/zarr.json', '/v3/%2e%2e/secret/zarr.json', '/v3/..%2fsecret/zarr.json', '/v3/%2e%2e%2fsecret%2fzarr.json', '/v3/..%5csecret/zarr.json', '/v3/zarr3/../../secret/zarr.json',
                     '/v3/%252e%252e/secret/zarr.json', '/v3/%c0%ae%c0%ae/secret/zarr.json', '/v3/link/zarr.json', '/v3/link/c/0/0', '/v3//etc/passwd', '/v3/zarr3/zarr.json%00', f'/v3{self.folder}/secret/zarr.json',
                     '/../../etc/passwd', '/v3/tiledb/__schema', '/v3/zarr3/c/0/../0'):
            said = self.send(f'GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'.encode())
            self.assertIn(said.split(b' ')[1], (b'400', b'404'), path)

    def test_malformed_requests(self):
        self.serve()
        host = b'Host: localhost\r\n'
        for data, status in ((b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', b'400'), (b'GET / HTTP/9.9\r\n' + host + b'\r\n', b'505'), (b'A' * 100000, b'431'),
                             (b'GET / HTTP/1.1\r\n' + b''.join(b'X-%d: y\r\n' % i for i in range(10000)) + b'\r\n', b'431'), (b'GET /' + b'a' * 9000 + b' HTTP/1.1\r\n' + host + b'\r\n', b'414'),
                             (b'POST / HTTP/1.1\r\n' + host + b'Transfer-Encoding: chunked\r\n\r\nZZZZ\r\n', b'413'), (b'POST / HTTP/1.1\r\n' + host + b'Content-Length: 99999999999\r\n\r\nx', b'413'),
                             (b'PUT /v3/zarr3/c/0/0 HTTP/1.1\r\n' + host + b'Connection: close\r\n\r\n', b'405'), (b'GET / HTTP/1.1\r\nHost: evil.example.org\r\nConnection: close\r\n\r\n', b'421'),
                             (b'GET / HTTP/1.1\r\n' + host + b'Content-Length: 3\r\nContent-Length: 4\r\n\r\n', b'413'), (b'GET / HTTP/1.1\r\n folded: x\r\n\r\n', b'400')):
            said = self.send(data)
            self.assertEqual(said.split(b' ')[1:2], [status], data[:60])
        self.assertEqual(self.ask('/v3/zarr.json')[0].status, 200)

    def test_more_connections_than_allowed(self):
        self.serve('--connections', '20')
        idle = [self.connect() for _ in range(200)]
        refused = 0
        for sock in idle:
            sock.settimeout(0.01)
            try:
                refused += sock.recv(12) in (b'HTTP/1.1 503', b'')
            except (TimeoutError, ConnectionError):
                pass
        self.assertGreaterEqual(refused, 100)
        for sock in idle:
            sock.close()
        deadline = time.monotonic() + ENOUGH
        while True:
            try:
                if self.ask('/v3/zarr.json')[0].status == 200:
                    break
            except (ConnectionError, http.client.HTTPException):
                pass
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_clients_that_do_not_read_hold_nobody_up(self):
        self.serve()
        for _ in range(30):
            self.connect().sendall(b'GET /v3/zarr.json HTTP/1.1\r\nHost: localhost\r\n\r\n' * 20)
        for _ in range(30):
            self.connect().sendall(b'GET /v3/zarr.json HT')  # and never more
        self.assertEqual(self.ask('/v3/zarr3/c/0/0')[0].status, 200)

    def test_many_threads(self):
        self.serve()
        bad = []

        def read():
            connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=ENOUGH)
            for i in range(50):
                connection.request('GET', ('/v3/tiledb/value/c/0/0', '/v3/zarr.json', '/v2/zarr2/0.0', '/v3/none')[i % 4])
                answer = connection.getresponse()
                answer.read()
                if answer.status != (404 if i % 4 == 3 else 200):
                    bad.append(answer.status)
            connection.close()

        threads = [threading.Thread(target=read) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(bad, [])
        self.assertIn(b'tegula_requests_total 800', self.ask('/metrics')[1])

    def test_stops_when_asked(self):
        for sign in (signal.SIGTERM, signal.SIGINT):
            process = self.serve('--log', 'log.json')
            self.connect()  # idle
            self.ask('/v3/zarr.json')
            process.send_signal(sign)
            self.assertEqual(process.wait(timeout=ENOUGH), 0)
        lines = [json.loads(line) for line in pathlib.Path(self.path('log.json')).read_text().splitlines()]
        self.assertEqual([(line['method'], line['path'], line['status']) for line in lines], [('GET', '/v3/zarr.json', 200)] * 2)

    def test_tokens(self):
        process = self.serve('--token', 'abc123', '--log', 'log.json')
        self.assertEqual(self.ask('/v3/zarr.json')[0].status, 401)
        self.assertEqual(self.ask('/t/abc124/v3/zarr.json')[0].status, 401)
        self.assertEqual(self.ask('/t/abc123/v3/zarr.json')[0].status, 200)
        self.assertEqual(self.ask('/v3/zarr.json', Authorization='Bearer abc123')[0].status, 200)
        process.terminate()
        process.wait(timeout=ENOUGH)
        self.assertNotIn('abc123', pathlib.Path(self.path('log.json')).read_text())

    def test_wrong_arguments(self):
        self.fails(2, 'other machines', 'serve', 'root', '--bind', '0.0.0.0')
        self.fails(2, '65535', 'serve', 'root', '--port', '70000')
        self.fails(2, 'URLs', 'serve', 'root', '--token', 'a/b')
        self.fails(2, 'no address', 'serve', 'root', '--bind', '999.1.1.1')
        self.fails(3, 'nowhere', 'serve', 'nowhere', '--port', '0')
        self.serve()
        self.fails(3, str(self.port), 'serve', 'root', '--port', str(self.port))

    def test_an_array_and_an_archive_as_the_root(self):
        self.serve(root='root/zarr3')
        self.assertEqual(self.ask('/v3/zarr.json')[0].status, 200)
        self.assertEqual(self.ask('/v3/c/0/0')[0].status, 200)
        self.run_tegula('convert', 'root/zarr3', 'z.zip', '--to', 'zarr3')
        self.serve(root='z.zip')
        self.assertEqual(self.ask('/v2/.zarray')[0].status, 200)
        self.assertEqual(self.ask('/v2/0.0')[0].status, 200)


if __name__ == '__main__':
    harness.main()
