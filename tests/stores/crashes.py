"""Writers that die at every one of their changes of a bucket: the array is as before or as after, and can be used."""
import itertools
import shutil

from common import Tegula, problem, set_faults, upload

MOST_CHANGES = 60

# A name, the array, and the command, with {} for its URI. Afterwards every cell is as before or every cell is as after.
OPERATIONS = [
    ('a TileDB write', 'dense', ['write', '{}', '{folder}/part.npy', '--select', '[10:50, 20:60]']),
    ('a sparse write', 'sparse', ['write', '{}', '{folder}/third.csv']),
    ('consolidation', 'sparse', ['consolidate', '{}']),
    ('consolidation of everything', 'sparse', ['consolidate', '{}', '--what', 'all']),
    ('vacuum', 'merged', ['vacuum', '{}']),
    ('a write into one zarr chunk', 'zarr', ['write', '{}', '{folder}/small.npy', '--select', '[3:13, 4:24]']),
    ('an append to zarr', 'zarr', ['append', '{}', '{folder}/rows.npy']),
    ('an append to bcolz', 'table', ['append', '{}', '{folder}/more.csv']),
    ('a write into bcolz', 'column', ['write', '{}', '{folder}/hundred.npy', '--select', '[150:250]']),
]


def filled(command, uri, folder):
    return [part.format(uri, folder=folder) for part in command]


def cells(tegula, uri):
    code, out, said = tegula('read', uri, '--json')
    return out if code == 0 else f'exit {code}: {said.strip()[:300]}'


def expected(program, server, folder, name, command, number):
    """What the operation makes of the array, found out in a folder."""
    local = Tegula(program, server.endpoint)
    copy = f'{folder}/expected-{server.name}-{number}'
    shutil.copytree(f'{folder}/{name}', copy)
    before = cells(local, copy)
    local.right(*filled(command, copy, folder))
    return before, cells(local, copy)


def check_crashes(program, server, through, folder, kinds):
    direct = Tegula(program, server.endpoint, 'conditional_put=true')
    dying = Tegula(program, through.endpoint, 'tries=1', 'conditional_put=true')
    for number, (what, name, command) in enumerate(OPERATIONS):
        before, after = expected(program, server, folder, name, command, f'crash-{number}')
        for kind in kinds:
            for step in itertools.count(1):
                uri = f'{server.scheme}://test/crash/{number}-{kind}-{step}'
                upload(server, f'{folder}/{name}', uri.split('/', 3)[3])
                set_faults(through.endpoint, {'kind': kind, 'from': step})
                code, _, said = dying(*filled(command, uri, folder))
                set_faults(through.endpoint)
                now = cells(direct, uri)
                where = f'{what}, {kind} at change {step}'
                if now not in (before, after) or (code == 0 and now != after):
                    problem(f'{where}: exit {code}, the array is neither as before nor as after: {str(now)[:200]}')
                if code != 0 and not said.strip():
                    problem(f'{where}: no word of the failure')
                # A bcolz writer that died leaves columns of different lengths, and its name where others would write.
                if name in ('table', 'column') and code != 0:
                    direct.right('repair', uri)
                code_of_verify, out, error = direct('verify', uri)
                if code_of_verify != 0:
                    problem(f'{where}: verify finds {out.decode()[:300]} {error.strip()[:300]}')
                if code == 0:
                    break
                if step == MOST_CHANGES:
                    problem(f'{what}: still dies at change {step}')
                    break
