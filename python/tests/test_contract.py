"""The names that scripts rely on."""
import numpy as np
import pytest

import tegula as tg


def test_dense_tiledb(place):
    uri = place()
    tg.create(uri, format='tiledb', sparse=False,
              dims=[tg.Dim('y', domain=(0, 99), tile=50, dtype='int64'), tg.Dim('x', domain=(0, 79), tile=40, dtype='int64')],
              attrs=[tg.Attr('v', dtype='float32', filters=['byteshuffle', 'zstd:3'], nullable=False, fill=None)],
              cell_order='row', tile_order='row', capacity=10000, allows_duplicates=False, format_version=None, key=None)
    data = np.arange(8000, dtype='f4').reshape(100, 80)
    with tg.open(uri, 'w', at=None) as a:
        a[...] = data
    a = tg.open(uri)
    assert isinstance(a, tg.Array) and a.shape == (100, 80) and a.dtype == 'f4' and a.chunks == (50, 40)
    assert a.ndim == 2 and a.nbytes == 32000 and a.format == 'tiledb' and len(a) == 100
    np.testing.assert_array_equal(a[3:7, ::2], data[3:7, ::2])
    np.testing.assert_array_equal(a['v'][...], data)
    buf = np.zeros((100, 80), 'f4')
    assert a.read(out=buf) is buf
    np.testing.assert_array_equal(buf, data)
    assert [str(f) for f in a.schema.attr('v').filters] == ['byteshuffle', 'zstd:3']
    assert np.isnan(a.fill_value)


def test_create_plain(place, format):
    uri = place()
    data = np.arange(60 * 50, dtype='f4').reshape(60, 50)
    filters = ['zstd:3'] if format == 'tiledb' else ['blosc:lz4:5:shuffle']
    a = tg.create(uri, format=format, shape=(60, 50), chunks=(16, 50) if format == 'bcolz' else (16, 25), dtype='f4',
                  filters=filters, fill_value=0)
    a[...] = data
    b = tg.open(uri)
    np.testing.assert_array_equal(b[...], data)
    assert b.dtype == 'f4' and b.shape == (60, 50) and b.chunks[0] == 16 and b.fill_value == 0
    assert tg.probe(uri) == ('array', format)


def test_table(place):
    uri = place()
    i, f = np.arange(1000), np.linspace(0, 9, 1000)
    tg.create(uri, format='bcolz', columns={'i': i, 'f': f, 'k': i % 10})
    t = tg.open(uri, 'w')
    assert isinstance(t, tg.Table) and t.columns == ('i', 'f', 'k') and len(t) == 1000
    np.testing.assert_array_equal(t['f'][:], f)
    assert t['f'].sum() == pytest.approx(f.sum()) and t['i'].max() == 999 and t['i'].mean() == 499.5
    found = t.where('(f > 2) & (k == 7)')
    np.testing.assert_array_equal(found['f'], f[(f > 2) & (i % 10 == 7)])
    t.append({'i': [5], 'f': [1.5], 'k': [2]})
    assert len(t) == 1001 and t['f'][-1] == 1.5
    assert t[1000].item() == (5, 1.5, 2)
    np.testing.assert_array_equal(t[:3]['i'], [0, 1, 2])
    t.add_column('z', np.arange(1001) * 2.0)
    t.rename_column('z', 'zz')
    assert t['zz'][10] == 20
    t.drop_column('zz')
    assert tg.open(uri).columns == ('i', 'f', 'k')


def test_table_of_tiledb(place):
    uri = place()
    names = np.array(['a', 'bb', None, 'dddd'], object)
    tg.create(uri, columns={'n': np.arange(4), 's': np.array(['x', 'yy', '', 'ä']), 'm': np.ma.MaskedArray([1, 2, 3, 4], [0, 1, 0, 0])})
    t = tg.open(uri)
    assert isinstance(t, tg.Table)
    assert t['s'][:].tolist() == ['x', 'yy', '', 'ä']
    assert t['m'][:].tolist() == [1, None, 3, 4]
    assert t.where('n >= 2')['s'].tolist() == ['', 'ä']
    assert t.where('m is null')['n'].tolist() == [1]
    assert t.where('n > 0', limit=1, skip=1)['n'].tolist() == [2]
    assert names.size == 4


