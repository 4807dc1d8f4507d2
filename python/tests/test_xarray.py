"""xarray opens every format, and what is written comes back."""
import os
import pathlib
import tarfile

import numpy as np
import pytest

xr = pytest.importorskip('xarray')
pytest.importorskip('dask')

import tegula as tg
import tegula.xarray

FORMATS = ['tiledb', 'zarr2', 'zarr3']


def field():
    return np.arange(6 * 8, dtype='f4').reshape(6, 8)


def dataset():
    return xr.Dataset(
        {'t': (('time', 'x'), field(), {'units': 'K'}), 'n': (('x',), np.arange(8)), 'on': (('x',), np.arange(8) % 2 == 0),
         'scalar': ((), np.float64(2.5))},
        coords={'time': np.arange('2020-01-01', '2020-01-07', dtype='M8[D]').astype('M8[ns]'), 'x': np.arange(8) * 0.5},
        attrs={'title': 'a small one'})


def open_(uri, **options):
    return xr.open_dataset(uri, engine=tg.xarray.TegulaBackend, **options)


@pytest.mark.parametrize('format', FORMATS)
def test_round_trip(tmp_path, format):
    uri = str(tmp_path / 'ds')
    tg.xarray.write(dataset(), uri, format=format)
    back = open_(uri)
    assert set(back.coords) == {'time', 'x'}
    assert back.attrs['title'] == 'a small one' and back.t.attrs['units'] == 'K'
    xr.testing.assert_equal(back.load(), dataset())


@pytest.mark.parametrize('format', FORMATS)
def test_entry_point_and_lazy(tmp_path, format):
    uri = str(tmp_path / 'ds')
    tg.xarray.write(dataset(), uri, format=format, chunks={'time': 4, 'x': 4})
    back = open_(uri, chunks={})
    assert back.t.chunks == ((4, 2), (4, 4))
    assert back.t.encoding['preferred_chunks'] == {'time': 4, 'x': 4}
    np.testing.assert_array_equal(back.t[1:5:2, [7, 0, 3]].values, field()[1:5:2][:, [7, 0, 3]])
    points = open_(uri).t.isel(time=xr.DataArray([0, 5, 2], dims='p'), x=xr.DataArray([7, 1, 1], dims='p'))
    np.testing.assert_array_equal(points.values, field()[[0, 5, 2], [7, 1, 1]])
    assert float(back.t.mean()) == pytest.approx(field().mean())


def test_fill_values_are_missing(tmp_path):
    uri = str(tmp_path / 'a')
    values = xr.Dataset({'v': ('x', [1.0, np.nan, 3.0])})
    values.v.encoding = {'_FillValue': -9.0, 'dtype': 'f4'}
    tg.xarray.write(values, uri, format='zarr2')
    assert tg.open(os.path.join(uri, 'v'))[...].tolist() == [1, -9, 3]
    np.testing.assert_array_equal(open_(uri).v.values, [1, np.nan, 3])
    assert open_(uri, mask_and_scale=False).v.values.tolist() == [1, -9, 3]


def test_tiledb_array_with_domain_and_nulls(tmp_path):
    uri = str(tmp_path / 'a')
    with tg.create(uri, dims=[tg.Dim('y', (10, 13), 2, 'int32'), tg.Dim('k', (-2, 2), 5, 'int32')],
                   attrs=[tg.Attr('v', 'int32', nullable=True), tg.Attr('w', 'float64')]) as a:
        v = np.ma.masked_array(np.arange(20, dtype='i4').reshape(4, 5), mask=np.arange(20).reshape(4, 5) == 7)
        a[...] = {'v': v, 'w': np.ones((4, 5))}
        a.attrs.update({'source': 'made', '__tiledb_attr.w.units': 'm'})
    ds = open_(uri)
    assert ds.k.values.tolist() == [-2, -1, 0, 1, 2] and ds.y.values.tolist() == [10, 11, 12, 13]
    assert ds.attrs == {'source': 'made'} and ds.w.attrs == {'units': 'm'}
    assert np.isnan(ds.v.sel(k=0, y=11)) and float(ds.v.sel(k=2, y=10)) == 4


def test_tiledb_dates(tmp_path):
    uri = str(tmp_path / 'a')
    with tg.create(uri, dims=[tg.Dim('day', (np.datetime64('2020-01-01'), np.datetime64('2020-01-04')), 2, 'M8[D]')],
                   attrs=[tg.Attr('v', 'int32')]) as a:
        a[...] = np.arange(4, dtype='i4')
    assert int(open_(uri).v.sel(day='2020-01-03')) == 2


