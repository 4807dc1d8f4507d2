#!/usr/bin/env python3
"""Reads every case of the corpus with the `tegula` command and compares with what the real libraries read.

usage: conformance.py TEGULA FOLDER [PATTERN ...] [--verbose] [--single] [--workers N] [--at URI]
FOLDER is where the corpus is (or will be) unpacked; a PATTERN keeps the cases whose path contains it. Requests go through
`tegula read --batch -`, one process per worker; with --single each one is its own `tegula read --query FILE --json`.
With --at the arrays are read from a copy of FOLDER there, with what the environment says about the store.
Cases in expected_failures.txt must fail; one that passes is reported, so that the list stays true. Exit 1 on any surprise.
"""
import argparse, collections, concurrent.futures, json, math, os, pathlib, queue, subprocess, sys, tempfile, threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'corpus'))
from unpack import unpack

TIMEOUT_S = 120
QUERY_KEYS = ('open_at', 'ranges', 'label_ranges', 'layout', 'where', 'aggregates', 'fields', 'select')


def plain(value):
    """One form for what may be written in two: text or its hex, a long text or its repetition, 0 / 1 or booleans, 2 or 2.0."""
    if isinstance(value, dict):
        if value.keys() == {'repeat', 'times'}:
            return value['repeat'] * value['times']
        if value.keys() == {'hex'}:
            try:
                return bytes.fromhex(value['hex']).decode('utf-8')
            except (ValueError, UnicodeDecodeError):
                return value
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2 ** 53:
        return int(value)
    return value


def flat(value, depth):
    """A nested list of that depth as one list; a scalar as a list of one."""
    if depth == 0:
        return [value]
    for _ in range(depth - 1):
        value = [x for row in value for x in row]
    return value


def expected_fields(check, named):
    result, shape = check['result'], check.get('shape')
    if named:
        return {k: flat(v, len(shape)) if shape is not None else v for k, v in result.items()}
    return {'': flat(result, len(shape))}


def rows(fields, names):
    return sorted(json.dumps(row, sort_keys=True) for row in zip(*(fields[n] for n in names)))


def difference(check, named, answer):
    """None, or what differs between the expected result and the answer."""
    if 'error' in answer:
        return answer['error']['message'][:300]
    want = {k: plain(v) for k, v in expected_fields(check, named).items()}
    have = {k: plain(v) for k, v in answer['fields'].items()}
    missing = [k for k in want if k not in have]
    if missing:
        return f'fields {missing} not in the answer, which has {list(have)}'
    unordered = check.get('sorted') or (check.get('layout') == 'unordered' and not check.get('aggregates'))
    if unordered and want:
        names = list(want)
        if rows(want, names) != rows(have, names):
            return f'other rows: {len(have[names[0]])} of {len(want[names[0]])} cells, or other values'
        return None
    for name, values in want.items():
        if check.get('aggregates') and close(values, have[name]):
            continue
        if values != have[name]:
            at = next((i for i, (x, y) in enumerate(zip(values, have[name])) if x != y), min(len(values), len(have[name])))
            return f'field {name!r} differs at {at}: want {values[at:at + 3]} of {len(values)}, got {have[name][at:at + 3]} of {len(have[name])}'
    if check.get('shape') is not None and answer['shape'] is not None and list(check['shape']) != answer['shape']:
        return f'shape {answer["shape"]}, want {check["shape"]}'
    return None


def close(want, have):
    """Sums and means of floats depend on the order of the additions, which no document fixes."""
    pairs = list(zip(want, have))
    numbers = len(want) == len(have) and all(isinstance(x, (int, float)) for pair in pairs for x in pair)
    return numbers and all(x == y or isinstance(x, float) and math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-12) for x, y in pairs)


class Reader:
    """A `tegula read --batch -` that is started again when it dies."""

    def __init__(self, command):
        self.command, self.process = command, None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen([self.command, 'read', '--batch', '-', '--quiet'], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        timer = threading.Timer(TIMEOUT_S, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request).encode() + b'\n')
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b''
        finally:
            timer.cancel()
        if not line:
            code = self.process.wait()
            self.process = None
            return {'crash': f'crashed or hung (exit {code})'}
        return json.loads(line)

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


