"""Dense TileDB arrays against libtiledb: a float32 field in tiles of 512 x 512."""
import numpy as np

from .. import data, digest
from ..workload import TILE, Action, Dataset, Workload

TEGULA_FILTERS = {'none': [], 'lz4': ['byteshuffle', 'lz4'], 'zstd': ['byteshuffle', 'zstd']}
FUNCTIONS = ('sum', 'min', 'max', 'mean')


def tiledb_context(env):
    import tiledb
    return tiledb.Ctx({'sm.compute_concurrency_level': env.threads, 'sm.io_concurrency_level': env.threads})


def tiledb_create(path, codec, side, ctx):
    import tiledb
    filters = {'none': [], 'lz4': [tiledb.ByteShuffleFilter(), tiledb.LZ4Filter()],
               'zstd': [tiledb.ByteShuffleFilter(), tiledb.ZstdFilter()]}[codec]
    domain = tiledb.Domain(*[tiledb.Dim(name=d, domain=(0, side - 1), tile=TILE, dtype=np.int64) for d in 'yx'])
    attribute = tiledb.Attr('v', dtype=np.float32, filters=tiledb.FilterList(filters))
    tiledb.Array.create(path, tiledb.ArraySchema(domain, [attribute]), ctx=ctx)


def tegula_create(path, codec, side):
    import tegula
    tegula.create(path, format='tiledb', dims=[tegula.Dim(d, domain=(0, side - 1), tile=TILE, dtype='int64') for d in 'yx'],
                  attrs=[tegula.Attr('v', dtype='float32', filters=TEGULA_FILTERS[codec])])


def make_dense(env, path, codec, side):
    import tiledb
    ctx = tiledb_context(env)
    tiledb_create(path, codec, side, ctx)
    with tiledb.open(path, 'w', ctx=ctx) as array:
        array[:] = data.field(env, side)


DATASETS = {'dense': Dataset('tiledb', make_dense, needs=lambda codec, side: [('field', side)])}


def tiledb_read(env, codec, side):
    import tiledb
    ctx, path = tiledb_context(env), env.data('dense', codec, side)

    def run(_):
        with tiledb.open(path, ctx=ctx) as array:
            return array[:]['v']
    return Action(run, digest=digest.exact)


def tegula_read(env, codec, side):
    import tegula
    path = env.data('dense', codec, side)
    return Action(lambda _: tegula.open(path, threads=env.threads)[...], digest=digest.exact)


def tegula_read_into(env, codec, side):
    import tegula
    array, out = tegula.open(env.data('dense', codec, side), threads=env.threads), np.zeros((side, side), np.float32)

    def run(_):
        array.read(out=out)
        return out
    return Action(run, digest=digest.exact)


def memcpy(env, codec, side):
    source, out = data.field(env, side), np.zeros((side, side), np.float32)

    def run(_):
        np.copyto(out, source)
        return out
    return Action(run, digest=digest.exact)


def tiledb_write(env, codec, side):
    import tiledb
    ctx, values = tiledb_context(env), data.field(env, side)

    def before():
        path = env.fresh()
        tiledb_create(path, codec, side, ctx)
        return path

    def run(path):
        with tiledb.open(path, 'w', ctx=ctx) as array:
            array[:] = values
        return path
    return Action(run, before)


def tegula_write(env, codec, side):
    import tegula
    values = data.field(env, side)

    def before():
        path = env.fresh()
        tegula_create(path, codec, side)
        return path

    def run(path):
        with tegula.open(path, 'w', threads=env.threads) as array:
            array[...] = values
        return path
    return Action(run, before)


def judge_written(env, path):
    import tiledb
    with tiledb.open(path, ctx=tiledb_context(env)) as array:
        return digest.exact(array[:]['v'])


def tiledb_windows(env, codec, side):
    import tiledb
    array = tiledb.open(env.data('dense', codec, side), ctx=tiledb_context(env))
    return Action(lambda _: [array[y:y + 100, x:x + 100]['v'] for y, x in data.windows(side)], digest=digest.arrays)


def tegula_windows(env, codec, side):
    import tegula
    array = tegula.open(env.data('dense', codec, side), threads=env.threads)
    return Action(lambda _: [array[y:y + 100, x:x + 100] for y, x in data.windows(side)], digest=digest.arrays)


def tiledb_aggregates(env, codec, side):
    import tiledb
    array = tiledb.open(env.data('dense', codec, side), ctx=tiledb_context(env))

    def run(_):
        found = array.query(attrs=['v']).agg(list(FUNCTIONS))[:]
        return [found[f] for f in FUNCTIONS]
    return Action(run, digest=digest.numbers)


def tegula_aggregates(env, codec, side):
    import tegula
    array = tegula.open(env.data('dense', codec, side), threads=env.threads)
    asked = ['%s(v)' % f for f in FUNCTIONS]

    def run(_):
        found = array.aggregate(*asked)
        return [found[a] for a in asked]
    return Action(run, digest=digest.numbers)


READ = {'tegula': tegula_read, 'tiledb': tiledb_read}


def workloads(sizes):
    side = sizes.side

    def rows(name, sides, reach, **more):
        return [Workload('%s, %s' % (name, {'none': 'no filter'}.get(c, 'byteshuffle+' + c)), sides, args=(c, side), reach=r,
                         needs=[('field', side), ('dense', c, side)], **more) for c, r in reach.items()]
    return [
        *rows('full read', READ, {'none': 8, 'lz4': 2.5, 'zstd': 1.5}),
        Workload('full read into a given array, no filter', {'tegula': tegula_read_into, 'memcpy': memcpy}, args=('none', side),
                 needs=[('field', side), ('dense', 'none', side)], reach=0.5, limits=['memcpy']),
        *rows('write', {'tegula': tegula_write, 'tiledb': tiledb_write}, {'none': 3, 'lz4': 1.5, 'zstd': 1.1},
              judge=('tiledb', judge_written)),
        *rows('200 windows', {'tegula': tegula_windows, 'tiledb': tiledb_windows}, {'none': 20, 'lz4': 10, 'zstd': 5}),
        *rows('aggregates', {'tegula': tegula_aggregates, 'tiledb': tiledb_aggregates}, {'zstd': 2}),
    ]
