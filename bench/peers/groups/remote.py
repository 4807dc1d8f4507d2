"""Arrays in a bucket on this machine, as near as it is and 20 ms away: TileDB against libtiledb, zarr against tensorstore and
zarr-python with obstore, and a large read against curl."""
import functools
import os
import subprocess

import numpy as np

from .. import data, digest
from ..workload import Action, Dataset, Workload
from .tiledb_fragments import BOX
from .tiledb_sparse import any_order

SIDE, CHUNK = 512, 64        # 64 chunks
LARGE_CHUNK = 1024           # of the large read: 4 MiB


# -- data sets

def make_small_zarr(env, path, form):
    import zarr
    shape = {'shape': (SIDE, SIDE), 'chunks': (CHUNK, CHUNK), 'dtype': 'f4', 'fill_value': 0}
    if form == 'sharded':
        shape['shards'] = (SIDE, SIDE)
    array = zarr.create_array(path, zarr_format=2 if form == 'v2' else 3, **shape)
    array[...] = data.field(env, SIDE)


def make_large_zarr(env, path, side):
    import zarr
    array = zarr.create_array(path, zarr_format=2, shape=(side, side), chunks=(LARGE_CHUNK, LARGE_CHUNK), dtype='f4', fill_value=0, compressors=None)
    array[...] = data.field(env, side)


def make_merged(env, path, count):
    """Fragments that have been consolidated and wait for a vacuum."""
    import shutil
    import tiledb
    shutil.copytree(env.data('fragments', count), path)
    tiledb.consolidate(path)


DATASETS = {
    'remote_zarr': Dataset('zarr', make_small_zarr, needs=lambda form: [('field', SIDE)]),
    'remote_large': Dataset('zarr', make_large_zarr, needs=lambda side: [('field', side)]),
    'remote_merged': Dataset('tiledb', make_merged, needs=lambda count: [('fragments', count)]),
}


# -- the libraries, pointed at the bucket

def uri(prefix):
    return 's3://test/' + prefix


def tegula_options(env, delay):
    return {'threads': env.threads, 'storage_options': {'endpoint': env.settings['bucket'][str(delay)]}}


@functools.lru_cache(None)
def tiledb_context(address, threads):
    import tiledb
    from ..bucket import servers
    return tiledb.Ctx({'sm.compute_concurrency_level': threads, 'sm.io_concurrency_level': threads, 'vfs.s3.scheme': 'http',
                       'vfs.s3.endpoint_override': address.split('//')[1], 'vfs.s3.use_virtual_addressing': 'false',
                       'vfs.s3.region': 'us-east-1', 'vfs.s3.aws_access_key_id': servers.KEY,
                       'vfs.s3.aws_secret_access_key': servers.SECRET})


def context(env, delay):
    return tiledb_context(env.settings['bucket'][str(delay)], env.threads)


# -- TileDB

def tegula_open(env, delay, *dataset):
    import tegula
    from .. import bucket
    path, options = uri(bucket.dataset(env, *dataset)), tegula_options(env, delay)

    def run(_):
        return [tuple(map(int, d)) for d in tegula.open(path, **options).info()['non_empty_domain']]
    return Action(run, digest=str)


def tiledb_open(env, delay, *dataset):
    import tiledb
    from .. import bucket
    path, ctx = uri(bucket.dataset(env, *dataset)), context(env, delay)

    def run(_):
        with tiledb.open(path, ctx=ctx) as array:
            return [tuple(map(int, d)) for d in array.nonempty_domain()]
    return Action(run, digest=str)


def tegula_box(env, delay, box, *dataset):
    import tegula
    from .. import bucket
    path, options = uri(bucket.dataset(env, *dataset)), tegula_options(env, delay)
    ranges = {'x': box[:2], 'y': box[2:]} if box else None

    def run(_):
        found = tegula.open(path, **options).query(ranges=ranges, order='unordered')
        return {name: found[name] for name in 'xyv'}
    return Action(run, digest=any_order)


