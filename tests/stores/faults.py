"""Reads and writes through a proxy that misbehaves: the right answer or a clear error, nothing lost, nothing filled in."""
import servers as s
from common import Tegula, problem, requests_of, set_faults, upload
from crashes import OPERATIONS, cells, expected, filled

DATA = '[^?]*/(__fragments/.*tdb|c/[0-9/]+|data/__[0-9]+.blp)$'  # files of cells, not metadata of any format
STATUS = lambda status, code='', **more: {'kind': 'status', 'status': status, 'code': code, **more}
# What happens to reads: a name, the fault, and whether the cells come or an error that says so.
READ_FAULTS = [
    ('503 once', STATUS(503, 'SlowDown'), None),
    ('500 once', STATUS(500, 'InternalError'), None),
    ('429 once', STATUS(429, 'TooManyRequests'), None),
    ('reset once', {'kind': 'reset'}, None),
    ('answer lost once', {'kind': 'lost'}, None),
    ('body cut once', {'kind': 'cut'}, None),
    ('wrong Content-Range once', {'kind': 'shift'}, None),
    ('a second of silence', {'kind': 'delay', 'seconds': 1, 'match': DATA}, None),
    ('503 for ever', STATUS(503, 'SlowDown', mode='always'), '503 SlowDown'),
    ('reset for ever', {'kind': 'reset', 'mode': 'always'}, 'failed, 3 times'),
    ('bodies cut for ever', {'kind': 'cut', 'mode': 'always', 'match': DATA}, '3 t'),
    ('403 for cells', STATUS(403, 'AccessDenied', mode='always', match=DATA), '403 AccessDenied'),
    ('404 without a reason', STATUS(404, mode='always', match=DATA), '404'),
    ('404 of another kind', STATUS(404, 'NoSuchBucket', mode='always', match=DATA), 'NoSuchBucket'),
    ('expired keys', STATUS(400, 'ExpiredToken', mode='always'), 'ExpiredToken'),
    ('a listing without a field', {'kind': 'list200', 'mode': 'always', 'match': 'list-type=2'}, 'whether it is complete'),
]


def check_read_faults(program, server, through):
    direct, faulty = Tegula(program, server.endpoint), Tegula(program, through.endpoint, 'tries=3')
    for name in ('dense', 'sparse', 'zarr', 'table'):
        uri = f's3://test/{name}'
        expected = direct.right('read', uri, '--json')
        for what, fault, error in READ_FAULTS:
            set_faults(through.endpoint, fault)
            code, out, said = faulty('read', uri, '--json')
            hit = any(r['fault'] for r in requests_of(through.endpoint))
            if not hit:
                if fault['kind'] in ('status', 'reset', 'lost', 'cut') and 'match' not in fault:
                    problem(f'{name}, {what}: the fault met no request')
                continue
            if error is None and (code != 0 or out != expected):
                problem(f'{name}, {what}: exit {code}, {len(out)} bytes, expected {len(expected)}: {said.strip()[:300]}')
            if error is not None and (code == 0 or error not in said):
                problem(f'{name}, {what}: exit {code}, expected an error with "{error}": {said.strip()[:300]}')
            if s.SECRET in said or 'Signature=' in said:
                problem(f'{name}, {what}: shows a secret')