@pytest.fixture
def points(place):
    uri = place()
    tg.create(uri, sparse=True, dims=[tg.Dim('x', domain=(-100, 100), tile=10), tg.Dim('y', domain=(0.0, 1.0), tile=0.5, dtype='float64')],
              attrs=[tg.Attr('v', dtype='float64'), tg.Attr('name', dtype=str), tg.Attr('n', dtype='int32', nullable=True)], capacity=7)
    with tg.open(uri, 'w') as a:
        a.write({'x': [5, -3, 50], 'y': [0.5, 0.25, 1.0], 'v': [1.0, 2.5, 4.0], 'name': ['one', '', 'drei'],
                 'n': np.ma.MaskedArray([1, 2, 3], [0, 1, 0])})
    return uri


def test_sparse(points):
    a = tg.open(points)
    assert isinstance(a, tg.SparseArray)
    r = a.query(fields=None, ranges={'x': (-10, 10)}, where='v > 0.5', order='row')
    assert r['x'].tolist() == [-3, 5] and r['v'].tolist() == [2.5, 1.0] and r['name'].tolist() == ['', 'one']
    assert r['n'].tolist() == [None, 1] and isinstance(r['n'], np.ma.MaskedArray)
    assert r.cells == 2 and dict(r).keys() == {'x', 'y', 'v', 'name', 'n'}
    assert a.aggregate('sum(v)', 'count()', ranges={'x': (0, 100)}, where='v > 0') == {'sum(v)': 5.0, 'count()': 2}
    assert r.agg('m = max(v)') == {'m': 2.5}
    for order in ('row', 'col', 'global', 'unordered'):
        assert sorted(a.query(order=order)['x'].tolist()) == [-3, 5, 50]
    assert a[0:50]['x'].tolist() == [5]
    assert sorted(a.domain[0:50]['x'].tolist()) == [5, 50]
    assert a.query(ranges={'x': [(5, 5), (50, 60)]}, order='row')['x'].tolist() == [5, 50]
    assert a.query('v', where='v > 100')['v'].shape == (0,)
    assert a['v'].query(order='row')['v'].tolist() == [2.5, 1.0, 4.0]


def test_batches_under_budget(place):
    uri = place()
    tg.create(uri, sparse=True, dims=[tg.Dim('x', domain=(0, 10 ** 6), tile=1000)], attrs=[tg.Attr('v', dtype='f8')], capacity=1000)
    n = 200_000
    tg.open(uri, 'w').write({'x': np.arange(n), 'v': np.arange(n) * 0.5})
    a = tg.open(uri)
    batches = list(a.query(memory='1MB'))
    assert len(batches) > 1 and sum(len(b) for b in batches) == n
    np.testing.assert_array_equal(np.sort(np.concatenate([b['x'] for b in batches])), np.arange(n))


def test_structured(place):
    uri = place()
    tg.create(uri, dims=[tg.Dim('x', (0, 9), 5), tg.Dim('y', (0, 3), 2)], attrs=[tg.Attr('a', 'i4'), tg.Attr('b', 'f8', nullable=True), tg.Attr('s', str)])
    with tg.open(uri, 'w') as a:
        a[...] = {'a': np.arange(40).reshape(10, 4), 'b': np.ma.masked_less(np.arange(40.).reshape(10, 4), 3),
                  's': np.array([f's{i}' for i in range(40)], object).reshape(10, 4)}
    a = tg.open(uri)
    part = a[1:3, 2]
    assert part.dtype.names == ('a', 'b', 's') and part['a'].tolist() == [6, 10] and part['s'].tolist() == ['s6', 's10']
    assert np.ma.getmaskarray(a[0]['b']).tolist() == [True, True, True, False]
    assert a['b'][0].tolist() == [None, None, None, 3.0]
    assert a['s'][9, 3] == 's39'


