"""Data frames and Arrow tables into new arrays, and writes that would cut values."""
import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tegula as tg

WITH_NULLS = {
    'big': (pd.array([1, None, 9007199254740993], 'Int64'), 'int64', [1, None, 9007199254740993]),
    'small': (pd.array([1, None, 3], 'UInt8'), 'uint8', [1, None, 3]),
    'text': (pd.Series(['x', None, 'z']), 'O', ['x', None, 'z']),
    'string': (pd.array(['x', None, 'z'], 'string'), 'O', ['x', None, 'z']),
    'flag': (pd.array([True, None, False], 'boolean'), 'bool', [True, None, False]),
    'kind': (pd.Series(pd.Categorical(['u', None, 'v'])), 'O', ['u', None, 'v']),
    'real': (pd.array([1.5, None, 2.5], 'Float64'), 'float64', [1.5, None, 2.5]),
    'list': ([1, None, 3], 'int64', [1, None, 3]),
    'mixed': (np.array(['a', np.nan, 'c'], object), 'O', ['a', None, 'c']),
    'arrow': (pa.chunked_array([[1, None], [2 ** 53 + 1]]), 'int64', [1, None, 2 ** 53 + 1]),
    'arrow_text': (pa.array(['x', None, '']), 'O', ['x', None, '']),
    'arrow_kind': (pa.array(['x', None, 'x']).dictionary_encode(), 'O', ['x', None, 'x']),
    'polars': (pl.Series([1, None, 2 ** 53 + 1]), 'int64', [1, None, 2 ** 53 + 1]),
}
OWN_MISSING = {
    'float': (pd.Series([1.0, np.nan, 3.0]), [1.0, math.nan, 3.0]),
    'time': (pd.to_datetime(pd.Series(['2020-01-01', None, '2021-01-01'])), None),
    'arrow_time': (pa.array([1, None, 3], pa.timestamp('s')), None),
}


@pytest.mark.parametrize('name', WITH_NULLS)
def test_what_is_missing_becomes_null(tmp_path, name):
    values, dtype, wanted = WITH_NULLS[name]
    table = tg.create(tmp_path / 't', columns={'c': values, 'n': [0, 1, 2]})
    assert table.schema.attr('c').nullable and table.schema.attr('c').dtype == np.dtype(dtype)
    found = tg.open(tmp_path / 't').query(['c'])['c']
    assert [None if m else v for v, m in zip(found.data.tolist(), np.ma.getmaskarray(found))] == wanted
    assert not table.schema.attr('n').nullable


@pytest.mark.parametrize('name', WITH_NULLS)
def test_bcolz_has_no_nulls(tmp_path, name):
    values, dtype, wanted = WITH_NULLS[name]
    if dtype == 'float64':
        found = tg.create(tmp_path / 't', format='bcolz', columns={'c': values})['c'][...]
        assert found[0] == 1.5 and np.isnan(found[1])
        return
    with pytest.raises(ValueError, match="column 'c' has 1 missing values, and bcolz has no nulls; fill them"):
        tg.create(tmp_path / 't', format='bcolz', columns={'c': values})
    assert not (tmp_path / 't').exists()


@pytest.mark.parametrize('format', ['tiledb', 'bcolz'])
@pytest.mark.parametrize('name', OWN_MISSING)
def test_nan_and_nat_are_values(tmp_path, name, format):
    values, wanted = OWN_MISSING[name]
    table = tg.create(tmp_path / 't', format=format, columns={'c': values})
    assert not table.schema.attr('c').nullable
    found = table['c'][...]
    assert found.dtype.kind in 'fM'
    assert np.isnan(found).tolist() == [False, True, False] if found.dtype.kind == 'f' else np.isnat(found).tolist() == [False, True, False]


def test_a_frame_comes_back_as_it_was(tmp_path):
    frame = pd.DataFrame({'i': pd.array([1, None, 3], 'Int64'), 'b': pd.array([True, None, False], 'boolean'), 'f': [1.5, np.nan, 2.5],
                          's': ['a', None, 'c']})
    tg.create(tmp_path / 't', columns=frame)
    back = tg.open(tmp_path / 't').to_pandas()
    for name in ('i', 'b', 'f'):
        pd.testing.assert_series_equal(back[name], frame[name])
    assert [None if pd.isna(v) else v for v in back['s']] == ['a', None, 'c']


