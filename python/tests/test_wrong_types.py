"""What callers hand over is an exception when it is of the wrong type, never a crash."""
import inspect

import numpy as np
import pytest

import tegula as tg

WRONG = [None, 0, -1, 1.5, 2**70, '', 'x', '\0', b'x', [], [1, 'a'], [('x',)], [b'x'], (), (1, 2, 3), {}, {1: 2}, object(), np.array(5), np.zeros((0, 5)),
         np.array([1 + 2j]), np.array([None, 1], object), slice('a'), Ellipsis, lambda: 0, type, np.datetime64('NaT')]
EXPECTED = (TypeError, ValueError, LookupError, OverflowError, AttributeError, NotImplementedError, OSError, tg.Error)


def check(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except EXPECTED:
        pass


@pytest.mark.parametrize('name', ['open', 'create', 'create_group', 'open_group', 'convert', 'compare', 'consolidate', 'vacuum', 'verify', 'repair', 'probe'])
def test_functions(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some are names of new arrays
    data = np.arange(6.).reshape(2, 3)
    tg.create(str(tmp_path / 'a'), data=data)
    call = getattr(tg, name)
    parameters = inspect.signature(call).parameters.values()
    for n, parameter in enumerate(parameters):
        for m, wrong in enumerate(WRONG):
            given = {p.name: str(tmp_path / ('a' if p.name in ('source', 'a', 'b') or name != 'create' else f'new-{n}-{m}'))
                     for p in parameters if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD}
            if name in ('convert', 'create_group'):
                given[[*given][-1]] = str(tmp_path / f'new-{n}-{m}')
            if name == 'create':
                given['data'] = data
            given[parameter.name] = wrong
            check(call, **given)
    assert np.array_equal(tg.open(str(tmp_path / 'a'))[...], data)


def test_methods(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dense = tg.create(str(tmp_path / 'd'), data=np.arange(6), format='zarr3')
    sparse = tg.create(str(tmp_path / 's'), sparse=True, dims=[tg.Dim('x', (0, 9), dtype='i4')], attrs=[tg.Attr('v', 'i4')])
    table = tg.create(str(tmp_path / 't'), columns={'a': np.arange(3), 'b': np.array(['x', 'y', ''])})
    for array in (dense, sparse, table):
        for name in dir(array):
            if name.startswith('_') and name not in ('__getitem__', '__setitem__', '__contains__'):
                continue
            method = getattr(array, name, None)
            if callable(method) and name != 'close':
                for wrong in WRONG:
                    check(method, wrong)
                    check(method, wrong, wrong)


def test_filters(tmp_path):
    for filters in (b'x', [b'x'], [('zstd',)], [('zstd', 5)], [5], [('zstd', {}, 1)]):
        with pytest.raises((TypeError, ValueError)):
            tg.create(str(tmp_path / 'a'), data=np.arange(3), filters=filters)


def test_current_domains(tmp_path):
    for domain in (([0, 1], [1]), 5, 'x', [(0, 1)], ((0,),), ((0, 1), (0, 1), (0, 1))):
        check(tg.create, str(tmp_path / 'a'), dims=[tg.Dim('x', (0, 9), dtype='i4')], attrs=[tg.Attr('v', 'i4')], current_domain=domain, overwrite=True)


def test_truth_that_numpy_does_not_know(tmp_path):
    with pytest.raises(ValueError, match='ambiguous'):
        tg.create(str(tmp_path / 'a'), data=np.arange(3), allows_duplicates=np.arange(2))


@pytest.mark.parametrize('fill, dtype', [(1.7, 'i4'), (300, 'u1'), (-1, 'u2'), (float('nan'), 'i4'), (1 + 2j, 'f4'), (1e300, 'f4'), ('abc', 'S2'),
                                         ('2020-01-01T12', 'M8[D]')])
def test_fill_values_are_not_cut(tmp_path, fill, dtype):
    with pytest.raises(ValueError, match='fit|room'):
        tg.create(str(tmp_path / 'a'), shape=(3,), dtype=dtype, fill_value=fill, format='zarr3')
    with pytest.raises(ValueError):
        tg.Attr('v', dtype, fill=fill)