def test_sparse_cells(tmp_path):
    uri = str(tmp_path / 's')
    with tg.create(uri, sparse=True, dims=[tg.Dim('x', (0, 99), 10, 'int64'), tg.Dim('y', (0, 99), 10, 'int64')],
                   attrs=[tg.Attr('v', 'float64')]) as a:
        a.write({'x': [5, 3], 'y': [7, 9], 'v': [1.5, 2.5]})
    ds = open_(uri)
    assert ds.sizes == {'cell': 2} and set(ds.coords) == {'x', 'y'}
    assert ds.x.values.tolist() == [3, 5] and ds.v.values.tolist() == [2.5, 1.5]


def test_bcolz_table(tmp_path):
    uri = str(tmp_path / 't')
    frame = xr.Dataset({'i': ('row', np.arange(10)), 'f': ('row', np.arange(10) / 2)})
    tg.xarray.write(frame, uri, format='bcolz')
    xr.testing.assert_equal(open_(uri).load(), frame)
    with pytest.raises(ValueError, match='share one dimension'):
        tg.xarray.write(dataset(), str(tmp_path / 'u'), format='bcolz')


@pytest.mark.parametrize('format', ['zarr0', 'zarr1', 'zarr2', 'zarr3', 'tiledb', 'bcolz'])
def test_every_format_opens(tmp_path, format):
    uri = str(tmp_path / 'field')
    values = field() + 1 if format != 'bcolz' else np.arange(8.0)
    with tg.create(uri, format=format, shape=values.shape, chunks=(4, 4)[:values.ndim], dtype=values.dtype) as a:
        a[...] = values
    ds = open_(uri)
    assert list(ds.data_vars) == ['field']
    np.testing.assert_array_equal(ds.field.values, values)


@pytest.mark.parametrize('format', FORMATS)
def test_tree_of_groups(tmp_path, format):
    uri = str(tmp_path / 'tree')
    tree = xr.DataTree.from_dict({'/': xr.Dataset({'a': ('x', [1, 2])}), '/deep/er': xr.Dataset({'b': ('y', [1.5, 2.5, 3.5])})})
    tg.xarray.write(tree, uri, format=format)
    back = xr.open_datatree(uri, engine=tg.xarray.TegulaBackend)
    assert [n.path for n in back.subtree] == ['/', '/deep', '/deep/er']
    assert back['/deep/er'].b.values.tolist() == [1.5, 2.5, 3.5] and back.a.values.tolist() == [1, 2]


def test_labels_are_coordinates(tmp_path):
    packed = pathlib.Path(__file__).resolve().parents[2] / 'tests' / 'corpus' / 'tiledb-modern.tar.xz'
    case = 'tiledb/modern/labels-2.30/'
    with tarfile.open(packed) as tar:
        tar.extractall(tmp_path, [m for m in tar.getmembers() if m.name.startswith(case)], filter='data')
    ds = open_(str(tmp_path / case / 'array'))
    assert {'lat', 'down', 'name', 'when'} <= set(ds.coords)
    assert ds.lat.dims == ('y',) and ds.name.values.tolist() == ['ant', 'bee', 'cow', 'dog', 'emu', 'fox']
    assert int(ds.a.set_index(x='name').sel(x='cow')[0]) == int(ds.a[0, 2])


def test_guess(tmp_path):
    """Only what no other engine opens: installing the package must not change the engine of zarr stores."""
    backend = tg.xarray.TegulaBackend()
    assert not backend.guess_can_open(str(tmp_path / 'nothing'))
    for format, mine in (('tiledb', True), ('bcolz', True), ('zarr0', True), ('zarr1', True), ('zarr2', False), ('zarr3', False)):
        tg.create(str(tmp_path / format), format=format, shape=3, dtype='i4')
        assert backend.guess_can_open(str(tmp_path / format)) == mine, format


def with_fills():
    data = xr.Dataset({'v': ('x', [1.0, np.nan, 3.0]), 'n': ('x', [1.0, np.nan, 3.0]), 's': ('x', np.float32([0.5, np.nan, 2])), 'k': ('x', [1, 2, 3])})
    data.v.encoding = {'_FillValue': -9999.0}
    data.n.encoding = {'_FillValue': -1, 'dtype': 'i4'}
    data.s.encoding = {'_FillValue': np.float32(-5)}
    return data


@pytest.mark.parametrize('version', [2, 3])
def test_stores_of_xarray(tmp_path, version):
    pytest.importorskip('zarr')
    with_fills().to_zarr(tmp_path / 'f.zarr', zarr_format=version)
    found = open_(str(tmp_path / 'f.zarr'))
    assert float(found.v.mean()) == 2.0
    xr.testing.assert_identical(found.load(), xr.open_dataset(tmp_path / 'f.zarr', engine='zarr').load())


