"""pyarrow, polars, duckdb and pandas take results."""
import numpy as np
import pytest

import tegula as tg

pa = pytest.importorskip('pyarrow')


@pytest.fixture(scope='module')
def mixed(tmp_path_factory):
    uri = str(tmp_path_factory.mktemp('arrow') / 'a')
    tg.create(uri, sparse=True, dims=[tg.Dim('x', (0, 999), 100)], capacity=3, enumerations=[tg.Enumeration('colours', ['red', 'green', 'blue'])],
              attrs=[tg.Attr('i', 'i4'), tg.Attr('f', 'f8', nullable=True), tg.Attr('s', str), tg.Attr('sn', str, nullable=True), tg.Attr('b', bytes),
                     tg.Attr('ok', 'bool'), tg.Attr('t', 'M8[ns]'), tg.Attr('d', 'M8[D]'), tg.Attr('m', 'M8[M]'), tg.Attr('rgb', ('u1', 3)),
                     tg.Attr('l', 'i2', values='var'), tg.Attr('c', 'u1', enumeration='colours')])
    n = 10
    cells = {'x': np.arange(n) * 7, 'i': np.arange(n), 'f': np.ma.MaskedArray(np.arange(n) / 4, np.arange(n) % 3 == 0),
             's': [f'é{i}' * (i % 3) for i in range(n)], 'sn': np.array([None if i % 4 == 0 else f'n{i}' for i in range(n)], object),
             'b': [bytes([i, 255]) for i in range(n)], 'ok': np.arange(n) % 2 == 1,
             't': np.datetime64('2020-01-01', 'ns') + np.arange(n), 'd': np.datetime64('2020-01-01') + np.arange(n),
             'm': np.datetime64('1969-11') + np.arange(n), 'rgb': np.arange(3 * n).reshape(n, 3).astype('u1'),
             'l': [np.arange(i % 4) for i in range(n)], 'c': ['red', 'green', 'blue', 'red', 'red'] * 2}
    tg.open(uri, 'w').write(cells)
    return uri, cells


def test_pyarrow(mixed):
    uri, cells = mixed
    table = pa.table(tg.open(uri).query(order='row'))
    table.validate(full=True)
    assert table.num_rows == 10
    assert table['x'].to_pylist() == cells['x'].tolist() and table['i'].type == pa.int32()
    assert table['f'].to_pylist() == cells['f'].tolist()
    assert table['s'].to_pylist() == cells['s'] and table['s'].type == pa.large_string()
    assert table['sn'].to_pylist() == cells['sn'].tolist()
    assert table['b'].to_pylist() == cells['b'] and table['ok'].to_pylist() == cells['ok'].tolist()
    assert table['t'].type == pa.timestamp('ns') and table['d'].type == pa.date32() and table['m'].type == pa.date32()
    assert table['d'].to_pylist() == cells['d'].astype(object).tolist()
    assert table['m'].to_pylist() == cells['m'].astype('M8[D]').astype(object).tolist()
    assert table['rgb'].to_pylist() == cells['rgb'].tolist() and table['l'].to_pylist() == [v.tolist() for v in cells['l']]
    assert table['c'].to_pylist() == cells['c'] and pa.types.is_dictionary(table['c'].type)


def test_batches(mixed):
    uri, cells = mixed
    batches = [pa.record_batch(b) for b in tg.open(uri, memory='1KB').query(order='row')]
    assert pa.Table.from_batches(batches)['i'].to_pylist() == cells['i'].tolist()
    reader = pa.RecordBatchReader.from_stream(tg.open(uri, memory='1KB').query(order='row'))
    assert sum(b.num_rows for b in reader) == 10
    assert pa.schema(tg.open(uri).query()).names[0] == 'x'


def test_nothing_found(mixed):
    table = pa.table(tg.open(mixed[0]).query(ranges={'x': (1, 1)}))
    assert table.num_rows == 0 and 's' in table.column_names


def test_no_copy(mixed):
    r = tg.open(mixed[0]).query('i', order='row')
    values = r['i']
    batch = pa.record_batch(next(iter(r)))
    assert batch['i'].buffers()[1].address == values.__array_interface__['data'][0]


