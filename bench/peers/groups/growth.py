"""How cost grows: with the data, with the threads, with the fragments."""
from ..workload import TILE, Workload
from . import table, tiledb_dense, tiledb_fragments, tiledb_sparse, zarr

WITHIN = 1 / 1.3        # time per byte, of the smallest
TWO_THREADS = 1.7       # where decoding bounds the read


def of_data(name, sides, base, arguments, cells, **more):
    """A workload at 1x, 4x and 16x of its smallest size."""
    rows = []
    for factor in 1, 4, 16:
        needs, args = arguments(base, factor)
        label = '%s, %dx' % (name, factor)
        rows.append(Workload(label, sides, args=args, needs=needs, amount=cells * factor,
                             reference=rows[0].name if rows else None, keep=WITHIN if rows else None, **more))
    return rows


def of_threads(name, sides, args, needs):
    return [Workload('%s, 1 thread' % name, sides, args=args, needs=needs, threads=1),
            Workload('%s, 2 threads' % name, sides, args=args, needs=needs, threads=2, reference='%s, 1 thread' % name, keep=TWO_THREADS)]


def of_fragments(name, sides, dataset, counts, keep, limits=()):
    rows = []
    for count in counts:
        rows.append(Workload('%s %d fragments' % (name, count), sides, args=(dataset, count), needs=[(dataset, count)], amount=count,
                             reference=rows[-1].name if rows else None, keep=keep if rows else None, limits=limits))
    return rows


def workloads(sizes):
    def dense(codec):
        def arguments(side, factor):
            args = (codec, side * {1: 1, 4: 2, 16: 4}[factor])
            return [('dense',) + args], args
        return arguments

    def zarr2(side, factor):
        args = ('zarr2', 'lz4', side * {1: 1, 4: 2, 16: 4}[factor])
        return [args], args

    def counted(*names):
        return lambda count, factor: ([(name, count * factor) for name in names], (count * factor,))

    side, points, rows = max(TILE, sizes.side // 2 // TILE * TILE), sizes.points // 4, sizes.rows // 4
    zarr_sides = {library: zarr.of_each(zarr.read, zarr.OPEN)[library] for library in ('tegula', 'tensorstore')}
    largest, sparse, column = ('zstd', side * 2), (points * 4,), (rows * 4,)
    return [
        *of_data('TileDB dense read, no filter', tiledb_dense.READ, side, dense('none'), side * side),
        *of_data('TileDB dense read, byteshuffle+zstd', tiledb_dense.READ, side, dense('zstd'), side * side),
        *of_data('TileDB sparse read, row-major', tiledb_sparse.READ_ROWS, points, counted('sparse'), points),
        *of_data('TileDB sparse write', tiledb_sparse.WRITE, points, counted('points'), points,
                 judge=('tiledb', tiledb_sparse.judge_written)),
        *of_data('zarr v2 blosc-lz4 read', zarr_sides, side, zarr2, side * side),
        *of_data('ctable column', table.READ_COLUMN, rows, counted('table'), rows),
        *of_threads('TileDB dense read, byteshuffle+zstd', tiledb_dense.READ, largest, [('dense',) + largest]),
        *of_threads('TileDB sparse read, row-major', tiledb_sparse.READ_ROWS, sparse, [('sparse',) + sparse]),
        *of_threads('zarr v2 blosc-zstd read', zarr.of_each(zarr.read, zarr.OPEN), ('zarr2', 'zstd', side * 2), [('zarr2', 'zstd', side * 2)]),
        *of_threads('ctable column', table.READ_COLUMN, column, [('table',) + column]),
        *of_fragments('open', {**tiledb_fragments.OPEN, 'footers': tiledb_fragments.footers}, 'fragments', sizes.many_fragments, WITHIN,
                      limits=['footers']),
        *of_fragments('open, consolidated metadata,', tiledb_fragments.OPEN, 'fragments_consolidated', sizes.many_fragments, 1.0),
    ]
