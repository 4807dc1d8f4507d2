"""Sparse TileDB arrays against libtiledb: cells in a domain of 10^6 x 10^6, capacity 10,000, filters as both have them by default."""
import numpy as np

from .. import data, digest
from ..workload import Action, Dataset, Workload
from .tiledb_dense import FUNCTIONS, tiledb_context

TILE = 10_000
CONDITION = 'v > 2.5'


def tiledb_create(path, ctx):
    import tiledb
    domain = tiledb.Domain(*[tiledb.Dim(name=d, domain=(0, data.DOMAIN - 1), tile=TILE, dtype=np.int64) for d in 'xy'])
    schema = tiledb.ArraySchema(domain, [tiledb.Attr('v', dtype=np.float64)], sparse=True, capacity=10_000)
    tiledb.Array.create(path, schema, ctx=ctx)


def tegula_create(path):
    import tegula
    dims = [tegula.Dim(d, domain=(0, data.DOMAIN - 1), tile=TILE, dtype='int64', filters=['zstd']) for d in 'xy']
    tegula.create(path, format='tiledb', sparse=True, dims=dims, attrs=[tegula.Attr('v', dtype='float64', filters=[])],
                  capacity=10_000)


def make_sparse(env, path, count):
    import tiledb
    ctx, cells = tiledb_context(env), data.points(env, count)
    tiledb_create(path, ctx)
    with tiledb.open(path, 'w', ctx=ctx) as array:
        array[cells['x'], cells['y']] = cells['v']


DATASETS = {'sparse': Dataset('tiledb', make_sparse, needs=lambda count: [('points', count)])}


def any_order(found):
    return digest.cells(found['x'], found['y'], found['v'])


def this_order(found):
    return [digest.exact(found[name]) for name in 'xyv']


def many(results):
    return [any_order(r) for r in results]


def tiledb_write(env, count):
    import tiledb
    ctx, cells = tiledb_context(env), data.points(env, count)

    def before():
        path = env.fresh()
        tiledb_create(path, ctx)
        return path

    def run(path):
        with tiledb.open(path, 'w', ctx=ctx) as array:
            array[cells['x'], cells['y']] = cells['v']
        return path
    return Action(run, before)


def tegula_write(env, count):
    import tegula
    cells = data.points(env, count)

    def before():
        path = env.fresh()
        tegula_create(path)
        return path

    def run(path):
        with tegula.open(path, 'w', threads=env.threads) as array:
            array.write(cells)
        return path
    return Action(run, before)


def judge_written(env, path):
    import tiledb
    with tiledb.open(path, ctx=tiledb_context(env)) as array:
        return any_order(array.query(order='U')[:])


def tiledb_read(order, digest_):
    def side(env, count):
        import tiledb
        ctx, path = tiledb_context(env), env.data('sparse', count)

        def run(_):
            with tiledb.open(path, ctx=ctx) as array:
                return array.query(order=order)[:]
        return Action(run, digest=digest_)
    return side


def tegula_read(order, digest_):
    def side(env, count):
        import tegula
        path = env.data('sparse', count)

        def run(_):
            found = tegula.open(path, threads=env.threads).query(order=order)
            return {name: found[name] for name in 'xyv'}
        return Action(run, digest=digest_)
    return side


def tiledb_boxes(env, count):
    import tiledb
    array = tiledb.open(env.data('sparse', count), ctx=tiledb_context(env)).query(order='U')
    return Action(lambda _: [array.multi_index[x0:x1, y0:y1] for x0, x1, y0, y1 in data.boxes()], digest=many)


def tegula_boxes(env, count):
    import tegula
    array = tegula.open(env.data('sparse', count), threads=env.threads)

    def box(x0, x1, y0, y1):
        found = array.query(ranges={'x': (x0, x1), 'y': (y0, y1)}, order='unordered')
        return {name: found[name] for name in 'xyv'}
    return Action(lambda _: [box(*b) for b in data.boxes()], digest=many)


def tiledb_condition(env, count):
    import tiledb
    array = tiledb.open(env.data('sparse', count), ctx=tiledb_context(env))
    return Action(lambda _: array.query(cond=CONDITION, order='U')[:], digest=any_order)


def tegula_condition(env, count):
    import tegula
    array = tegula.open(env.data('sparse', count), threads=env.threads)

    def run(_):
        found = array.query(where=CONDITION, order='unordered')
        return {name: found[name] for name in 'xyv'}
    return Action(run, digest=any_order)


def tiledb_aggregates(env, count):
    import tiledb
    array = tiledb.open(env.data('sparse', count), ctx=tiledb_context(env))

    def run(_):
        found = array.query(attrs=['v'], order='U').agg(list(FUNCTIONS))[:]
        return [found[f] for f in FUNCTIONS]
    return Action(run, digest=digest.numbers)


def tegula_aggregates(env, count):
    import tegula
    array = tegula.open(env.data('sparse', count), threads=env.threads)
    asked = ['%s(v)' % f for f in FUNCTIONS]

    def run(_):
        found = array.aggregate(*asked)
        return [found[a] for a in asked]
    return Action(run, digest=digest.numbers)


WRITE = {'tegula': tegula_write, 'tiledb': tiledb_write}
READ = {'tegula': tegula_read('unordered', any_order), 'tiledb': tiledb_read('U', any_order)}
READ_ROWS = {'tegula': tegula_read('row', this_order), 'tiledb': tiledb_read('C', this_order)}


def workloads(sizes):
    count = sizes.points

    def row(name, sides, reach, **more):
        return Workload(name, sides, args=(count,), reach=reach, needs=[('points', count), ('sparse', count)], **more)
    return [
        row('write, unordered input', WRITE, 10, judge=('tiledb', judge_written)),
        row('full read, unordered', READ, 2),
        row('full read, row-major', READ_ROWS, 8),
        row('100 boxes', {'tegula': tegula_boxes, 'tiledb': tiledb_boxes}, 4),
        row('condition ' + CONDITION, {'tegula': tegula_condition, 'tiledb': tiledb_condition}, 3),
        row('aggregates', {'tegula': tegula_aggregates, 'tiledb': tiledb_aggregates}, 2),
    ]