def tiledb_box(env, delay, box, *dataset):
    import tiledb
    from .. import bucket
    path, ctx = uri(bucket.dataset(env, *dataset)), context(env, delay)
    x0, x1, y0, y1 = box or (0, data.DOMAIN - 1, 0, data.DOMAIN - 1)

    def run(_):
        with tiledb.open(path, ctx=ctx) as array:
            return array.query(order='U').multi_index[x0:x1, y0:y1]
    return Action(run, digest=any_order)


def copied(env, *dataset):
    """A new array in the bucket that may be changed."""
    from .. import bucket

    def before():
        prefix = bucket.fresh(env)
        bucket.upload(env, env.data(*dataset), prefix)
        return prefix
    return before


def tegula_write(env, delay, *dataset):
    import tegula
    options, (cells,) = tegula_options(env, delay), data.small_fragments(1)

    def run(prefix):
        with tegula.open(uri(prefix), 'w', **options) as array:
            array.write(cells)
        return prefix
    return Action(run, copied(env, *dataset))


def tiledb_write(env, delay, *dataset):
    import tiledb
    ctx, (cells,) = context(env, delay), data.small_fragments(1)

    def run(prefix):
        with tiledb.open(uri(prefix), 'w', ctx=ctx) as array:
            array[cells['x'], cells['y']] = cells['v']
        return prefix
    return Action(run, copied(env, *dataset))


def tegula_maintain(verb):
    def side(env, delay, *dataset):
        import tegula
        options = tegula_options(env, delay)

        def run(prefix):
            getattr(tegula, verb)(uri(prefix), **options)
            return prefix
        return Action(run, copied(env, *dataset))
    return side


def tiledb_maintain(verb):
    def side(env, delay, *dataset):
        import tiledb
        ctx = context(env, delay)

        def run(prefix):
            getattr(tiledb, verb)(uri(prefix), ctx=ctx)
            return prefix
        return Action(run, copied(env, *dataset))
    return side


def judge_cells(env, prefix):
    import tiledb
    with tiledb.open(uri(prefix), ctx=context(env, 0)) as array:
        return any_order(array[:])


# -- zarr

def is_v2(prefix):
    return 'large' in prefix or prefix.endswith('v2') or prefix.startswith('scratch')


def open_tegula(env, delay, prefix):
    import tegula
    return tegula.open(uri(prefix), format='zarr2' if is_v2(prefix) else 'zarr3', **tegula_options(env, delay))


def open_tegula_unknown(env, delay, prefix):
    import tegula
    return tegula.open(uri(prefix), **tegula_options(env, delay))


def open_tensorstore(env, delay, prefix):
    import tensorstore
    spec = {'driver': 'zarr' if is_v2(prefix) else 'zarr3',
            'kvstore': {'driver': 's3', 'bucket': 'test', 'path': prefix + '/', 'endpoint': env.settings['bucket'][str(delay)],
                        'aws_region': 'us-east-1', 'aws_credentials': {'type': 'environment'}}}
    context = tensorstore.Context({'data_copy_concurrency': {'limit': env.threads}})
    return tensorstore.open(spec, context=context, open=True).result()


def open_obstore(env, delay, prefix):
    import zarr
    from obstore.store import S3Store
    store = S3Store('test', prefix=prefix, endpoint=env.settings['bucket'][str(delay)], region='us-east-1',
                    virtual_hosted_style_request=False, client_options={'allow_http': True})
    return zarr.open_array(zarr.storage.ObjectStore(store, read_only=True), mode='r')


def zarr_read(opened, finish=lambda found: found):
    def side(env, delay, key, *dataset):
        from .. import bucket
        prefix = bucket.dataset(env, *dataset)
        return Action(lambda _: np.asarray(finish(opened(env, delay, prefix)[key])), digest=digest.exact)
    return side


READ = {'tegula': zarr_read(open_tegula), 'tensorstore': zarr_read(open_tensorstore, lambda found: found.read().result()),
        'zarr': zarr_read(open_obstore)}
READ_UNKNOWN = {'tegula': zarr_read(open_tegula_unknown), 'zarr': zarr_read(open_obstore)}


def zarr_write(opened, write):
    def side(env, delay, *dataset):
        values = data.field(env, SIDE) + 1

        def run(prefix):
            write(opened, env, delay, prefix, values)
            return prefix
        return Action(run, copied(env, *dataset))
    return side