@pytest.mark.parametrize('format', ['zarr2', 'zarr3'])
def test_stores_for_xarray(tmp_path, format):
    pytest.importorskip('zarr')
    for name, data in (('fills', with_fills()), ('more', dataset())):
        tg.xarray.write(data, str(tmp_path / name), format=format)
        found = xr.open_zarr(tmp_path / name, consolidated=False).load()
        xr.testing.assert_equal(found, data)
        xr.testing.assert_equal(open_(str(tmp_path / name)).load(), data)


def test_wide_domains(tmp_path):
    uri = str(tmp_path / 'a')
    tg.create(uri, dims=[tg.Dim('row', (5, 2 ** 62), tile=1000, dtype='i8')], attrs=[tg.Attr('v', dtype='f8')])
    with pytest.raises(ValueError, match='nothing has been written'):
        open_(uri)
    tg.open(uri, 'w')[95:115] = np.arange(20.0)
    found = open_(uri)
    assert dict(found.sizes) == {'row': 20} and found.row.values.tolist() == list(range(100, 120))
    assert found.v.values.tolist() == list(range(20)) and found.v[3:9:2].values.tolist() == [3, 5, 7]
    assert found.v.isel(row=[7, 1]).values.tolist() == [7, 1] and float(found.v.sel(row=104)) == 4
    # A million cells of a billion: their coordinates are a range.
    tg.create(str(tmp_path / 'b'), dims=[tg.Dim('row', (5, 2 ** 30), tile=1000, dtype='i8')], attrs=[tg.Attr('v', dtype='f8')])
    wide = open_(str(tmp_path / 'b'))
    assert wide.sizes['row'] == 2 ** 30 - 4 and int(wide.row[-1]) == 2 ** 30


def test_enumerations_are_names(tmp_path):
    uri = str(tmp_path / 'a')
    tg.create(uri, dims=[tg.Dim('x', (0, 3), dtype='i4')], enumerations=[tg.Enumeration('colours', ['red', 'green'])],
              attrs=[tg.Attr('c', 'i4', enumeration='colours', nullable=True)])
    tg.open(uri, 'w')[...] = {'c': np.ma.MaskedArray([1, 0, 0, 1], [False, False, True, False])}
    assert open_(uri).c.values.tolist() == ['green', 'red', None, 'green']


def test_cells_never_written_are_missing(tmp_path):
    uri = str(tmp_path / 'a')
    array = tg.create(uri, shape=(6,), dtype='i4', chunks=(2,))
    array[:4] = [1, 2, 3, 4]
    assert open_(uri).a.values.tolist()[:4] == [1, 2, 3, 4] and np.isnan(open_(uri).a.values[4:]).all()
    array[4:] = [5, 6]
    assert open_(uri).a.dtype == np.dtype('i4')


@pytest.mark.parametrize('path', [('zarr2',), ('zarr3',), ('tiledb', 'zarr3'), ('tiledb', 'zarr2'), ('zarr3', 'zarr2'), ('zarr2', 'zarr3')])
@pytest.mark.parametrize('version', [2, 3])
def test_conversions_keep_which_values_are_missing(tmp_path, version, path):
    pytest.importorskip('zarr')
    with_fills().to_zarr(tmp_path / 'f.zarr', zarr_format=version)
    for name in ('v', 'n', 's'):
        source = str(tmp_path / 'f.zarr' / name)
        for step, format in enumerate(path):
            target = str(tmp_path / f'{name}{step}' / name)
            tg.convert(source, target, format=format)
            source = target
        found = xr.open_dataset(source, engine=tg.xarray.TegulaBackend)
        np.testing.assert_array_equal(found[name].values, with_fills()[name].values)


@pytest.mark.parametrize('format', ['zarr2', 'zarr3', 'tiledb'])
def test_overwritten_datasets_stay_until_the_new_one_is_whole(tmp_path, format, monkeypatch):
    old = xr.Dataset({'a': ('x', np.arange(4)), 'b': ('x', np.arange(4.0))})
    tegula.xarray.write(old, tmp_path / 'd', format)
    one_variable = tegula.xarray._write_variable

    def only_the_first(variable, uri, *more):
        if os.path.basename(uri) == 'b':
            raise KeyboardInterrupt
        one_variable(variable, uri, *more)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(tegula.xarray, '_write_variable', only_the_first)
        tegula.xarray.write(old.isel(x=slice(2)), tmp_path / 'd', format, overwrite=True)
    assert xr.open_dataset(tmp_path / 'd', engine=tg.xarray.TegulaBackend)['b'].values.tolist() == [0, 1, 2, 3]
    tegula.xarray.write(old.isel(x=slice(2)), tmp_path / 'd', format, overwrite=True)
    assert xr.open_dataset(tmp_path / 'd', engine=tg.xarray.TegulaBackend)['a'].values.tolist() == [0, 1]
    assert [p.name for p in tmp_path.iterdir()] == ['d']