def test_arrow_tables_are_columns(tmp_path):
    table = pa.table({'a': [1, 2, 3], 's': ['x', None, 'z'], 'd': pa.array([0, None, 2], pa.date32())})
    made = tg.create(tmp_path / 't', columns=table)
    assert made.query(['s']).to_arrow()['s'].to_pylist() == ['x', None, 'z']
    assert made.query(['a'])['a'].tolist() == [1, 2, 3]
    assert made.query(['d'])['d'].dtype == np.dtype('M8[D]')


@pytest.mark.parametrize('values', [[object()] * 2, [1, 'a', b'c'], ['a', b'b'], [datetime.date(2020, 1, 1), 5]])
def test_objects_are_refused(tmp_path, values):
    column = np.empty(len(values), object)
    column[:] = values
    with pytest.raises(TypeError, match="column 'c' holds"):
        tg.create(tmp_path / 't', columns={'c': column})


def test_time_zones_are_refused(tmp_path):
    for values in (pd.Series(pd.to_datetime(['2020-01-01']).tz_localize('Europe/Berlin')), pa.array([1], pa.timestamp('s', 'Asia/Tokyo'))):
        with pytest.raises(ValueError, match="'c' has a time zone"):
            tg.create(tmp_path / 't', columns={'c': values})
    for values in (pd.Series(pd.to_datetime(['1970-01-01T00:00:05']).tz_localize('UTC')), pa.array([5], pa.timestamp('s', 'UTC'))):
        assert tg.create(tmp_path / 't', columns={'c': values}, overwrite=True)['c'][...].astype('M8[s]').tolist() == [datetime.datetime(1970, 1, 1, 0, 0, 5)]


CUT = [('i4', 3.7), ('i4', [1.0, math.nan]), ('i4', 2.0 ** 40), ('u1', -1), ('u1', 300), ('i8', np.uint64(2 ** 63)), ('u8', -1), ('S2', b'abcdef'),
       ('U2', 'abc'), ('?', 3), ('f4', 1e300), ('f8', 1 + 2j), ('M8[s]', np.datetime64('2020-01-01T00:00:00.5')),
       ('i4', np.array([3.7], object)), ('S2', np.array([b'abc'], object))]


@pytest.mark.parametrize('dtype, value', CUT)
def test_nothing_is_cut(tmp_path, dtype, value):
    array = tg.create(tmp_path / 'a', format='zarr2', shape=(4,), dtype=dtype)
    before = array[...].tolist()
    with pytest.raises((ValueError, OverflowError, TypeError)):
        array[:np.size(value)] = value
    assert array[...].tolist() == before


def test_what_fits_is_taken(tmp_path):
    for dtype, value in (('i4', 3.0), ('i4', [1.0, 2.0]), ('S4', 'ab'), ('U4', b'ab'), ('?', 1), ('f4', 0.1), ('f8', 2 ** 60), ('M8[s]', np.datetime64('2020')),
                         ('i8', np.array([3, 4], object)), ('u8', 2 ** 64 - 1), ('M8[s]', np.datetime64('NaT', 'ns'))):
        array = tg.create(tmp_path / 'a', format='zarr2', shape=(4,), dtype=dtype, overwrite=True)
        array[:np.size(value)] = value
        assert str(array[0]) == str(np.ravel(np.asarray(value).astype(dtype))[0])


def test_coordinates_and_rows_are_not_cut(tmp_path):
    points = tg.create(tmp_path / 'p', sparse=True, dims=[tg.Dim('x', (0, 9), dtype='i4')], attrs=[tg.Attr('v', dtype='i4')])
    with pytest.raises(ValueError, match='1.7 does not fit int32'):
        points.write({'x': [1.7, 2.2], 'v': [1, 2]})
    assert points.query().cells == 0
    table = tg.create(tmp_path / 't', format='bcolz', columns={'s': np.array([b'ab']), 'k': [1]})
    with pytest.raises(ValueError, match='has 6 characters, and there is room for 2'):
        table.append({'s': [b'abcdef'], 'k': [3]})
    with pytest.raises(ValueError, match='3.7'):
        table.append({'s': [b'ab'], 'k': [3.7]})
    assert table.nrows == 1
    text = tg.create(tmp_path / 's', dims=[tg.Dim('x', (0, 1), dtype='i4')], attrs=[tg.Attr('s', dtype=str)])
    with pytest.raises(ValueError, match='missing values'):
        text[...] = {'s': [float('nan'), 'a']}


