"""Arrays of the corpus in buckets read as they read in folders."""
import concurrent.futures
from pathlib import Path

from common import Tegula, problem, upload


def corpus_cases(corpus, step):
    """Every step-th case of the corpus, of each family some."""
    cases = sorted(p.parent for p in Path(corpus).rglob('case.json'))
    return cases[::step]


def check_corpus(program, server, corpus, step):
    local, remote = Tegula(program, server.endpoint), Tegula(program, server.endpoint)

    def one(case):
        name = str(case.relative_to(corpus))
        if not upload(server, case / 'array', f'corpus/{name}'):
            return False  # rclone has no file `a` beside a folder `a`
        for verb in (['read', '--json'], ['info', '--json']):
            here = local(verb[0], str(case / 'array'), *verb[1:])
            there = remote(verb[0], f's3://test/corpus/{name}', *verb[1:])
            if verb[0] == 'info':  # the place is part of it
                here = (here[0], here[1].replace(str(case / 'array').encode(), b''), '')
                there = (there[0], there[1].replace(f's3://test/corpus/{name}'.encode(), b''), '')
            if here[:2] != there[:2]:
                problem(f'{server.name}: {verb[0]} of {name}: exit {here[0]} here, {there[0]} there; {there[2].strip()[:300]}')
        return True

    cases = corpus_cases(corpus, step)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        taken = sum(pool.map(one, cases))
    print(f'{server.name}: {taken} arrays of the corpus read as they read here', flush=True)
    if taken < len(cases) // 2:
        problem(f'{server.name}: took only {taken} of {len(cases)} arrays')
