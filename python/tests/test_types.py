"""The annotations hold: of the package itself, of a script that uses it, and of the extension module."""
import pathlib
import subprocess
import sys

import pytest

import tegula

pytest.importorskip('mypy')
PACKAGE = pathlib.Path(tegula.__file__).parent.resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = '''
import numpy as np
import tegula as tg

schema: tg.Schema = tg.open('x').schema
dim: tg.Dim = tg.Dim('y', domain=(0, 8191), tile=512, dtype='int64', filters=['zstd'])
report: tg.Report = tg.verify('x')
names: list[str] = [p.file for p in report]
q: tg.Query = tg.SparseArray.query(tg.open('x'), fields=['a'], where='a > 1', order='row')
values: np.ndarray = q['a']
count: int = q.cells
try:
    tg.vacuum('x', dry_run=True)
except tg.CorruptError as error:
    print(error)
'''


def mypy(*args, cwd):
    out = subprocess.run([sys.executable, '-m', 'mypy', '--no-error-summary', '--cache-dir', str(cwd / 'cache'), *args], cwd=cwd,
                         capture_output=True, text=True, env={'MYPYPATH': str(PACKAGE.parent), 'PATH': '/usr/bin:/bin'})
    return out.stdout + out.stderr


def test_script(tmp_path):
    (tmp_path / 'script.py').write_text(SCRIPT)
    assert mypy('--strict', '--allow-any-generics', '--follow-imports', 'silent', 'script.py', cwd=tmp_path) == ''


def test_wrong_script(tmp_path):
    (tmp_path / 'script.py').write_text("import tegula as tg\nx: int = tg.verify('x')\ntg.Dim('a', domian=(0, 1))\n")
    found = mypy('--strict', '--follow-imports', 'silent', 'script.py', cwd=tmp_path)
    assert 'script.py:2' in found and 'script.py:3' in found


def test_stub_matches_module(tmp_path):
    from tegula import _tegula
    import ast
    tree = ast.parse((ROOT / 'python' / 'tegula' / '_tegula.pyi').read_text())
    names = {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    have = {n for n in dir(_tegula) if not n.startswith('_')}
    assert names == have
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.endswith('Error'):
            stub = {n.name for n in node.body if isinstance(n, ast.FunctionDef) and n.name != '__buffer__'}
            real = {n for n in vars(getattr(_tegula, node.name)) if not n.startswith('__') or n == '__len__'}
            assert stub == real, node.name
