"""Arrays behind a web server (nginx), also through the proxy: what is read there is what is read in a folder, or an error."""
import shutil
from pathlib import Path

import servers as s
from common import Tegula, problem, proxy, requests_of, set_faults
from corpus import corpus_cases
from faults import DATA, STATUS

FAULTS = [
    ('503 once', STATUS(503), None),
    ('reset once', {'kind': 'reset'}, None),
    ('body cut once', {'kind': 'cut'}, None),
    ('wrong Content-Range once', {'kind': 'shift'}, None),
    ('503 for ever', STATUS(503, mode='always'), '503'),
    ('403 for cells', STATUS(403, mode='always', match=DATA), '403'),
    ('500 for cells', STATUS(500, mode='always', match=DATA), '500'),
    ('bodies cut for ever', {'kind': 'cut', 'mode': 'always', 'match': DATA}, ''),
]


def check_web(program, folder, corpus, step):
    root = Path(folder) / 'web'
    root.mkdir()
    tegula = Tegula(program, '', 'tries=3')
    local = Tegula(program, '')
    arrays = {}
    for case in corpus_cases(corpus, step):
        if (case / 'array').exists():
            arrays[str(case.relative_to(corpus)).replace('/', '-')] = case / 'array'
    for name in ('dense', 'sparse', 'zarr', 'table'):
        arrays[name] = Path(folder) / name
    same = 0
    with s.nginx(root, folder) as server:
        for name, array in arrays.items():
            shutil.copytree(array, root / name, symlinks=True)
            code, here, _ = local('read', str(array), '--json')
            if code != 0:
                continue  # damaged arrays are for the corpus on S3
            # TileDB arrays need the index, which is made where files can be listed.
            local('index', str(root / name))
            code, there, said = tegula('read', f'{server.endpoint}/{name}', '--json')
            if code != 0 or there != here:
                problem(f'nginx: read of {name}: exit {code}: {said.strip()[:300]}')
            same += 1
        with proxy(server, folder) as through:
            for name in ('dense', 'sparse', 'zarr', 'table'):
                expected = local.right('read', str(root / name), '--json')
                for what, fault, error in FAULTS:
                    set_faults(through.endpoint, fault)
                    code, out, said = tegula('read', f'{through.endpoint}/{name}', '--json')
                    if not any(r['fault'] for r in requests_of(through.endpoint)):
                        problem(f'nginx, {name}, {what}: the fault met no request')
                    if error is None and (code != 0 or out != expected):
                        problem(f'nginx, {name}, {what}: exit {code}: {said.strip()[:300]}')
                    if error is not None and (code == 0 or error not in said or not said.strip()):
                        problem(f'nginx, {name}, {what}: exit {code}, expected an error with "{error}": {said.strip()[:300]}')
    print(f'nginx: {same} arrays read as they read here', flush=True)
