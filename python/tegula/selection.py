"""Translates numpy's indexing into what the library reads: boxes with steps, index lists per axis, points."""
from __future__ import annotations

import operator
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from .lazy import np


class Plan(NamedTuple):
    """How to read a selection. The library reads `axes`, one entry per axis; its result is reshaped to `shape` and then indexed
    with `local`. None skips that step."""

    axes: Tuple[Any, ...]
    points: bool = False
    shape: Optional[Tuple[int, ...]] = None
    local: Optional[Tuple[Any, ...]] = None


def _whole(value: Any) -> Optional[int]:
    if value is None or value is Ellipsis or isinstance(value, (slice, bool, np.bool_)):
        return None
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _slice(value: slice) -> slice:
    try:
        parts = [None if v is None else operator.index(v) for v in (value.start, value.stop, value.step)]
    except TypeError:
        raise IndexError(f'slice indices must be integers or None, not {value}') from None
    if parts[2] == 0:
        raise ValueError('slice step cannot be zero')
    return slice(*parts)


def _indices(value: Any, axis: int, size: int) -> np.ndarray:
    array = np.asarray(value)
    if array.size == 0 and array.dtype.kind == 'f':
        array = array.astype(np.int64)
    if array.dtype.kind not in 'iu':
        raise IndexError(f'only integers, slices, ellipsis, None and arrays of integers or booleans are indices, not {value!r}')
    array = array.astype(np.int64)
    if array.size:
        low, high = array.min(), array.max()
        if low < -size or high >= size:
            bad = low if low < -size else high
            raise IndexError(f'index {bad} is out of bounds for axis {axis} with size {size}')
    return np.where(array < 0, array + size, array)


class Expanded(NamedTuple):
    """`axes` has one entry (int, slice or index array) per axis; masks have become index arrays. `new` holds the
    positions of new axes, `gap` that of an ellipsis that covers no axis: in numpy even such an ellipsis separates the index
    arrays before it from those after it."""

    axes: List[Any]
    new: List[int]
    gap: Optional[int]


def expand(key: Any, ndim: int, shape: Sequence[int]) -> Expanded:
    items = list(key) if isinstance(key, tuple) else [key]
    flat: List[Any] = []
    for item in items:
        if item is None or item is Ellipsis or isinstance(item, slice):
            flat.append(item)
            continue
        number = _whole(item)
        if number is not None:
            flat.append(number)
            continue
        if isinstance(item, (bool, np.bool_)):
            raise IndexError('a single boolean is no index here; use a mask of the shape of the array')
        flat.append(np.asarray(item))
    used = sum(_width(item) for item in flat)
    if used > ndim:
        raise IndexError(f'too many indices for array: array is {ndim}-dimensional, but {used} were indexed')
    at = [i for i, item in enumerate(flat) if item is Ellipsis]
    if len(at) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    rest: List[Any] = [slice(None)] * (ndim - used)
    flat = flat[:at[0]] + rest + flat[at[0] + 1:] if at else flat + rest
    axes: List[Any] = []
    new: List[int] = []
    gap: Optional[int] = None
    for place, item in enumerate(flat):
        if at and not rest and place == at[0]:
            gap = len(axes) + len(new)
        if item is None:
            new.append(len(axes) + len(new))
        elif isinstance(item, slice):
            axes.append(_slice(item))
        elif isinstance(item, int):
            axes.append(item)
        elif item.dtype == bool:
            here = tuple(shape[len(axes):len(axes) + item.ndim])
            if item.shape != here:
                raise IndexError(f'boolean index did not match indexed array: its shape is {item.shape}, that of the axes {here}')
            axes.extend(item.nonzero())
        else:
            axes.append(_indices(item, len(axes), shape[len(axes)]))
    return Expanded(axes, new, gap)


