"""dask reads along tiles; its workers, in processes of their own, write regions."""
import numpy as np
import pytest

da = pytest.importorskip('dask.array')

import tegula as tg
import tegula.dask

FORMATS = ['tiledb', 'zarr0', 'zarr1', 'zarr2', 'zarr3']


def make(path, format, shape=(50, 40), chunks=(16, 16), dtype='f8'):
    return tg.create(str(path), format=format, shape=shape, chunks=chunks, dtype=dtype, sync=False)


@pytest.mark.parametrize('format', FORMATS)
def test_reads_along_tiles(tmp_path, format):
    values = np.random.default_rng(1).random((50, 40))
    with make(tmp_path / 'a', format) as a:
        a[...] = values
    lazy = tg.dask.from_array(str(tmp_path / 'a'), chunks=(32, 16))
    assert lazy.chunks == ((32, 18), (16, 16, 8))
    np.testing.assert_allclose(lazy.sum(axis=0).compute(scheduler='threads'), values.sum(axis=0))
    default = tg.dask.from_array(tg.open(str(tmp_path / 'a')))
    assert default.numblocks == (1, 1)
    np.testing.assert_array_equal(default[3:9:2, ::-1].compute(), values[3:9:2, ::-1])


@pytest.mark.parametrize('sizes, wanted, expected', [
    ((16, 16), 1, (16, 16)), ((16, 16), 16 * 40 * 8, (16, 32)), ((16, 16), 32 * 48 * 8, (32, 40)), ((16, 16), 1 << 30, (50, 40)),
    ((100, 7), 50 * 14 * 8, (50, 14))])
def test_blocks_are_whole_tiles(sizes, wanted, expected):
    assert tg.dask.block_sizes((50, 40), sizes, 8, wanted) == expected


def test_field_of_several(tmp_path):
    with tg.create(str(tmp_path / 'a'), dims=[tg.Dim('i', (0, 9), 5)], attrs=[tg.Attr('v', 'i4'), tg.Attr('w', 'f4')]) as a:
        a[...] = {'v': np.arange(10, dtype='i4'), 'w': np.zeros(10, 'f4')}
    lazy = tg.dask.from_array(str(tmp_path / 'a'), 'v', chunks=5)
    assert lazy.dtype == 'i4' and lazy.sum().compute() == 45


@pytest.mark.parametrize('format', FORMATS)
def test_store_moves_cuts_to_chunks(tmp_path, format):
    values = np.random.default_rng(2).random((50, 40))
    target = make(tmp_path / 'a', format)
    blocks = tg.dask.store(da.from_array(values, chunks=(20, 13)), target)
    assert blocks > 1
    np.testing.assert_array_equal(tg.open(str(tmp_path / 'a'))[...], values)


def test_store_region(tmp_path):
    target = make(tmp_path / 'a', 'zarr2')
    target[...] = np.zeros((50, 40))
    tg.dask.store(da.ones((16, 24), chunks=8), target, (slice(16, 32), slice(16, 40)))
    expected = np.zeros((50, 40))
    expected[16:32, 16:40] = 1
    np.testing.assert_array_equal(target[...], expected)


@pytest.mark.parametrize('region, message', [
    ((slice(8, 24), slice(0, 40)), 'chunk boundaries'), ((slice(0, 16), slice(0, 8)), 'shape'),
    ((slice(0, 32, 2), slice(0, 40)), 'step')])
def test_store_refuses(tmp_path, region, message):
    target = make(tmp_path / 'a', 'zarr2')
    with pytest.raises(ValueError, match=message):
        tg.dask.store(da.ones((16, 40), chunks=8), target, region)


@pytest.mark.parametrize('format', ['zarr3', 'tiledb'])
def test_two_worker_processes(tmp_path, format):
    distributed = pytest.importorskip('distributed')
    values = np.random.default_rng(3).random((50, 40))
    make(tmp_path / 'in', format)[...] = values
    target = make(tmp_path / 'out', format)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster):
            lazy = tg.dask.from_array(str(tmp_path / 'in'), chunks=(16, 16))
            tg.dask.store(lazy * 2, target)
    np.testing.assert_array_equal(tg.open(str(tmp_path / 'out'))[...], values * 2)


def test_tokens_follow_the_cells(tmp_path):
    from dask.base import tokenize
    with make(tmp_path / 'a', 'zarr2') as a:
        a[...] = np.zeros((50, 40))
        before = tokenize(tg.open(str(tmp_path / 'a')))
        assert before == tokenize(tg.open(str(tmp_path / 'a')))
        a[0, 0] = 1.5
    assert before != tokenize(tg.open(str(tmp_path / 'a')))
