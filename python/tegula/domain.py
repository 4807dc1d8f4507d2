"""Indexing by coordinates."""
from __future__ import annotations

from typing import Any, Iterator, List, Optional, Tuple

from .lazy import np
from .schema import Dim, to_coordinate


def _is_pair(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2


def ranges_of(axis: Any, given: Any, array: Any) -> List[Tuple[Any, Any]]:
    """Ranges, both ends included, from (low, high), a slice, a single coordinate, or a list of those."""
    items = given if isinstance(given, (list, np.ndarray)) else [given]
    return [_range(axis, item, array) for item in items]


def _range(axis: Any, given: Any, array: Any) -> Tuple[Any, Any]:
    if isinstance(given, slice):
        if given.step is not None:
            raise ValueError('a range in coordinates has no step')
        low, high = given.start, given.stop
    elif _is_pair(given):
        low, high = given
    else:
        low = high = given
    if low is None or high is None:
        ends = _ends(axis, array)
        low = ends[0] if low is None else low
        high = ends[1] if high is None else high
    kind, values = axis._type, axis._values
    what = f'dimension {axis.name!r}'
    return to_coordinate(kind, values, low, up=True, what=what), to_coordinate(kind, values, high, what=what)


def _ends(axis: Any, array: Any) -> Tuple[Any, Any]:
    if isinstance(axis, Dim) and axis.domain is not None and not axis.var:
        return axis.domain
    if isinstance(axis, Dim):
        place = [d.name for d in array.schema.dims].index(axis.name)
        found = array.info()['non_empty_domain']
        if found is not None and found[place] is not None:
            low, high = found[place]
            return low, high
        return '', ''
    raise ValueError(f'a range of {axis.name!r} needs both of its ends')


class Domain:
    """`a.domain[low:high, ...]`: indexing by coordinates, both ends included. Iterating gives (low, high) of each dimension."""

    def __init__(self, array: Any):
        self._array = array
        self._dims: Tuple[Dim, ...] = array.schema.dims

    @property
    def bounds(self) -> Tuple[Optional[Tuple[Any, Any]], ...]:
        return tuple(d.domain for d in self._dims)

    def __iter__(self) -> Iterator[Optional[Tuple[Any, Any]]]:
        return iter(self.bounds)

    def __len__(self) -> int:
        return len(self._dims)

    def __eq__(self, other: object) -> bool:
        return self.bounds == (other.bounds if isinstance(other, Domain) else other)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, key: Any) -> Any:
        if self._array.schema.sparse:
            return self._query(key)
        return self._array[self._indices(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._array.schema.sparse:
            raise TypeError('cells of a sparse array are added with write()')
        self._array[self._indices(key)] = value

    def _items(self, key: Any) -> List[Any]:
        items = list(key) if isinstance(key, tuple) else [key]
        used = sum(item is not Ellipsis for item in items)
        if used > len(self._dims) or len(items) - used > 1:
            raise IndexError(f'too many indices: the array has {len(self._dims)} dimensions, {used} were given')
        rest = [slice(None)] * (len(self._dims) - used)
        if used == len(items):
            return items + rest
        at = next(i for i, item in enumerate(items) if item is Ellipsis)
        return items[:at] + rest + items[at + 1:]

    def _indices(self, key: Any) -> Tuple[Any, ...]:
        out: List[Any] = []
        for d, item in zip(self._dims, self._items(key)):
            if d.size is None or d.domain is None:
                raise ValueError(f'dimension {d.name!r} has no coordinates to count')
            first = d.coordinate(d.domain[0])
            if not isinstance(item, slice):
                out.append(self._place(d, d.coordinate(item) - first, item))
                continue
            if item.step is not None:
                raise IndexError('a slice of coordinates has no step')
            low = 0 if item.start is None else d.coordinate(item.start, up=True) - first
            high = d.size - 1 if item.stop is None else d.coordinate(item.stop) - first
            if high >= low:
                self._place(d, low, item.start), self._place(d, high, item.stop)
            out.append(slice(low, max(low, high + 1)))
        return tuple(out)

    def _place(self, d: Dim, index: int, item: Any) -> int:
        if not 0 <= index < (d.size or 0):
            low, high = d.domain if d.domain is not None else (None, None)
            raise IndexError(f'{item!r} is outside of dimension {d.name!r}, whose domain is {low} to {high}')
        return index

    def _query(self, key: Any, half_open: bool = False) -> Any:
        ranges = {}
        for d, item in zip(self._dims, self._items(key)):
            if isinstance(item, slice) and item == slice(None):
                continue
            if half_open and isinstance(item, slice) and item.stop is not None and d.size is not None and d.domain is not None:
                last = d.coordinate(item.stop) - 1
                first = d.coordinate(d.domain[0] if item.start is None else item.start, up=True)
                ranges[d.name] = (d.value(first), d.value(last))
                continue
            ranges[d.name] = item
        return self._array.query(ranges=ranges)

    def __repr__(self) -> str:
        return '\n'.join(f'{d.name}: {d.type_name}' + ('' if d.domain is None else f' {d.domain[0]} to {d.domain[1]}') for d in self._dims)
