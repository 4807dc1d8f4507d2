"""The examples of docs/python.md, run as written."""
import doctest
import pathlib

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / 'docs' / 'python.md'


def test_page(tmp_path, monkeypatch):
    pytest.importorskip('pandas')
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 20 and found.failed == 0