def test_a_write_at_a_time_is_seen_by_its_own_handle(tmp_path):
    points = tg.create(tmp_path / 'p', sparse=True, dims=[tg.Dim('x', (0, 9), dtype='i4')], attrs=[tg.Attr('v', dtype='i4')])
    points.write({'x': [1], 'v': [10]}, at=1000)
    assert points.query()['v'].tolist() == [10]
    points.write({'x': [1, 2], 'v': [11, 12]}, at='2020-01-01')
    assert points.query(order='row')['v'].tolist() == [11, 12]
    assert tg.open(tmp_path / 'p', at=1000).query()['v'].tolist() == [10]


@pytest.mark.parametrize('low, high', [(-2 ** 63, 2 ** 63 - 10001), (0, 2 ** 40)])
def test_of_a_huge_domain_what_was_written(tmp_path, low, high):
    whole = tg.create(tmp_path / 'a', dims=[tg.Dim('row', (low, high), tile=10000, dtype='i8')], attrs=[tg.Attr('a', dtype='i4'), tg.Attr('b', dtype='f8')])
    assert repr(whole) and whole._repr_html_()
    with pytest.raises(ValueError, match='nothing has been written'):
        whole.to_pandas()
    first = 0 - low if low else 5
    if low == 0:
        whole[first:first + 20] = {'a': np.arange(20, dtype='i4'), 'b': np.arange(20) / 2}
        frame = tg.open(tmp_path / 'a').to_pandas()
        assert frame['a'].tolist() == list(range(20)) and len(frame) == 20
        assert tg.open(tmp_path / 'a').to_arrow().num_rows == 20
        assert tg.open(tmp_path / 'a').aggregate('count()', 'sum(a)') == {'count()': 20, 'sum(a)': 190}
    with pytest.raises((MemoryError, ValueError)):
        whole['a'][...]


def test_existing_targets(tmp_path):
    tg.create(tmp_path / 'a', shape=(2,), dtype='i4', format='zarr3')
    for make in (lambda: tg.create(tmp_path / 'a', shape=(2,), dtype='i4', format='zarr3'), lambda: tg.create_group(tmp_path / 'a', 'zarr3')):
        with pytest.raises(FileExistsError, match='already'):
            make()
        with pytest.raises(ValueError):
            make()


def test_a_creation_that_fails_leaves_nothing(tmp_path):
    masked = np.ma.MaskedArray([1, 2], [True, False])
    for format in ('zarr3', 'bcolz', 'tiledb'):
        with pytest.raises(ValueError, match='masked'):
            tg.create(tmp_path / format, data=masked, format=format)
        assert not (tmp_path / format).exists()
        tg.create(tmp_path / format, data=masked.data, format=format)
        with pytest.raises(ValueError, match='masked'):
            tg.create(tmp_path / format, data=masked, format=format, overwrite=True)


def test_chunks_are_chosen(tmp_path):
    for format in ('zarr3', 'tiledb'):
        assert tg.create(tmp_path / format, shape=(3000, 4000), dtype='f8', format=format, chunks=True).chunks == (375, 250)


def test_numpy_reduces(tmp_path):
    values = np.arange(12.0).reshape(3, 4)
    array = tg.create(tmp_path / 'a', data=values, format='zarr3')
    assert np.sum(array) == 66 and np.max(array) == 11 and np.mean(array) == 5.5
    assert np.sum(array, axis=0).tolist() == values.sum(0).tolist() == array.sum(axis=0).tolist()
    assert np.min(array, axis=1).tolist() == values.min(1).tolist()
    points = tg.create(tmp_path / 'p', sparse=True, dims=[tg.Dim('x', (0, 9), dtype='i4')], attrs=[tg.Attr('v', dtype='i4')])
    with pytest.raises(TypeError, match='query'):
        np.asarray(points)
