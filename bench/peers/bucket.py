"""A bucket on this machine: SeaweedFS, also through a proxy that delays requests, and the files of data sets in it."""
import concurrent.futures
import contextlib
import hashlib
import hmac
import os
import sys
import tempfile
import urllib.parse
from datetime import datetime, timezone

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'stores'))
import servers  # noqa: E402

DELAYS = (0, 20)  # milliseconds


@contextlib.contextmanager
def running(build):
    """The address for each delay, as long as the block lasts."""
    binaries = servers.install(os.path.join(build, 'servers'))
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix='tegula-bench-bucket-', dir=build))
        server = stack.enter_context(servers.seaweedfs(binaries, folder, volumes=40, megabytes=256))
        addresses = {'0': server.endpoint}
        for delay in DELAYS[1:]:
            port = servers.free_port()
            command = [sys.executable, os.path.join(ROOT, 'bench/peers/delay_proxy.py'), str(port), server.endpoint.rsplit(':', 1)[1], str(delay)]
            proxy = stack.enter_context(servers.started('proxy%d' % delay, command, 'http://127.0.0.1:%d' % port, folder, servers.answers))
            addresses[str(delay)] = proxy.endpoint
        yield addresses


def variables():
    """Nothing of the user's own settings."""
    return {'AWS_ACCESS_KEY_ID': servers.KEY, 'AWS_SECRET_ACCESS_KEY': servers.SECRET, 'AWS_REGION': 'us-east-1', 'AWS_DEFAULT_REGION': 'us-east-1',
            'AWS_CONFIG_FILE': '/dev/null', 'AWS_SHARED_CREDENTIALS_FILE': '/dev/null', 'AWS_EC2_METADATA_DISABLED': 'true'}


def files_below(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            yield path, os.path.relpath(path, folder)


def upload(env, folder, prefix):
    """Puts the files of a folder into the bucket."""
    def put(item):
        path, name = item
        with open(path, 'rb') as file:
            status, text = servers.request(env.settings['bucket']['0'], 'PUT', '/test/' + urllib.parse.quote('%s/%s' % (prefix, name), safe='/~'), body=file.read())
        if status != 200:
            raise RuntimeError('PUT of %s: %d %s' % (name, status, text[:200]))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in pool.map(put, files_below(folder)):
            pass


def dataset(env, *name):
    """The prefix of a data set in the bucket, which is uploaded when it is first asked for."""
    prefix = 'data/' + '-'.join(map(str, name))
    address = env.settings['bucket']['0']
    if servers.request(address, 'GET', '/test/%s.uploaded' % prefix)[0] != 200:
        upload(env, env.data(*name), prefix)
        servers.request(address, 'PUT', '/test/%s.uploaded' % prefix, body=b'x')
    return prefix


def fresh(env):
    """A prefix below which nothing is yet."""
    env.count += 1
    return 'scratch/%d-%d' % (os.getpid(), env.count)


def presigned(address, key):
    """An address that needs no further signature."""
    now = datetime.now(timezone.utc).strftime('%Y%m%dT%H%M%SZ')
    scope = '%s/us-east-1/s3/aws4_request' % now[:8]
    path = '/test/' + urllib.parse.quote(key, safe='/~')
    query = '&'.join('%s=%s' % (k, urllib.parse.quote(v, safe='~')) for k, v in sorted({
        'X-Amz-Algorithm': 'AWS4-HMAC-SHA256', 'X-Amz-Credential': '%s/%s' % (servers.KEY, scope), 'X-Amz-Date': now,
        'X-Amz-Expires': '86400', 'X-Amz-SignedHeaders': 'host'}.items()))
    canonical = '\n'.join(['GET', path, query, 'host:' + address.split('//')[1], '', 'host', 'UNSIGNED-PAYLOAD'])
    text = '\n'.join(['AWS4-HMAC-SHA256', now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    mac = b'AWS4' + servers.SECRET.encode()
    for step in scope.split('/'):
        mac = hmac.new(mac, step.encode(), 'sha256').digest()
    return '%s%s?%s&X-Amz-Signature=%s' % (address, path, query, hmac.new(mac, text.encode(), 'sha256').hexdigest())
