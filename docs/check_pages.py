#!/usr/bin/env python3
"""Checks that the pages name only what is there: linked files, files in backticks, the functions of architecture.md's walks and
the tests of guarantees.md.

usage: check_pages.py [ROOT]
"""
import pathlib, re, subprocess, sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parent.parent
PAGES = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted(ROOT.glob('docs/**/*.md'))]
FILES = [ROOT / name for name in subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, stdout=subprocess.PIPE,
                                                text=True, check=True).stdout.split('\n') if name]
FILES = [file for file in FILES if file.is_file()]
NAMES = {str(file.relative_to(ROOT)) for file in FILES}


def there(name):
    """A path from the root, or the end of one: `disk/versions.h` is src/format/tiledb/disk/versions.h."""
    return any(known == name or known.endswith('/' + name) for known in NAMES)


def links(page, text):
    for target in re.findall(r'\]\(([^)#]+)(?:#[^)]*)?\)', text):
        if '://' not in target and not (page.parent / target).exists():
            yield f'the link to {target} leads nowhere'


def files(page, text):
    for name in re.findall(r'`([\w./+-]+\.(?:cc|h|py|md|cmake))`', text):
        if not name.startswith('*') and not there(name):
            yield f'there is no {name}'


def walks(page, text):
    for function, where in re.findall(r'^\| `([\w:]+)` \| `([\w/]+)` \|', text, re.M):
        base = where if where.startswith('cli/') else 'src/' + where
        sources = [ROOT / (base + end) for end in ('.h', '.cc') if (ROOT / (base + end)).is_file()]
        if not sources:
            yield f'there is no {base}.h or .cc'
        for part in function.split('::'):
            if not any(re.search(rf'\b{part}\b', source.read_text()) for source in sources):
                yield f'{base} has no {part}'


def tests(page, text):
    cases, functions = set(), set()
    for file in FILES:
        if file.name.endswith('_test.cc'):
            cases |= {f'{suite}.{name}' for suite, name in re.findall(r'^TEST(?:_[FP])?\((\w+), (\w+)\)', file.read_text(), re.M)}
        elif file.suffix == '.py' and 'test' in file.name:
            functions |= set(re.findall(r'def (test_\w+)', file.read_text()))
    for name in re.findall(r'`([A-Z]\w+\.[A-Z]\w+)`', text):
        if name not in cases:
            yield f'there is no test {name}'
    for name in re.findall(r'`(test_\w+)`', text):
        if name not in functions:
            yield f'there is no test {name}'


def main():
    problems = []
    for page in PAGES:
        checks = [links, files] + ([walks] if page.name == 'architecture.md' else []) + ([tests] if page.name == 'guarantees.md' else [])
        for check in checks:
            problems += [f'{page.relative_to(ROOT)}: {problem}' for problem in check(page, page.read_text())]
    print('\n'.join(problems) or f'{len(PAGES)} pages name only what is there')
    sys.exit(bool(problems))


if __name__ == '__main__':
    main()
