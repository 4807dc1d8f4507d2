"""Many small fragments of a sparse TileDB array, 100 cells each: writing, opening, consolidating."""
import os
import shutil

from .. import data
from ..workload import Action, Dataset, Workload
from .tiledb_dense import tiledb_context
from .tiledb_sparse import any_order, judge_written, tegula_create, tiledb_create

BOX = (100_000, 199_999, 300_000, 399_999)


def make_fragments(env, path, count):
    import tiledb
    ctx = tiledb_context(env)
    tiledb_create(path, ctx)
    with tiledb.open(path, 'w', ctx=ctx) as array:
        for cells in data.small_fragments(count):
            array[cells['x'], cells['y']] = cells['v']


def make_consolidated_metadata(env, path, count):
    """The same fragments, with their footers in one file and their commits in another."""
    import tiledb
    shutil.copytree(env.data('fragments', count), path)
    for mode in 'fragment_meta', 'commits':
        tiledb.consolidate(path, ctx=tiledb.Ctx({'sm.consolidation.mode': mode}))
        tiledb.vacuum(path, ctx=tiledb.Ctx({'sm.vacuum.mode': mode}))


DATASETS = {
    'fragments': Dataset('tiledb', make_fragments),
    'fragments_consolidated': Dataset('tiledb', make_consolidated_metadata, needs=lambda count: [('fragments', count)]),
}


def tiledb_write(env, count):
    import tiledb
    ctx, fragments = tiledb_context(env), data.small_fragments(count)

    def before():
        path = env.fresh()
        tiledb_create(path, ctx)
        return path

    def run(path):
        with tiledb.open(path, 'w', ctx=ctx) as array:
            for cells in fragments:
                array[cells['x'], cells['y']] = cells['v']
        return path
    return Action(run, before)


def tegula_write(env, count):
    import tegula
    fragments = data.small_fragments(count)

    def before():
        path = env.fresh()
        tegula_create(path)
        return path

    def run(path):
        with tegula.open(path, 'w', threads=env.threads) as array:
            for cells in fragments:
                array.write(cells)
        return path
    return Action(run, before)


def tiledb_open(env, name, count):
    import tiledb
    ctx, path = tiledb_context(env), env.data(name, count)
    x0, x1, y0, y1 = BOX

    def run(_):
        with tiledb.open(path, ctx=ctx) as array:
            return array.query(order='U').multi_index[x0:x1, y0:y1]
    return Action(run, digest=any_order)


def tegula_open(env, name, count):
    import tegula
    path = env.data(name, count)
    x0, x1, y0, y1 = BOX

    def run(_):
        array = tegula.open(path, threads=env.threads)
        found = array.query(ranges={'x': (x0, x1), 'y': (y0, y1)}, order='unordered')
        return {name: found[name] for name in 'xyv'}
    return Action(run, digest=any_order)


def footers(env, name, count):
    """The least that opening can cost without consolidated metadata: the last 4 KiB of each fragment's metadata."""
    folder = os.path.join(env.data(name, count), '__fragments')

    def run(_):
        read = 0
        for entry in os.listdir(folder):
            fd = os.open(os.path.join(folder, entry, '__fragment_metadata.tdb'), os.O_RDONLY)
            read += len(os.pread(fd, 4096, max(0, os.fstat(fd).st_size - 4096)))
            os.close(fd)
        return read
    return Action(run, digest=lambda read: None)


def copy_fragments(env, count):
    path = env.fresh()
    shutil.copytree(env.data('fragments', count), path)
    return path


def tiledb_consolidate(env, count):
    import tiledb
    ctx = tiledb_context(env)

    def run(path):
        tiledb.consolidate(path, ctx=ctx)
        tiledb.vacuum(path, ctx=ctx)
        return path
    return Action(run, lambda: copy_fragments(env, count))


def tegula_consolidate(env, count):
    import tegula

    def run(path):
        tegula.consolidate(path, what='fragments', threads=env.threads)
        tegula.vacuum(path)
        return path
    return Action(run, lambda: copy_fragments(env, count))


def judge_consolidated(env, path):
    return [judge_written(env, path), len(os.listdir(os.path.join(path, '__fragments')))]


WRITE = {'tegula': tegula_write, 'tiledb': tiledb_write}
OPEN = {'tegula': tegula_open, 'tiledb': tiledb_open}


def workloads(sizes):
    n = sizes.fragments
    return [
        Workload('%d fragment writes, both synced' % n, WRITE, args=(n,), reach=1.5, judge=('tiledb', judge_written)),
        Workload('%d fragment writes, neither synced' % n, WRITE, args=(n,), reach=4, judge=('tiledb', judge_written), synced=False),
        Workload('open %d fragments + small slice' % n, OPEN, args=('fragments', n), needs=[('fragments', n)], reach=3),
        Workload('consolidate + vacuum %d fragments' % n, {'tegula': tegula_consolidate, 'tiledb': tiledb_consolidate}, args=(n,),
                 needs=[('fragments', n)], reach=10, judge=('tiledb', judge_consolidated)),
    ]
