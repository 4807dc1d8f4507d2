#!/usr/bin/env python3
"""Runs the commands that the pages show, and compares (or with --write replaces) their output.

usage: make_examples.py TEGULA [--write] PAGE...

Blocks marked ```console are run line by line by bash, all blocks of a page in one new folder; a comment <!-- setup ... --> is run
where it stands and not shown. Dates, names of fragments, and sizes and checksums of what is compressed differ from run to run and are not compared.
"""
import os, pathlib, re, subprocess, sys, tempfile

BLOCKS = re.compile(r'```console\n(.*?)```\n|<!-- setup\n(.*?)-->\n', re.S)
VOLATILE = [(r'\d{4}-\d\d-\d\dT[\d:.]+Z?', 'TIME'), (r'__\d+_\d+_[0-9a-f]{32}(_\d+)?', 'NAME'), (r'\d+(\.\d+)? (B|KiB|MiB)\b', 'SIZE'),
            (r'\d+(\.\d+)? to 1', 'RATIO'), (r'\.tegula-[0-9a-f]+', 'TEMPORARY'), (r'crc32c of \d+ bytes is \w+, the file says \w+', 'CRC'), (r' +', ' ')]


def run(command, folder, path):
    done = subprocess.run(['bash', '-c', command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                          env={**os.environ, 'PATH': f'{path}:{os.environ["PATH"]}', 'TZ': 'UTC', 'LC_ALL': 'C.UTF-8'})
    return done.stdout + (f'(exit {done.returncode})\n' if done.returncode else '')


def steady(text):
    for pattern, name in VOLATILE:
        text = re.sub(pattern, name, text)
    return text


def page_anew(page, path):
    with tempfile.TemporaryDirectory(prefix='tegula-docs-') as folder:
        def block(match):
            if match.group(2) is not None:
                if out := run('set -e\n' + match.group(2), folder, path):
                    sys.exit(f'{page}: the setup says: {out}')
                return match.group(0)
            out = ''
            for command in re.findall(r'^\$ (.*(?:\\\n.*)*)$', match.group(1), re.M):
                out += f'$ {command}\n{run(command, folder, path)}'
            return f'```console\n{out}```\n'
        return BLOCKS.sub(block, page.read_text())


def main():
    write = '--write' in sys.argv
    tegula, *pages = [a for a in sys.argv[1:] if a != '--write']
    differ = False
    for page in map(pathlib.Path, pages):
        old, new = page.read_text(), page_anew(page, pathlib.Path(tegula).resolve().parent)
        if write:
            page.write_text(new)
        elif steady(old) != steady(new):
            differ = True
            for a, b in zip(steady(old).splitlines(), steady(new).splitlines()):
                if a != b:
                    print(f'{page}:\n  shows {a}\n  now   {b}')
                    break
            else:
                print(f'{page}: differs in length')
    sys.exit(differ)


if __name__ == '__main__':
    main()