def test_time_travel(place):
    uri = place()
    tg.create(uri, dims=[tg.Dim('x', (0, 3), 4)], attrs=[tg.Attr('v', 'i4')], at=1)
    for t in (10, 20):
        with tg.open(uri, 'w', at=t) as a:
            a[...] = np.full(4, t)
    assert tg.open(uri)[0] == 20 and tg.open(uri, at=15)[0] == 10 and tg.open(uri, at=(15, 30))[0] == 20
    assert tg.open(uri).query(at=12)['v'][0] == 10
    assert len(tg.open(uri).info()['fragments']) == 2


def test_dates_and_text_dimensions(place):
    uri = place()
    tg.create(uri, dims=[tg.Dim('t', (np.datetime64('2020-01-01'), np.datetime64('2020-12-31')), np.timedelta64(30, 'D'), 'datetime64[D]')],
              attrs=[tg.Attr('v', 'i4')])
    with tg.open(uri, 'w') as a:
        a[...] = np.arange(366)
    a = tg.open(uri)
    assert a.domain['2020-01-03':'2020-01-05'].tolist() == [2, 3, 4]
    assert a.domain[np.datetime64('2020-12-31')] == 365
    assert a.domain['2020-01-02T12':'2020-01-04T12'].tolist() == [2, 3]
    assert a.schema.dims[0].domain == (np.datetime64('2020-01-01'), np.datetime64('2020-12-31'))
    uri = place()
    tg.create(uri, sparse=True, dims=[tg.Dim('s', dtype='ascii')], attrs=[tg.Attr('v', 'i4')])
    tg.open(uri, 'w').write({'s': ['pear', 'apple', 'zebra'], 'v': [1, 2, 3]})
    b = tg.open(uri)
    assert b.domain['apple':'q']['s'].tolist() == ['apple', 'pear'] or sorted(b.domain['apple':'q']['s'].tolist()) == ['apple', 'pear']
    assert b.query(ranges={'s': 'zebra'})['v'].tolist() == [3]


def test_negative_domain(place):
    uri = place()
    tg.create(uri, dims=[tg.Dim('x', (-5, 4), 5, 'int32')], attrs=[tg.Attr('v', 'i2')])
    with tg.open(uri, 'w') as a:
        a.domain[-5:4] = np.arange(10)
        a.domain[0] = 77
    a = tg.open(uri)
    assert a.domain[-1:1].tolist() == [4, 77, 6] and a[5] == 77
    with pytest.raises(IndexError):
        a.domain[5]


def test_attrs(place, format):
    uri = place()
    a = tg.create(uri, format=format, shape=(4,), chunks=(4,), dtype='i4')
    a.attrs['units'] = 'Kelvin é'
    a.attrs.update(n=7, f=2.5, l=[1, 2, 3])
    b = tg.open(uri)
    assert b.attrs['units'] == 'Kelvin é' and b.attrs['n'] == 7 and b.attrs['f'] == 2.5 and list(b.attrs['l']) == [1, 2, 3]
    del a.attrs['n']
    assert 'n' not in tg.open(uri).attrs and sorted(a.attrs) == ['f', 'l', 'units']
    with pytest.raises(PermissionError):
        b.attrs['q'] = 1
    with pytest.raises(KeyError):
        b.attrs['q']


