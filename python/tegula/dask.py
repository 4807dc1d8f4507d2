"""dask: arrays whose chunks are whole tiles, and parallel writes by the workers."""
from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Tuple, Union

import dask
import dask.array as da
import numpy as np

import tegula

__all__ = ['from_array', 'store']

# Bytes of a dask block: smaller ones take longer to schedule than to read.
_BLOCK_BYTES = 64 << 20


def block_sizes(shape: Sequence[int], tiles: Sequence[int], itemsize: int, wanted: int = _BLOCK_BYTES) -> Tuple[int, ...]:
    """The shape of a block of whole tiles with about `wanted` bytes; it grows along the last axis first."""
    sizes = [max(1, min(t, n)) for t, n in zip(tiles, shape)]
    for axis in reversed(range(len(sizes))):
        room = wanted // max(1, math.prod(sizes) * itemsize)
        if room > 1:
            sizes[axis] = min(max(1, shape[axis]), sizes[axis] * min(room, -(-shape[axis] // sizes[axis]) or 1))
    return tuple(sizes)


def from_array(array: Any, field: Optional[str] = None, chunks: Any = None, **options: Any) -> da.Array:
    """A dask array of a dense array or of one of its fields. `array` may be a URI, which is opened with `options`. Workers
    open the array by its URI. `chunks` defaults to blocks of whole tiles."""
    if not hasattr(array, 'schema'):
        array = tegula.open(array, **options)
    if array.schema.sparse:
        raise ValueError('a sparse array has no blocks; query() it instead')
    source = array if field is None else array[field]
    dtype = np.dtype(source.dtype)
    if chunks is None:
        chunks = block_sizes(source.shape, source.chunks, dtype.itemsize)
    return da.from_array(source, chunks=chunks, asarray=False, lock=False, inline_array=False,
                         meta=np.empty((0,) * len(source.shape), dtype))


def store(sources: Union[da.Array, Sequence[da.Array]], targets: Any, regions: Any = None, *, compute: bool = True,
          **options: Any) -> Any:
    """Writes dask arrays into arrays open for writing (or URIs), each block by the worker that has it. Blocks are first cut
    along the target's chunks, so that no two workers write to one chunk; in TileDB each block becomes a fragment. `regions`
    are slices of the targets, with ends on chunk boundaries. With compute=False a delayed object is returned."""
    if isinstance(sources, da.Array):
        sources, targets, regions = [sources], [targets], [regions]
    regions = regions if regions is not None else [None] * len(sources)
    if not len(sources) == len(targets) == len(regions):
        raise ValueError(f'{len(sources)} sources, {len(targets)} targets and {len(regions)} regions do not go together')
    writes = []
    for source, target, region in zip(sources, targets, regions):
        if not hasattr(target, 'shape'):
            target = tegula.open(target, 'w', **options)
        starts = _starts(target, source.shape, region)
        aligned = _aligned(source, target, starts)
        for block, where in zip(_delayed_blocks(aligned), da.core.slices_from_chunks(aligned.chunks)):
            place = tuple(slice(s.start + o, s.stop + o) for s, o in zip(where, starts))
            writes.append(dask.delayed(_write, pure=False)(target, place, block))
    done = dask.delayed(_count, pure=False)(writes)
    return done.compute() if compute else done


def _delayed_blocks(array: da.Array) -> Any:
    return array.to_delayed(optimize_graph=True).ravel()


def _write(target: Any, place: Tuple[slice, ...], block: Any) -> int:
    target[place] = np.asarray(block)
    return 1


def _count(writes: Sequence[int]) -> int:
    return len(writes)


def _starts(target: Any, shape: Tuple[int, ...], region: Any) -> Tuple[int, ...]:
    if region is None:
        region = (slice(None),) * len(target.shape)
    region = region if isinstance(region, tuple) else (region,)
    bounds = [s.indices(n) for s, n in zip(region, target.shape)]
    if len(region) != len(target.shape) or any(b[2] != 1 for b in bounds):
        raise ValueError('a region has one slice without a step for each axis of the target')
    extents = tuple(b[1] - b[0] for b in bounds)
    if extents != tuple(shape):
        raise ValueError(f'the source has the shape {tuple(shape)}, the region {extents}')
    for (start, stop, _), n, t in zip(bounds, target.shape, target.chunks):
        if start % t or (stop % t and stop != n):
            raise ValueError(f'a region ends on chunk boundaries (multiples of {t}) or at the end of the target, '
                             f'not at {start}:{stop}: workers would write to one chunk at a time')
    return tuple(b[0] for b in bounds)


def _aligned(source: da.Array, target: Any, starts: Tuple[int, ...]) -> da.Array:
    """Rechunks the source so that its blocks end at chunk boundaries of the target: each cut moves back to the boundary
    before it."""
    chunks = []
    for sizes, tile in zip(source.chunks, target.chunks):
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        cuts = sorted({int(e) // tile * tile for e in ends[:-1]} - {0, total})
        edges = [0, *cuts, total]
        chunks.append(tuple(b - a for a, b in zip(edges, edges[1:])))
    return source.rechunk(tuple(chunks))
