"""zarr arrays against tensorstore, zarr-python 3 and zarrs, and original zarr against zarr 0.4: a float32 field in chunks of
512 x 512. No library syncs: zarr-python cannot be told to."""
import functools

import numpy as np

from .. import data, digest
from ..workload import TILE, Action, Dataset, Workload

SHARD = 4 * TILE


def settle_zarr(env, pipeline='zarr.core.codec_pipeline.BatchedCodecPipeline'):
    import zarr
    zarr.config.set({'threading.max_workers': env.threads, 'codec_pipeline.path': pipeline})
    return zarr


def settle_zarrs(env):
    return settle_zarr(env, 'zarrs.ZarrsCodecPipeline')


def zarr_create(zarr, path, codec, side):
    import numcodecs
    return zarr.create_array(path, shape=(side, side), chunks=(TILE, TILE), dtype='f4', zarr_format=2, fill_value=0,
                             compressors=numcodecs.Blosc(codec, clevel=5, shuffle=1))


def make_zarr2(env, path, codec, side):
    zarr_create(settle_zarr(env), path, codec, side)[...] = data.field(env, side)


def make_zarr3(env, path, side):
    """Sharded, with the codec zarr-python takes when it is not told one (zstd)."""
    shard = min(SHARD, side)
    array = settle_zarr(env).create_array(path, shape=(side, side), chunks=(TILE, TILE), shards=(shard, shard), dtype='f4', fill_value=0)
    array[...] = data.field(env, side)


def original_create(zarr, path, side):
    if zarr.__version__.startswith('0.'):
        return zarr.open(path, mode='w', shape=(side, side), chunks=(TILE, TILE), dtype='f4', fill_value=0)
    import numcodecs
    return zarr.open(path, mode='w', shape=(side, side), chunks=(TILE, TILE), dtype='f4', fill_value=0,
                     compressor=numcodecs.Blosc('blosclz', clevel=5, shuffle=1))


def settle_original(env):
    import zarr
    if zarr.__version__.startswith('0.'):
        zarr.set_blosc_options(use_context=False, nthreads=env.threads)
    else:
        import numcodecs
        numcodecs.blosc.set_nthreads(env.threads)
    return zarr


def make_original(env, path, side):
    original_create(settle_original(env), path, side)[...] = data.field(env, side)


def needs_field(*args):
    return [('field', args[-1])]


DATASETS = {
    'zarr2': Dataset('zarr', make_zarr2, needs=needs_field),
    'zarr3': Dataset('zarr', make_zarr3, needs=needs_field),
    'original': Dataset('original', make_original, needs=needs_field),
}


def open_tegula(env, path):
    import tegula
    return tegula.open(path, threads=env.threads)


def open_zarr(env, path):
    return settle_zarr(env).open_array(path, mode='r')


def open_zarrs(env, path):
    return settle_zarrs(env).open_array(path, mode='r')


def open_original(env, path):
    return settle_original(env).open(path, mode='r')


class Tensorstore:
    """A tensorstore that is sliced and read at once, as the others are."""

    def __init__(self, env, path):
        import tensorstore
        context = tensorstore.Context({'data_copy_concurrency': {'limit': env.threads}})
        driver = 'zarr3' if '/zarr3' in path else 'zarr'
        self.store = tensorstore.open({'driver': driver, 'kvstore': {'driver': 'file', 'path': path}}, context=context, read=True).result()

    def __getitem__(self, key):
        return self.store[key].read().result()


OPEN = {'tegula': open_tegula, 'tensorstore': Tensorstore, 'zarr': open_zarr, 'zarrs': open_zarrs}
OPEN_ORIGINAL = {'tegula': open_tegula, 'original': open_original}


def read(opened, env, *dataset):
    path = env.data(*dataset)
    opened(env, path)
    return Action(lambda _: opened(env, path)[...], digest=digest.exact)


def read_windows(opened, env, *dataset):
    array, side = opened(env, env.data(*dataset)), dataset[-1]
    return Action(lambda _: [array[y:y + 100, x:x + 100] for y, x in data.windows(side)], digest=digest.arrays)