def test_append_and_resize(place):
    for format in ('zarr2', 'zarr3', 'bcolz'):
        a = tg.create(place(), format=format, shape=(3, 4), chunks=(2, 4), dtype='i8', fill_value=9)
        a[...] = np.arange(12).reshape(3, 4)
        a.append(np.full((2, 4), 5))
        assert a.shape == (5, 4) and a[4].tolist() == [5] * 4
        a.resize(7, 4)
        assert a.shape == (7, 4) and a[6].tolist() == [9] * 4 and tg.open(a.uri).shape == (7, 4)


def test_convert_compare_verify(place):
    source, target = place(), place()
    data = np.random.default_rng(1).normal(size=(40, 30))
    tg.create(source, format='zarr2', data=data, chunks=(10, 10))
    seen = []
    b = tg.convert(source, target, format='tiledb', progress=lambda what, done, total: seen.append((what, done, total)))
    np.testing.assert_array_equal(b[...], data)
    assert seen and seen[-1][1] == seen[-1][2] > 0
    assert tg.compare(source, target).same
    with tg.open(target, 'w') as w:
        w[3, 4] = 1e9
    found = tg.compare(source, target)
    assert not found.same and found.different == 1 and found.first == [('', (3, 4))]
    report = tg.verify(target)
    assert report.ok and isinstance(report, list)


def test_progress_like_tqdm(place):
    class Bar:
        total, n, desc = None, 0, ''

        def update(self, by):
            self.n += by

    source = place()
    tg.create(source, format='zarr2', data=np.arange(1000), chunks=(100,))
    bar = Bar()
    tg.convert(source, place(), format='zarr3', progress=bar)
    assert bar.n == bar.total > 0
    with pytest.raises(ZeroDivisionError):
        tg.convert(source, place(), format='zarr3', progress=lambda *a: 1 / 0)


def test_groups(place):
    uri = place()
    g = tg.create_group(uri, 'tiledb')
    a = g.create('a', shape=(3,), dtype='i4')
    a[...] = [1, 2, 3]
    g.create_group('sub').create('b', shape=(2,), dtype='f8')
    g.attrs['title'] = 'x'
    h = tg.open(uri)
    assert isinstance(h, tg.Group) and sorted(h) == ['a', 'sub'] and h.arrays() == ('a',) and h.groups() == ('sub',)
    assert h['a'][...].tolist() == [1, 2, 3] and h['sub/b'].shape == (2,) and h.attrs['title'] == 'x'
    with pytest.raises(KeyError):
        h['nope']


def test_blocks_and_indexers(place):
    data = np.arange(70 * 30).reshape(70, 30)
    a = tg.create(place(), format='zarr3', data=data, chunks=(32, 16))
    np.testing.assert_array_equal(a.blocks[2, 1], data[64:, 16:])
    np.testing.assert_array_equal(a.blocks[0:2], data[:64])
    np.testing.assert_array_equal(a.oindex[[1, 3], [2, 2, 5]], data[np.ix_([1, 3], [2, 2, 5])])
    np.testing.assert_array_equal(a.vindex[[1, 3], [2, 5]], data[[1, 3], [2, 5]])
    mask = data % 7 == 0
    np.testing.assert_array_equal(a[mask], data[mask])
    np.testing.assert_array_equal(a.vindex[mask], data[mask])
    a.oindex[[0, 5], :3] = -1
    data[np.ix_([0, 5], [0, 1, 2])] = -1
    a.vindex[[10, 11], [0, 1]] = [7, 8]
    data[[10, 11], [0, 1]] = [7, 8]
    a.blocks[1, 0] = 0
    data[32:64, :16] = 0
    np.testing.assert_array_equal(a[...], data)


def test_repr(place, points):
    a = tg.create(place(), format='zarr2', shape=(4, 5), chunks=(2, 5), dtype='f4')
    assert 'zarr2' in repr(a) and '(4, 5)' in repr(a) and 'float32' in repr(a)
    assert 'x -100 to 100' in repr(tg.open(points)) and 'closed' not in repr(a)
    a.close()
    assert 'closed' in repr(a)
    with pytest.raises(ValueError):
        a[...]