class SingleReader:
    """One process per request, as a person would run it."""

    def __init__(self, command):
        self.command = command

    def ask(self, request):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as f:
            json.dump(request.get('query', {}), f)
            f.flush()
            args = ['read', request['uri'], '--query', f.name, '--json'] + (['--key', request['key']] if request.get('key') else [])
            try:
                p = subprocess.run([self.command, *args], capture_output=True, timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                return {'crash': f'no answer in {TIMEOUT_S} s'}
        if p.returncode == 0:
            return json.loads(p.stdout)
        if p.returncode in (1, 2, 3):
            return {'error': {'message': p.stderr.decode('utf-8', 'replace').strip()}}
        return {'crash': f'exit {p.returncode}'}

    def close(self):
        pass


def one_case(reader, folder, name, at=None):
    """(number of checks, list of what went wrong)"""
    case = json.loads((folder / 'case.json').read_text())
    array = folder / 'array' if (folder / 'array').exists() else folder / 'group'
    for empty in case.get('empty_dirs', []):
        (array / empty).mkdir(parents=True, exist_ok=True)
    place = f'{at}/{name}/{array.name}' if at else str(array)
    kind = (case.get('schema') or {}).get('kind')
    wrong, count = [], 0

    def ask(check, named=False):
        nonlocal count
        count += 1
        query = {k: check[k] for k in QUERY_KEYS if check.get(k) is not None}
        if named and 'fields' not in query and not check.get('aggregates'):
            query['fields'] = list(check['result'])
        if 'tiledb' in folder.parts:                     # what libtiledb answers, by its own rules
            query['as_libtiledb'] = True
        request = {'uri': f'{place}/{check["path"]}' if check.get('path') else place, 'query': query}
        if case.get('encryption_key_hex'):
            request['key'] = case['encryption_key_hex']
        return reader.ask(request)

    def must_read(check):
        named = isinstance(check.get('result'), dict) and kind != 'carray' and ('select' not in check or kind == 'ctable')
        answer = ask(check, named)
        return answer['crash'] if 'crash' in answer else difference(check, named, answer)

    def must_fail(check):
        answer = ask(check)
        if 'crash' in answer or 'error' not in answer:
            return answer.get('crash', 'read something that is damaged')
        return wrong_error(name, check.get('name', ''), answer['error']['message'])

    def note(what, problem):
        if problem:
            wrong.append(f'{what}: {problem}')

    if case.get('error') or case.get('open_fails'):
        note('open', must_fail({}))
        return count, wrong
    for check in case.get('checks', []):
        if kind == 'broken' or (check.get('result') is None and not check.get('error')):
            continue
        note(check.get('name', '?'), must_fail(check) if check.get('error') else must_read(check))
    for check in case.get('fails', []):
        check = check if isinstance(check, dict) else {'select': check}
        note('must fail ' + str(check.get('select')), must_fail(check))
    for check in case.get('either_checks', []):
        if check.get('result') is None:
            continue
        answer = ask(check)
        if 'crash' in answer:
            note('either', answer['crash'])
        elif 'error' not in answer:
            note('either refuse or read right', difference(check, False, answer))
    return count, wrong


def listed(name):
    """The lines of a list of cases: {case: the rest of the line}."""
    lines = (HERE / name).read_text().splitlines()
    return {line.partition('  ')[0]: line.partition('  ')[2] for line in lines if line and not line.startswith('#')}


FAILURES, QUIRKS, ERRORS = listed('expected_failures.txt'), listed('quirks.txt'), listed('expected_errors.txt')


def wrong_error(name, check, message):
    """None, or why the message is not that of the error which the check of a case is about."""
    expected = ERRORS.get(f'{name}:{check}', ERRORS.get(name))
    if expected is None:
        return f'no line in expected_errors.txt for: {message}'
    kind, _, part = expected.partition('  ')
    return None if f'{kind}: ' in message and part in message else f'expected {kind}: ... {part}, found: {message[:300]}'


def surprises_of(name, wrong):
    """What is left to say of a case when the lists are taken into account."""
    if name in QUIRKS:                                   # recorded behaviour that nobody has to copy: it must not crash
        wrong = [line for line in wrong if 'crashed or hung' in line]
    if name in FAILURES:
        wrong = [] if wrong else [f'passes, but expected_failures.txt says: {FAILURES[name]}']
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('command')
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('pattern', nargs='*')
    parser.add_argument('--verbose', action='store_true', help='every failure, not the first five of a family')
    parser.add_argument('--single', action='store_true', help='one process per request')
    parser.add_argument('--workers', type=int, default=2)
    parser.add_argument('--at', help='the URI of a copy of FOLDER to read from')
    options = parser.parse_args()

    unpack(options.folder)
    cases = sorted(p.parent for p in options.folder.rglob('case.json'))
    cases = [c for c in cases if all(p in str(c) for p in options.pattern)]
    readers = queue.SimpleQueue()
    for _ in range(options.workers):
        readers.put((SingleReader if options.single else Reader)(options.command))

    def run(folder):
        reader = readers.get()
        try:
            return one_case(reader, folder, str(folder.relative_to(options.folder)), options.at)
        except Exception as error:                       # a case the runner itself cannot take is a failure too
            return 1, [f'runner: {error!r}']
        finally:
            readers.put(reader)

    passed, failed, known, checks = (collections.Counter() for _ in range(4))
    shown, surprises = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for folder, (count, wrong) in zip(cases, pool.map(run, cases)):
            name = folder.relative_to(options.folder)
            family = str(name.parent)
            checks[family] += count
            wrong = surprises_of(str(name), wrong)
            if str(name) in FAILURES:
                known[family] += 1
            else:
                (failed if wrong else passed)[family] += 1
            surprises += bool(wrong)
            for line in wrong:
                shown[family] += 1
                if options.verbose or shown[family] <= 5:
                    print(f'{name}: {line}')
    while not readers.empty():
        readers.get().close()

    print(f'{"family":20} {"checks":>7} {"passed":>7} {"failed":>7} {"known":>7}')
    for family in sorted(checks):
        print(f'{family:20} {checks[family]:7} {passed[family]:7} {failed[family]:7} {known[family]:7}')
    print(f'{"all":20} {sum(checks.values()):7} {sum(passed.values()):7} {sum(failed.values()):7} {sum(known.values()):7}')
    sys.exit(0 if surprises == 0 and sum(passed.values()) else 1)


if __name__ == '__main__':
    main()
