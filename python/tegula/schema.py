"""Schemas of arrays: Dim, Attr, Enumeration, Label, Schema."""
from __future__ import annotations

import operator
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import dtypes
from .dtypes import Type
from .lazy import np

FilterLike = Union[str, Tuple[str, Dict[str, Any]]]


class Filter(str):
    """One step of a filter pipeline: a text such as 'zstd:5', with its `name` and `options`."""

    name: str
    options: Dict[str, Any]

    def __new__(cls, name: str, options: Dict[str, Any], text: str) -> 'Filter':
        self = super().__new__(cls, text)
        self.name, self.options = name, options
        return self

    def __reduce__(self) -> Any:
        return Filter, (self.name, self.options, str(self))


def _filters(raw: Sequence[Tuple[str, Dict[str, Any], str]]) -> Tuple[Filter, ...]:
    return tuple(Filter(*f) for f in raw)


def _plain_filters(filters: Optional[Iterable[FilterLike]], format: str) -> List[Any]:
    if isinstance(filters, str):
        filters = [filters]
    out: List[Any] = [(f.name, f.options) if isinstance(f, Filter) else f for f in filters or ()]
    return out or (['none'] if filters is not None else [])


def _whole(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            return int(value)
        raise ValueError(f'{what} takes whole numbers, not {value!r}') from None


def to_coordinate(kind: Type, values: Optional[int], value: Any, *, up: bool = False, what: str = 'a dimension') -> Any:
    """A coordinate in the form of the library: dates as counts of their unit, text as bytes. A date between two ticks is
    rounded down, or with `up` rounded up."""
    if value is None:
        return None
    if kind.is_unit or values is None:
        return dtypes.encode(kind, value if isinstance(value, (str, bytes)) else str(value))
    base = kind.base
    if base.kind in 'mM':
        if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
            return int(value)
        scalar = np.datetime64 if base.kind == 'M' else np.timedelta64
        exact = value if isinstance(value, scalar) else scalar(value)
        ticks = exact.astype(base)
        if up and ticks < exact:
            return int(ticks.astype('i8')) + 1
        return int(ticks.astype('i8'))
    if base.kind == 'f':
        return float(value)
    return _whole(value, what)


def from_coordinate(kind: Type, values: Optional[int], value: Any) -> Any:
    if value is None:
        return None
    if kind.is_unit or values is None:
        return dtypes.decode(kind, value)
    base = kind.base
    return np.int64(value).astype(base) if base.kind in 'mM' else value


class _Described:
    """The type of a Dim, Attr, Enumeration or Label: a numpy dtype or the name of a TileDB type."""

    _type: Type
    _values: Optional[int]
    _cell_shape: Tuple[int, ...] = ()

    def _set_type(self, dtype: Any, values: Union[int, str, None] = None) -> None:
        kind, count, shape = dtypes.parse(dtype)
        if values == 'var':
            count, shape = None, ()
        elif values is not None:
            count, shape = int(values), ()
        object.__setattr__(self, '_type', kind)
        object.__setattr__(self, '_values', count)
        object.__setattr__(self, '_cell_shape', tuple(shape))

    @property
    def var(self) -> bool:
        """Whether cells have any number of values: text, lists."""
        return self._values is None

    @property
    def type_name(self) -> str:
        """The name of the type: 'int32', 'ascii', 'datetime64[ns]'."""
        if self._type.is_unit:
            return self._type.name
        base = self._type.base
        return str(base) if base.names is None else 'record'

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the cells in numpy; object for text and lists of any length."""
        base, inner = dtypes.cell_dtype(self._type, self._values, self._cell_shape)
        return np.dtype((base, inner)) if inner else base


class Dim(_Described):
    """A dimension: `domain` is (low, high), both included, `tile` its extent."""

    def __init__(self, name: str = '', domain: Optional[Tuple[Any, Any]] = None, tile: Any = None, dtype: Any = 'int64',
                 filters: Optional[Iterable[FilterLike]] = None):
        self.name = name
        self._set_type(dtype)
        if self._type.is_unit:
            self._values = None
        self.domain = tuple(domain) if domain is not None else None
        self.tile = tile
        self.filters = tuple(filters) if filters is not None and not isinstance(filters, str) else filters

    @classmethod
    def _from(cls, raw: Dict[str, Any]) -> 'Dim':
        self = cls.__new__(cls)
        self.name, self._type, self._values = raw['name'], Type(*raw['type']), raw['values']
        domain = raw['domain']
        self.domain = None if domain is None else tuple(self.value(v) for v in domain)
        tile = raw['tile']
        if tile is not None and not self._type.is_unit and self._type.base.kind in 'mM':
            base = self._type.base
            tile = np.timedelta64(tile, np.datetime_data(base)[0]) if np.datetime_data(base)[1] == 1 else int(tile)
        self.tile = tile
        self.filters = _filters(raw['filters'])
        return self

    def _plain(self, format: str) -> Dict[str, Any]:
        tile = self.tile
        if isinstance(tile, np.timedelta64):
            tile = int(tile.astype(f'm8[{np.datetime_data(self._type.base)[0]}]').astype('i8'))
        elif tile is not None:
            tile = float(tile) if not self._type.is_unit and self._type.base.kind == 'f' else _whole(tile, 'a tile')
        domain = self.domain
        if domain is not None and all(v is None for v in domain):
            domain = None
        return {'name': self.name, 'type': self._type.code, 'values': self._values,
                'domain': None if domain is None else tuple(self.coordinate(v) for v in domain), 'tile': tile,
                'filters': _plain_filters(self.filters, format)}

    def coordinate(self, value: Any, up: bool = False) -> Any:
        """A coordinate in the form of the library."""
        return to_coordinate(self._type, self._values, value, up=up, what=f'dimension {self.name!r}')

    def value(self, coordinate: Any) -> Any:
        """The inverse of coordinate()."""
        return from_coordinate(self._type, self._values, coordinate)

    @property
    def size(self) -> Optional[int]:
        """Number of cells along the dimension; None unless its type is an integer or date."""
        if self._type.is_unit or self._type.base.kind not in 'iumM':
            return None
        if self.domain is None:
            return 0
        low, high = (self.coordinate(v) for v in self.domain)
        return high - low + 1

    def __repr__(self) -> str:
        parts = [repr(self.name)]
        if self.domain is not None:
            parts.append(f'domain=({", ".join(_plainly(v) for v in self.domain)})')
        if self.tile is not None:
            parts.append(f'tile={_plainly(self.tile)}')
        parts.append(f'dtype={self.type_name!r}')
        if self.filters:
            parts.append(f'filters={[str(f) for f in self.filters]}')
        return f'Dim({", ".join(parts)})'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._plain('') == other._plain('')

    __hash__ = None  # type: ignore[assignment]


def _plainly(value: Any) -> str:
    return str(value) if isinstance(value, np.generic) else repr(value)


class Attr(_Described):
    """An attribute, or a column of a table. `values` is the number of values in a cell, 'var' for any number."""

    def __init__(self, name: str = '', dtype: Any = 'float64', filters: Optional[Iterable[FilterLike]] = None,
                 nullable: bool = False, fill: Any = None, values: Union[int, str, None] = None, enumeration: str = ''):
        self.name = name
        self._set_type(dtype, values)
        self.filters = tuple(filters) if filters is not None and not isinstance(filters, str) else filters
        self.nullable = nullable
        self.enumeration = enumeration
        self._fill: Optional[bytes] = None if fill is None else self._encode_fill(fill)
        self._fill_valid, self._fill_defined = True, True

    @classmethod
    def _from(cls, raw: Dict[str, Any]) -> 'Attr':
        self = cls.__new__(cls)
        self.name, self._type, self._values = raw['name'], Type(*raw['type']), raw['values']
        self._cell_shape = raw['cell_shape']
        self.filters = _filters(raw['filters'])
        self.nullable, self.enumeration = raw['nullable'], raw['enumeration']
        self._fill, self._fill_valid, self._fill_defined = raw['fill'], raw['fill_valid'], raw['fill_defined']
        return self

    @property
    def _holds_json(self) -> bool:
        """Whether cells are Python objects, each stored as a JSON document (zarr's json2)."""
        return any(getattr(f, 'name', f) == 'json2' for f in self.filters or ())

    def _encode_fill(self, fill: Any) -> bytes:
        if self._type.is_unit and (self._values is None or isinstance(fill, (str, bytes))):
            data = dtypes.encode(self._type, fill)
            return data if self._values is None else data.ljust(self._values * dtypes.unit_size(self._type), b'\0')
        from .columns import cast
        base, inner = dtypes.cell_dtype(self._type, self._values, self._cell_shape)
        value = np.asarray(fill)
        if base.kind == 'M' and value.dtype.kind == 'U':
            value = value.astype('M8')  # in the unit it is written in
        if self._values is None:
            return cast(value, np.dtype(self._type.base)).tobytes()
        return np.ascontiguousarray(np.broadcast_to(cast(value, base), inner)).tobytes()

    @property
    def fill(self) -> Any:
        """The value of unwritten cells; None when it is null or the format leaves it undefined."""
        if self._fill is None or not self._fill_defined or (self.nullable and not self._fill_valid):
            return None
        if self._values is None:
            if self._type.is_unit:
                return dtypes.decode(self._type, self._fill)
            return np.frombuffer(self._fill, self._type.base)
        base, inner = dtypes.cell_dtype(self._type, self._values, self._cell_shape)
        if base.itemsize == 0 or not self._fill:
            return np.zeros(inner, base)[()]
        return np.frombuffer(self._fill, base).reshape(inner)[()]

    def _plain(self, format: str) -> Dict[str, Any]:
        return {'name': self.name, 'type': self._type.code, 'values': self._values, 'nullable': self.nullable,
                'fill': self._fill, 'fill_valid': self._fill_valid, 'fill_defined': self._fill_defined,
                'filters': None if self.filters is None else _plain_filters(self.filters, format),
                'enumeration': self.enumeration, 'cell_shape': self._cell_shape}

    def __repr__(self) -> str:
        parts = [repr(self.name), f'dtype={self.type_name!r}']
        if self._cell_shape or self._values not in (None, 1):
            parts.append(f'values={self._cell_shape or self._values}')
        elif self._values is None:
            parts.append("values='var'")
        if self.nullable:
            parts.append('nullable=True')
        fill = self.fill
        if fill is not None:
            parts.append(f'fill={_plainly(fill)}')
        if self.enumeration:
            parts.append(f'enumeration={self.enumeration!r}')
        if self.filters:
            parts.append(f'filters={[str(f) for f in self.filters]}')
        return f'Attr({", ".join(parts)})'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attr) and self._plain('') == other._plain('')

    __hash__ = None  # type: ignore[assignment]


class Enumeration(_Described):
    """The values that the codes of an attribute stand for."""

    def __init__(self, name: str, values: Sequence[Any], ordered: bool = False, dtype: Any = None):
        self.name, self.ordered = name, ordered
        if dtype is None:
            first = values[0] if len(values) else ''
            dtype = type(first) if isinstance(first, (str, bytes)) else np.asarray(values).dtype
            if isinstance(dtype, np.dtype) and dtype.kind in 'US':
                dtype = str if dtype.kind == 'U' else bytes
        self._set_type(dtype)
        if self._type.is_unit:
            self._items = [dtypes.encode(self._type, v) for v in values]
        else:
            self._items = [v.tobytes() for v in np.asarray(values, self._type.base)]

    @classmethod
    def _from(cls, raw: Dict[str, Any]) -> 'Enumeration':
        self = cls.__new__(cls)
        self.name, self._type, self._values = raw['name'], Type(*raw['type']), raw['values']
        self.ordered, self._items = raw['ordered'], raw['items']
        return self

    @property
    def values(self) -> List[Any]:
        if self._type.is_unit:
            return [dtypes.decode(self._type, v) for v in self._items]
        base, inner = dtypes.cell_dtype(self._type, self._values)
        return [np.frombuffer(v, base).reshape(inner)[()] for v in self._items]

    def _plain(self) -> Dict[str, Any]:
        return {'name': self.name, 'type': self._type.code, 'values': self._values, 'ordered': self.ordered,
                'items': list(self._items)}

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f'Enumeration({self.name!r}, {self.values!r}{", ordered=True" if self.ordered else ""})'


class Label(_Described):
    """A dimension label of TileDB: other coordinates along a dimension."""

    def __init__(self, raw: Dict[str, Any]):
        self.name, self.dimension, self.increasing = raw['name'], raw['dimension'], raw['increasing']
        self._type, self._values = Type(*raw['type']), raw['values']

    def __repr__(self) -> str:
        return f'Label({self.name!r}, dimension={self.dimension}, dtype={self.type_name!r})'


class Schema:
    """The schema of an array of any format. create() accepts one."""

    def __init__(self, format: str = 'tiledb', dims: Iterable[Dim] = (), attrs: Iterable[Attr] = (), sparse: bool = False,
                 table: bool = False, format_version: int = 0, cell_order: str = 'row', tile_order: str = 'row',
                 capacity: int = 10000, allows_duplicates: bool = False, enumerations: Iterable[Enumeration] = (),
                 labels: Iterable[Label] = (), coords_filters: Optional[Iterable[FilterLike]] = None,
                 offsets_filters: Optional[Iterable[FilterLike]] = None, validity_filters: Optional[Iterable[FilterLike]] = None,
                 current_domain: Optional[Tuple[Tuple[Any, Any], ...]] = None):
        self.format, self.format_version = format, format_version
        self.dims, self.attrs = tuple(dims), tuple(attrs)
        self.sparse, self.table = sparse, table
        self.cell_order, self.tile_order = cell_order, tile_order
        self.capacity, self.allows_duplicates = capacity, allows_duplicates
        self.enumerations, self.labels = tuple(enumerations), tuple(labels)
        self.coords_filters, self.offsets_filters, self.validity_filters = coords_filters, offsets_filters, validity_filters
        self.current_domain = current_domain

    def __repr__(self) -> str:
        parts = [f'format={self.format!r}']
        parts += ['sparse=True'] if self.sparse else ['table=True'] if self.table else []
        parts += [f'dims={list(self.dims)!r}', f'attrs={list(self.attrs)!r}']
        parts += [f'enumerations={list(self.enumerations)!r}'] if self.enumerations else []
        return f'Schema({", ".join(parts)})'

    @classmethod
    def _from(cls, raw: Dict[str, Any]) -> 'Schema':
        dims = tuple(Dim._from(d) for d in raw['dims'])
        current = raw['current_domain']
        return cls(raw['format'], dims, tuple(Attr._from(a) for a in raw['attrs']), raw['sparse'], raw['table'],
                   raw['format_version'], raw['cell_order'], raw['tile_order'], raw['capacity'], raw['allows_duplicates'],
                   tuple(Enumeration._from(e) for e in raw['enumerations']), tuple(Label(label) for label in raw['labels']),
                   _filters(raw['coords_filters']), _filters(raw['offsets_filters']), _filters(raw['validity_filters']),
                   None if current is None else tuple(
                       tuple(d.value(v) for v in r) for d, r in zip(dims, current)))  # type: ignore[arg-type]

    def _plain(self) -> Dict[str, Any]:
        current = self.current_domain
        return {'format': self.format, 'sparse': self.sparse, 'table': self.table,
                'dims': [d._plain(self.format) for d in self.dims], 'attrs': [a._plain(self.format) for a in self.attrs],
                'enumerations': [e._plain() for e in self.enumerations], 'tile_order': self.tile_order,
                'cell_order': self.cell_order, 'capacity': int(self.capacity), 'allows_duplicates': self.allows_duplicates,
                'coords_filters': _plain_filters(self.coords_filters, self.format) if self.coords_filters else [],
                'offsets_filters': _plain_filters(self.offsets_filters, self.format) if self.offsets_filters else [],
                'validity_filters': _plain_filters(self.validity_filters, self.format) if self.validity_filters else [],
                'current_domain': None if current is None else tuple(
                    tuple(d.coordinate(v) for v in r) for d, r in zip(self.dims, current))}

    @property
    def ndim(self) -> int:
        return len(self.dims)

    @property
    def shape(self) -> Tuple[int, ...]:
        sizes = [d.size for d in self.dims]
        if any(s is None for s in sizes):
            raise ValueError('the array has no shape: not all of its dimensions are of integers or dates')
        return tuple(sizes)  # type: ignore[arg-type]

    @property
    def chunks(self) -> Tuple[int, ...]:
        """Tile extents, clipped to the domain."""
        out = []
        for d, size in zip(self.dims, self.shape):
            tile = d._plain(self.format)['tile']
            out.append(size if tile is None else min(size, tile) if size else tile)
        return tuple(out)

    def dim(self, name: str) -> Dim:
        return _named(self.dims, name, 'dimension')

    def attr(self, name: str) -> Attr:
        return _named(self.attrs, name, 'attribute')

    def enumeration(self, name: str) -> Enumeration:
        return _named(self.enumerations, name, 'enumeration')


def _named(items: Sequence[Any], name: str, what: str) -> Any:
    for item in items:
        if item.name == name:
            return item
    if name == 'value' and len(items) == 1 and items[0].name == '':
        return items[0]
    known = ', '.join(repr(item.name) for item in items) or 'none'
    raise KeyError(f'there is no {what} {name!r}; known: {known}')