def of_each(function, openers):
    return {library: functools.partial(function, opened) for library, opened in openers.items()}


def tegula_write(format_, filters):
    def side_(env, codec, side):
        import tegula
        values = data.field(env, side)

        def before():
            path = env.fresh()
            tegula.create(path, format=format_, shape=(side, side), chunks=(TILE, TILE), dtype='f4', filters=filters(codec), fill_value=0)
            return path

        def run(path):
            with tegula.open(path, 'w', threads=env.threads) as array:
                array[...] = values
            return path
        return Action(run, before)
    return side_


def zarr_write(settle):
    def side_(env, codec, side):
        zarr, values = settle(env), data.field(env, side)

        def before():
            path = env.fresh()
            zarr_create(zarr, path, codec, side)
            return path

        def run(path):
            zarr.open_array(path, mode='r+')[...] = values
            return path
        return Action(run, before)
    return side_


def tensorstore_write(env, codec, side):
    import tensorstore
    context = tensorstore.Context({'data_copy_concurrency': {'limit': env.threads}})
    values = data.field(env, side)
    metadata = {'shape': [side, side], 'chunks': [TILE, TILE], 'dtype': '<f4', 'fill_value': 0, 'order': 'C', 'filters': None,
                'compressor': {'id': 'blosc', 'cname': codec, 'clevel': 5, 'shuffle': 1}, 'dimension_separator': '.'}

    def spec(path):
        return {'driver': 'zarr', 'kvstore': {'driver': 'file', 'path': path}, 'metadata': metadata}

    def before():
        path = env.fresh()
        tensorstore.open(spec(path), context=context, create=True).result()
        return path

    def run(path):
        tensorstore.open(spec(path), context=context, write=True).result().write(values).result()
        return path
    return Action(run, before)


def original_write(env, codec, side):
    zarr, values = settle_original(env), data.field(env, side)

    def run(path):
        original_create(zarr, path, side)[...] = values
        return path
    return Action(run, env.fresh)


def tegula_original_write(env, codec, side):
    import tegula
    values = data.field(env, side)

    def run(path):
        tegula.create(path, format='zarr0', shape=(side, side), chunks=(TILE, TILE), dtype='f4', filters=['blosc:blosclz:5:shuffle'],
                      fill_value=0)
        with tegula.open(path, 'w', threads=env.threads) as array:
            array[...] = values
        return path
    return Action(run, env.fresh)


def judge_zarr(env, path):
    return digest.exact(open_zarr(env, path)[...])


def judge_original(env, path):
    return digest.exact(np.asarray(open_original(env, path)[...]))


def workloads(sizes):
    side = sizes.side
    rows = []
    for codec in 'lz4', 'zstd':
        label, dataset = 'v2 blosc-' + codec, ('zarr2', codec, side)
        write = {'tegula': tegula_write('zarr2', lambda codec: ['blosc:%s:5:shuffle' % codec]), 'tensorstore': tensorstore_write,
                 'zarr': zarr_write(settle_zarr), 'zarrs': zarr_write(settle_zarrs)}
        rows += [
            Workload(label + ', full read', of_each(read, OPEN), args=dataset, needs=[dataset], reach=1.3),
            Workload(label + ', write', write, args=(codec, side), needs=[('field', side)], reach=1.3, judge=('zarr', judge_zarr),
                     synced=False),
            Workload(label + ', 200 windows', of_each(read_windows, OPEN), args=dataset, needs=[dataset], reach=1.3),
        ]
    sharded, original = ('zarr3', side), ('original', side)
    return rows + [
        Workload('v3 sharded, full read', of_each(read, OPEN), args=sharded, needs=[sharded], reach=1.3),
        Workload('v3 sharded, 200 windows', of_each(read_windows, OPEN), args=sharded, needs=[sharded], reach=1.3),
        Workload('original, full read', of_each(read, OPEN_ORIGINAL), args=original, needs=[original], reach=1.5),
        Workload('original, write', {'tegula': tegula_original_write, 'original': original_write}, args=('blosclz', side),
                 needs=[('field', side)], reach=1.5, judge=('original', judge_original), synced=False),
    ]