def _width(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == bool else 1


def _picked(axes: Sequence[Any], shape: Sequence[int]) -> List[int]:
    """The shape of the slices among `axes`."""
    return [len(range(*a.indices(n))) for a, n in zip(axes, shape) if isinstance(a, slice)]


def plan(key: Any, shape: Sequence[int]) -> Plan:
    """What `key` selects in numpy."""
    axes, new, gap = expand(key, len(shape), shape)
    arrays = [a for a in axes if isinstance(a, np.ndarray)]
    if not arrays:
        if not new:
            return Plan(tuple(axes))
        sizes = iter(_picked(axes, shape))
        entries: List[Any] = list(axes)
        for place in new:
            entries.insert(place, None)
        result = tuple(1 if e is None else next(sizes) for e in entries if not isinstance(e, int))
        return Plan(tuple(axes), shape=result)
    if len(arrays) == 1 and arrays[0].ndim == 1 and not new and not any(isinstance(a, int) for a in axes):
        return Plan(tuple(axes))
    if not new and all(not isinstance(a, slice) for a in axes):
        return points(axes, shape)
    # The library applies each index array to its own axis, so that few unwanted cells are read; numpy does the rest.
    read: List[Any] = []
    local: List[Any] = []
    for axis, item in enumerate(axes):
        if isinstance(item, np.ndarray):
            picked, back = np.unique(item, return_inverse=True)
            read.append(picked.astype(np.int64))
            local.append(back.reshape(item.shape))
        elif isinstance(item, int):
            read.append(_indices([item], axis, shape[axis]))
            local.append(0)
        else:
            read.append(item)
            local.append(slice(None))
    for place in new:
        local.insert(place, None)
    if gap is not None:
        local.insert(gap, Ellipsis)
    return Plan(tuple(read), local=tuple(local))


def points(axes: Sequence[Any], shape: Sequence[int]) -> Plan:
    picked = [_indices(a, i, n) for i, (a, n) in enumerate(zip(axes, shape))]
    try:
        lists = np.broadcast_arrays(*picked)
    except ValueError:
        raise IndexError(f'shape mismatch: index lists of the shapes {", ".join(str(p.shape) for p in picked)} do not go together') from None
    return Plan(tuple(np.ascontiguousarray(a.ravel()) for a in lists), True, lists[0].shape)


def orthogonal(key: Any, shape: Sequence[int]) -> Plan:
    """Orthogonal indexing: each axis on its own, as with numpy.ix_."""
    axes, new, _ = expand(key, len(shape), shape)
    if new:
        raise IndexError('oindex adds no axes')
    for a in axes:
        if isinstance(a, np.ndarray) and a.ndim != 1:
            raise IndexError('oindex takes lists of one axis')
    return Plan(tuple(axes))


def pointwise(key: Any, shape: Sequence[int]) -> Plan:
    """Points: the index lists of all axes together give one cell each."""
    axes, new, _ = expand(key, len(shape), shape)
    if new or any(isinstance(a, slice) for a in axes):
        raise IndexError('vindex takes an index, a list or a mask for every axis')
    return points(axes, shape)


def blocks(key: Any, shape: Sequence[int], chunks: Sequence[int]) -> Plan:
    """Whole chunks by their position in the grid."""
    grid = [-(-n // c) if c else 0 for n, c in zip(shape, chunks)]
    axes, new, _ = expand(key, len(shape), grid)
    if new:
        raise IndexError('blocks adds no axes')
    out: List[Any] = []
    for axis, (item, n, c, count) in enumerate(zip(axes, shape, chunks, grid)):
        if isinstance(item, int):
            place = int(_indices([item], axis, count)[0])
            out.append(slice(place * c, min(n, (place + 1) * c)))
        elif isinstance(item, slice):
            start, stop, step = item.indices(count)
            if step != 1:
                raise IndexError('blocks takes slices without a step')
            out.append(slice(start * c, max(start * c, min(n, stop * c))))
        else:
            raise IndexError('blocks takes integers and slices')
    return Plan(tuple(out))


def as_points(plan: Plan, shape: Sequence[int]) -> Plan:
    """The cells of a plan with a `local` index, one by one."""
    lists = [np.arange(*a.indices(n)) if isinstance(a, slice) else np.asarray(a) for a, n in zip(plan.axes, shape)]
    sizes = tuple(len(a) for a in lists)
    picked = [np.broadcast_to(a.reshape((-1,) + (1,) * (len(lists) - 1 - i)), sizes)[plan.local] for i, a in enumerate(lists)]
    return Plan(tuple(np.ascontiguousarray(p.ravel()).astype(np.int64) for p in picked), True, picked[0].shape)


def reads_much_more(plan: Plan) -> bool:
    """Whether the outer product of the index lists of a plan is much larger than what it asks for."""
    if plan.local is None:
        return False
    asked = [item for item in plan.local if isinstance(item, np.ndarray)]
    product = 1
    for item in plan.axes:
        product *= len(item) if isinstance(item, np.ndarray) else 1
    if len(asked) < 2 or product <= 1024:
        return False
    try:
        return product > 4 * np.broadcast(*asked).size
    except ValueError:
        raise IndexError(f'shape mismatch: index lists of the shapes {", ".join(str(a.shape) for a in asked)} do not go together') from None


class Indexer:
    """`a.oindex[...]`, `a.vindex[...]` and `a.blocks[...]`."""

    __slots__ = ('_read', '_write', '_plan')

    def __init__(self, plan: Callable[[Any], Plan], read: Callable[[Plan], Any], write: Callable[[Plan, Any], None]):
        self._plan, self._read, self._write = plan, read, write

    def __getitem__(self, key: Any) -> Any:
        return self._read(self._plan(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._write(self._plan(key), value)
