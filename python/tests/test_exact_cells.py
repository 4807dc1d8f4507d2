"""Selections read and write the cells they name, and no others."""

import itertools
import math

import numpy as np
import pytest

import tegula as tg

FORMATS = ['tiledb', 'zarr2', 'zarr3', 'bcolz']


def test_steps_leave_the_cells_between_alone(tmp_path):
    path = str(tmp_path / 'a')
    tg.create(path, data=np.zeros((20, 6), 'i4'), chunks=(5, 3), format='tiledb')
    mine, theirs = tg.open(path, 'w'), tg.open(path, 'w')
    mine[0, 0]
    theirs[1] = 77
    mine[::2, ::2] = 1
    mine[[3, 8], [1, 1]] = 2
    mine[np.arange(20) == 13] = 3
    want = np.zeros((20, 6), 'i4')
    want[1] = 77
    want[::2, ::2] = 1
    want[[3, 8], [1, 1]] = 2
    want[13] = 3
    np.testing.assert_array_equal(tg.open(path)[...], want)
    np.testing.assert_array_equal(mine[...], want)


@pytest.mark.parametrize('format', FORMATS)
def test_mixed_indices_are_written_as_numpy_does(tmp_path, format):
    want = np.arange(6 * 5 * 4, dtype='f8').reshape(6, 5, 4)
    a = tg.create(str(tmp_path / 'a'), data=want, chunks=(2, 3, 4), format=format, sync=False)
    keys = [([0, 5], slice(None), [1, 3]), ([4, 4, 2], slice(1, 3), 0), (3, [0, 2], slice(None, None, 2)), (slice(None), [1, 1], [0, 2]),
            (None, [0, 1], slice(None), [2, 3]), ([[0], [1]], slice(2), [1, 2])]
    for n, key in enumerate(keys):
        shape = want[key].shape
        values = 1000 * n + np.arange(math.prod(shape), dtype='f8').reshape(shape)
        want[key] = values
        a[key] = values
        np.testing.assert_array_equal(a[...], want, err_msg=str(key))
        np.testing.assert_array_equal(a[key], want[key], err_msg=str(key))


def test_nulls_are_written_to_steps_and_points(tmp_path):
    a = tg.create(str(tmp_path / 'n'), dims=[tg.Dim('x', domain=(0, 9), tile=4)], attrs=[tg.Attr('v', dtype='i4', nullable=True)])
    a[...] = np.ma.masked_equal(np.arange(10), 3)
    a[::3] = np.ma.MaskedArray([10, 11, 12, 13], [False, True, False, False])
    a.vindex[[1, 8]] = np.ma.MaskedArray([20, 21], [False, True])
    found = tg.open(str(tmp_path / 'n'))[...]
    assert found.tolist() == [10, 20, 2, None, 4, 5, 12, 7, None, 13]


class Recorder:
    """Counts the cells that are asked for."""

    def __init__(self, handle):
        self.handle, self.cells = handle, 0

    def __getattr__(self, name):
        return getattr(self.handle, name)

    def read(self, axes, points, *rest):
        self.cells += math.prod(self.handle.result_shape(axes, points))
        return self.handle.read(axes, points, *rest)


@pytest.mark.parametrize('format', FORMATS)
def test_index_lists_read_what_they_ask_for(tmp_path, format):
    want = np.arange(200 * 3 * 200, dtype='i4').reshape(200, 3, 200)
    a = tg.create(str(tmp_path / 'a'), data=want, chunks=(50, 3, 50), format=format, sync=False)
    diagonal = np.arange(200)
    for key in [(diagonal, slice(None), diagonal), (diagonal[::-1], 1, diagonal), (diagonal.reshape(2, 100), slice(0, 3, 2), diagonal.reshape(2, 100))]:
        a._open_handle = Recorder(a._handle)
        np.testing.assert_array_equal(a[key], want[key])
        assert a._handle.cells <= 4 * want[key].size
        a._open_handle = a._handle.handle


def table(path):
    t = tg.create(path, dims=[tg.Dim('x', domain=(0, 9), tile=4)], attrs=[tg.Attr('v', dtype='i4', fill=-1000), tg.Attr('s', dtype=str)])
    t[:6] = {'v': np.array([5, -1, 7, 2, 9, 0], 'i4'), 's': list('abcdef')}
    return t


def test_rows_of_dense_tables(tmp_path):
    t = table(str(tmp_path / 't'))
    for found in (t.where('v > 4'), t.query(where='v > 4')):
        assert found['v'].tolist() == [5, 7, 9] and found['s'].tolist() == ['a', 'c', 'e'] and found.shape is None
    # Rows nobody wrote match nothing.
    assert t.query(where='v < 0')['v'].tolist() == [-1]
    assert t.where('v < 0').count() == 1 and t.query().count() == 6
    assert t.where('v > 4', skip=1, limit=1, row_numbers=True).to_numpy()['__row'].tolist() == [2]
    kept = t.query(['v'], where='v > 4', as_libtiledb=True)
    assert kept.shape == (10,) and kept['v'].tolist() == [5, -1000, 7, -1000, 9] + [-1000] * 5
    assert t.query(where='v > 4', as_libtiledb=True).count() == 10


@pytest.mark.parametrize('format', FORMATS)
def test_one_rule_for_aggregates(tmp_path, format):
    for n, values in enumerate(itertools.islice(itertools.permutations([-5, np.nan, 3, 1]), 0, 24, 7)):
        a = tg.create(str(tmp_path / str(n)), data=np.array(values), chunks=(2,), format=format, sync=False)
        assert math.isnan(a.min()) and math.isnan(a.max()) and math.isnan(a.sum())
        assert a.aggregate('min(value)', 'max(value)', 'count()', where='value == value') == {'min(value)': -5.0, 'max(value)': 3.0, 'count()': 3}
        nothing = a.aggregate('min(value)', 'mean(value)', 'std(value)', 'sum(value)', 'count()', where='value > 100')
        assert nothing == {'min(value)': None, 'mean(value)': None, 'std(value)': None, 'sum(value)': 0.0, 'count()': 0}
    dates = tg.create(str(tmp_path / 'd'), data=np.array(['2020-01-01', 'NaT', '2021-01-01'], 'M8[ns]'), format=format, sync=False)
    assert np.isnat(dates.min()) and np.isnat(dates.max())
    if format != 'tiledb':
        with pytest.raises(ValueError, match='TileDB'):
            dates.aggregate('count()', as_libtiledb=True)