def test_memory_outlives_the_result(mixed):
    array = pa.table(tg.open(mixed[0]).query(order='row'))['s']
    values = tg.open(mixed[0]).query('i', order='row')['i']
    import gc
    gc.collect()
    assert array.to_pylist() == mixed[1]['s'] and values.tolist() == list(range(10))
    values[0] = 5
    assert np.from_dlpack(values)[0] == 5


def test_pandas(mixed):
    pytest.importorskip('pandas')
    uri, cells = mixed
    frame = tg.open(uri).query(order='row').to_pandas(index='x')
    assert frame.index.tolist() == cells['x'].tolist() and frame['i'].tolist() == cells['i'].tolist()
    assert frame['f'].isna().tolist() == cells['f'].mask.tolist() and frame['sn'].isna().sum() == 3
    assert frame['c'].tolist() == cells['c'] and str(frame['c'].dtype) == 'category'
    assert frame['t'].tolist()[0].year == 2020 and frame['rgb'][0].tolist() == [0, 1, 2]


def test_polars_and_duckdb(mixed):
    uri, cells = mixed
    polars = pytest.importorskip('polars')
    frame = polars.DataFrame(tg.open(uri).query(['x', 'i', 'f', 's', 'ok', 't', 'd', 'l'], order='row'))
    assert frame['s'].to_list() == cells['s'] and frame['f'].null_count() == 4 and frame['l'].to_list()[3] == [0, 1, 2]
    duckdb = pytest.importorskip('duckdb')
    found = pa.table(tg.open(uri).query(['x', 'i', 's', 'c'], order='row'))  # noqa: F841
    assert duckdb.sql("select sum(i), max(s) from found where c = 'red'").fetchall() == [(0 + 3 + 4 + 5 + 8 + 9, 'é8é8')]


def test_dense_and_tables(tmp_path):
    a = tg.create(tmp_path / 'z', format='zarr2', data=np.arange(12, dtype='>f4').reshape(3, 4))
    assert pa.table(a.query())['value'].to_pylist() == list(range(12))
    t = tg.create(tmp_path / 'b', format='bcolz', columns={'n': np.array(['a', 'bcd']), 'v': np.array([1.5, 2.5]), 'y': np.array(['2020', 'NaT'], 'M8[Y]')})
    table = pa.table(t)
    assert table['n'].to_pylist() == ['a', 'bcd'] and table['v'].to_pylist() == [1.5, 2.5]
    assert [v and v.year for v in table['y'].to_pylist()] == [2020, None]
    assert t.to_pandas()['n'].tolist() == ['a', 'bcd']


def test_not_utf8(tmp_path):
    tg.create(tmp_path / 'a', sparse=True, dims=[tg.Dim('x', (0, 9), 5)], attrs=[tg.Attr('s', 'ascii')]).write({'x': [1], 's': [b'\xff\xfe']})
    q = tg.open(tmp_path / 'a').query()
    assert q['s'].tolist() == ['\udcff\udcfe']
    with pytest.raises(Exception, match='UTF-8'):
        pa.table(q)


def test_writes_take_tables(tmp_path):
    a = tg.create(tmp_path / 'a', sparse=True, dims=[tg.Dim('x', (0, 99), 5)], attrs=[tg.Attr('v', 'f4'), tg.Attr('s', str, nullable=True)])
    a.write(pa.table({'x': [3, 1], 'v': [1.0, 2.0], 's': ['p', None]}))
    pandas = pytest.importorskip('pandas')
    a.write(pandas.DataFrame({'x': [7], 'v': [3.0], 's': ['q']}))
    r = tg.open(tmp_path / 'a').query(order='row')
    assert r['x'].tolist() == [1, 3, 7] and r['s'].tolist() == [None, 'p', 'q']


def test_cells_of_several_texts_are_lists(tmp_path):
    """Joined, nobody could tell where each text ends."""
    values = np.array([[b'ab', b'c'], [b'', b'de']], 'S2')
    tg.create(tmp_path / 't', format='bcolz', columns={'s': values})
    found = tg.open(tmp_path / 't').to_arrow()['s']
    assert pa.types.is_fixed_size_list(found.type) and [[bytes(v).rstrip(b'\0') for v in row] for row in found.to_pylist()] == [[b'ab', b'c'], [b'', b'de']]