def write_tegula(_, env, delay, prefix, values):
    import tegula
    with tegula.open(uri(prefix), 'w', **tegula_options(env, delay)) as array:
        array[...] = values


def write_tensorstore(opened, env, delay, prefix, values):
    opened(env, delay, prefix).write(values).result()


def judge_zarr(env, prefix):
    return digest.exact(open_obstore(env, 0, prefix)[...])


def curl(env, delay, key, *dataset):
    """The same objects, by curl, 64 at a time, thrown away."""
    from .. import bucket
    prefix = bucket.dataset(env, *dataset)
    address = env.settings['bucket'][str(delay)]
    path = os.path.join(env.scratch, 'urls')
    with open(path, 'w') as file:
        for _, name in bucket.files_below(env.data(*dataset)):
            file.write('url = "%s"\noutput = "/dev/null"\n' % bucket.presigned(address, '%s/%s' % (prefix, name)))
    command = ['curl', '-sSf', '--parallel', '--parallel-max', '64', '--config', path]
    return Action(lambda _: subprocess.run(command, check=True).returncode, digest=lambda code: None, child=True)


def workloads(sizes):
    from ..bucket import DELAYS
    rows = []
    for delay in DELAYS:
        far = delay > 0

        def row(name, sides, *args, reach=None, needs=(), **more):
            rows.append(Workload('%s, %d ms' % (name, delay), sides, args=(delay, *args), reach=reach if far else None, needs=needs, **more))

        for n in (1, 10, 100, 1000):
            needs = [('fragments', n)]
            row('open %d fragments' % n, {'tegula': tegula_open, 'tiledb': tiledb_open}, 'fragments', n, needs=needs, reach=15 if n == 100 else None)
        for n in (1, 10, 100):
            row('open %d fragments + box' % n, {'tegula': tegula_box, 'tiledb': tiledb_box}, BOX, 'fragments', n, needs=[('fragments', n)],
                reach=20 if n == 100 else None)
        n = 100
        row('open %d fragments + all' % n, {'tegula': tegula_box, 'tiledb': tiledb_box}, None, 'fragments', n, needs=[('fragments', n)])
        row('write a fragment', {'tegula': tegula_write, 'tiledb': tiledb_write}, 'fragments', 10, needs=[('fragments', 10)],
            judge=('tiledb', judge_cells))
        for verb, dataset in ('consolidate', 'fragments'), ('vacuum', 'remote_merged'):
            row('%s %d fragments' % (verb, n), {'tegula': tegula_maintain(verb), 'tiledb': tiledb_maintain(verb)}, dataset, n,
                needs=[(dataset, n)], judge=('tiledb', judge_cells), reach=50 if verb == 'vacuum' else None)
        chunk, everything = (slice(0, 64), slice(0, 64)), (slice(0, SIDE), slice(0, SIDE))
        for form in 'v2', 'v3', 'sharded':
            needs = [('remote_zarr', form), ('field', SIDE)]
            reach = None if form == 'sharded' else 1
            row('zarr %s, open + chunk' % form, READ, chunk, 'remote_zarr', form, needs=needs, reach=reach)
            row('zarr %s, open + chunk, format not given' % form, READ_UNKNOWN, chunk, 'remote_zarr', form, needs=needs)
            row('zarr %s, open + all' % form, READ, everything, 'remote_zarr', form, needs=needs, reach=reach)
        row('zarr v2, write', {'tegula': zarr_write(open_tegula, write_tegula), 'tensorstore': zarr_write(open_tensorstore, write_tensorstore)},
            'remote_zarr', 'v2', needs=[('remote_zarr', 'v2'), ('field', SIDE)], judge=('zarr', judge_zarr))
    side = 2 * sizes.side
    whole = (slice(0, side), slice(0, side))
    needs = [('remote_large', side)]
    size = 4 * side * side // 2**20
    rows.append(Workload('%d MiB in chunks of 4 MiB, beside curl, 0 ms' % size, {'tegula': READ['tegula'], 'curl': curl},
                         args=(0, whole, 'remote_large', side), needs=needs, reach=0.9))
    rows.append(Workload('%d MiB in chunks of 4 MiB, 0 ms' % size, READ, args=(0, whole, 'remote_large', side), needs=needs))
    return rows
