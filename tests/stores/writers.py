"""Several writers of one array in a bucket, in processes of their own: every change is there afterwards."""
import json
import subprocess

from common import Tegula, npy, problem

WRITERS, ROUNDS = 3, 6


def check_writers(program, server, folder):
    tegula = Tegula(program, server.endpoint, 'conditional_put=true')

    def at_once(commands):
        """Runs one list of commands for each writer, the lists side by side."""
        script = 'set -e; ' + 'for c in "$@"; do eval "$c"; done'
        running = [subprocess.Popen(['sh', '-c', script, 'sh', *(tegula.line(*c) for c in own)], env=tegula.environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for own in commands]
        for process in running:
            said, _ = process.communicate(timeout=300)
            if process.returncode != 0:
                problem(f'{server.name}: a writer beside others: {said.decode()[-300:]}')

    read = lambda uri: json.loads(tegula.right('read', uri, '--json') or b'{}')
    npy(f'{folder}/twelve.npy', [0] * 12)
    for value in range(WRITERS):
        npy(f'{folder}/one-{value}.npy', [value + 1])
    for form in ('zarr2', 'zarr3'):
        uri = f'{server.scheme}://test/writers/{form}'
        tegula.right('create', uri, f'{folder}/twelve.npy', '--format', form, '--tile', '12')
        at_once([[('write', uri, f'{folder}/one-{w}.npy', '--select', f'[{cell}:{cell + 1}]') for cell in range(w, 12, WRITERS)] for w in range(WRITERS)])
        found = next(iter(read(uri)['fields'].values()))
        if found != [cell % WRITERS + 1 for cell in range(12)]:
            problem(f'{server.name}: writers of one {form} chunk leave {found}')

    uri = f'{server.scheme}://test/writers/table'
    tegula.right('create', uri, '--format', 'bcolz', '--table', '-a', 'w:int32', '-a', 'n:int32', '--tile', '4')
    for w in range(WRITERS):
        for r in range(ROUNDS):
            with open(f'{folder}/rows-{w}-{r}.csv', 'w') as out:
                out.write('w,n\n' + ''.join(f'{w},{r * 10 + i}\n' for i in range(r % 3 + 1)))
    at_once([[('append', uri, f'{folder}/rows-{w}-{r}.csv') for r in range(ROUNDS)] for w in range(WRITERS)])
    fields = read(uri)['fields']
    found = sorted(zip(fields['w'], fields['n']))
    wanted = sorted((w, r * 10 + i) for w in range(WRITERS) for r in range(ROUNDS) for i in range(r % 3 + 1))
    if found != wanted:
        problem(f'{server.name}: writers of one bcolz table leave {len(found)} rows of {len(wanted)}')

    uri = f'{server.scheme}://test/writers/sparse'
    tegula.right('create', uri, '--format', 'tiledb', '--sparse', '-d', 'w:int32:0:99:10', '-d', 'n:int32:0:999:10', '-a', 'v:int64')
    for w in range(WRITERS):
        for r in range(ROUNDS):
            with open(f'{folder}/cells-{w}-{r}.csv', 'w') as out:
                out.write('w,n,v\n' + ''.join(f'{w},{r * 10 + i},{r}\n' for i in range(3)))
    at_once([[('write', uri, f'{folder}/cells-{w}-{r}.csv') for r in range(ROUNDS)] for w in range(WRITERS)])
    found = len(read(uri)['fields']['v'])
    if found != WRITERS * ROUNDS * 3:
        problem(f'{server.name}: writers of one sparse array leave {found} cells')
    print(f'{server.name}: {WRITERS} writers of one zarr chunk, of one table and of one sparse array', flush=True)
