#!/usr/bin/env python3
"""Remote URIs and their options, as far as no server is needed; tests/stores/ has the rest."""
import contextlib, socket, threading

from harness import CommandTest, main


class Remote(CommandTest):
    def test_options_are_checked_and_their_values_stay_hidden(self):
        for option, said in (('nonsense=HIDDEN', "there is no store option 'nonsense'; known are access_key_id,"),
                             ('access_key_id=HIDDEN', 'given together'),
                             ('endpoint=HIDDEN://x', 'http:// or https://'),
                             ('HIDDEN', 'expected NAME=VALUE')):
            done = self.fails(2, said, 'info', 's3://bucket/array', '--store-option', option)
            self.assertNotIn('HIDDEN', done.stderr)

    def test_an_address_where_nobody_listens(self):
        error = self.run_tegula('info', 's3://bucket/array', '--store-option', 'endpoint=http://127.0.0.1:1',
                                   '--store-option', 'anonymous=true', '--store-option', 'tries=1', code=3).stderr
        self.assertIn('s3://bucket/array', error)
        self.assertIn('GET failed', error)

    def test_requests_are_traced_and_counted(self):
        listener = socket.create_server(('127.0.0.1', 0))

        def refuse():
            with contextlib.suppress(OSError):
                while True:
                    peer, _ = listener.accept()
                    while peer.recv(65536):
                        text = b'<Error><Code>AccessDenied</Code></Error>'
                        peer.sendall(b'HTTP/1.1 403 X\r\nContent-Length: %d\r\n\r\n%s' % (len(text), text))
                    peer.close()

        threading.Thread(target=refuse, daemon=True).start()
        endpoint = f'endpoint=http://127.0.0.1:{listener.getsockname()[1]}'
        error = self.run_tegula('info', 's3://bucket/array', '--store-option', endpoint, '--store-option', 'key=K',
                                   '--store-option', 'secret=HIDDEN', '--trace-io', code=3).stderr
        self.assertIn('GET s3://bucket/array', error)
        self.assertIn(' 403 ', error)
        self.assertIn('the keys came from the store options', error)
        self.assertNotIn('HIDDEN', error)
        listener.close()


if __name__ == '__main__':
    main()