# What happens to changes: a name, the fault, and a part of the error, or nothing when it must succeed. A 403 may meet
# what is put last, or what is read first.
LAST = '(__commits/|meta/sizes|zarr.json|/c/0/0$|__tegula_set__/commit)'
CHANGE_FAULTS = [
    ('503 once', STATUS(503, 'SlowDown'), None),
    ('reset once', {'kind': 'reset'}, None),
    ('answer lost once', {'kind': 'lost'}, None),
    ('body cut once', {'kind': 'cut', 'method': 'GET'}, None),
    ('wrong Content-Range once', {'kind': 'shift'}, None),
    ('an error behind 200', {'kind': 'error200', 'method': 'POST'}, None),
    ('half a second of silence', {'kind': 'delay', 'seconds': 0.5, 'method': 'PUT'}, None),
    ('403 for one key', STATUS(403, 'AccessDenied', mode='always', method='PUT', match=LAST), '403 AccessDenied'),
    ('403 for removals', STATUS(403, 'AccessDenied', mode='always', method='POST', match='delete'), '403 AccessDenied'),
    ('503 for ever', STATUS(503, 'SlowDown', mode='always', method='PUT'), '503 SlowDown'),
    ('expired keys', STATUS(400, 'ExpiredToken', mode='always'), 'ExpiredToken'),
]
QUICK = ('503 once', 'answer lost once', 'an error behind 200', '403 for one key')


def check_change_faults(program, server, through, folder, quick):
    """What is changed through faults is right, and what fails leaves the array as it was before or after."""
    direct = Tegula(program, server.endpoint, 'conditional_put=true')
    faulty = Tegula(program, through.endpoint, 'conditional_put=true', 'tries=4')
    operations = OPERATIONS + MORE_OPERATIONS
    met = 0
    for number, (what, name, command) in enumerate(operations):
        before, after = expected(program, server, folder, name, command, f'fault-{number}')
        for which, (fault_name, fault, error) in enumerate(CHANGE_FAULTS):
            if quick and (fault_name not in QUICK or number % 2):
                continue
            uri = f'{server.scheme}://test/faults/{number}-{which}'
            upload(server, f'{folder}/{name}', uri.split('/', 3)[3])
            set_faults(through.endpoint, fault)
            code, _, said = faulty(*filled(command, uri, folder))
            hit = any(r['fault'] for r in requests_of(through.endpoint))
            set_faults(through.endpoint)
            met += hit
            where, now = f'{what}, {fault_name}', cells(direct, uri)
            if (error is None or not hit) and (code != 0 or now != after):
                problem(f'{where}: exit {code}, {"other cells than expected" if code == 0 else said.strip()[:300]}')
            if error is not None and hit and (code == 0 or error not in said):
                problem(f'{where}: exit {code}, expected an error with "{error}": {said.strip()[:300]}')
            if now not in (before, after):
                problem(f'{where}: exit {code}, the array is neither as before nor as after: {str(now)[:200]}')
            if s.SECRET in said or s.AZURE_KEY in said or 'Signature=' in said:
                problem(f'{where}: shows a secret')
            if name == 'table' and code != 0:  # columns of different lengths
                direct.right('repair', uri)
            code_of_verify, out, wrong = direct('verify', uri)
            if code_of_verify != 0:
                problem(f'{where}: verify finds {out.decode()[:300]} {wrong.strip()[:300]}')
    # Uploads in parts that were begun are finished or aborted.
    status, text = s.request(server.endpoint, 'GET', '/test', 'uploads=') if server.scheme == 's3' else (0, b'')
    if status == 200 and b'<Upload>' in text:
        problem('uploads in parts are left behind')
    print(f'{server.name}: {met} changes met a fault', flush=True)


# Beside those of crashes.py.
MORE_OPERATIONS = [
    ('an append to zarr 2', 'zarr2', ['append', '{}', '{folder}/rows.npy']),
    ('a write into one zarr 2 chunk', 'zarr2', ['write', '{}', '{folder}/small.npy', '--select', '[3:13, 4:24]']),
    ('repair of TileDB', 'sparse', ['repair', '{}', '--older-than', '0']),
    ('repair of bcolz', 'table', ['repair', '{}']),
    ('metadata of TileDB', 'dense', ['meta', 'set', '{}', 'note', '"x"']),
    ('metadata of zarr', 'zarr', ['meta', 'set', '{}', 'note', '"x"']),
    ('metadata of bcolz', 'table', ['meta', 'set', '{}', 'note', '"x"']),
]
