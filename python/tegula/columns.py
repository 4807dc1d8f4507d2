"""Converts columns between the library and numpy."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

from . import dtypes
from .dtypes import Type
from .lazy import np
from .schema import Attr, Dim, Enumeration, Schema

RawColumn = Tuple[str, str, Optional[int], bool, 'np.ndarray', Optional['np.ndarray'], Optional['np.ndarray']]


def to_numpy(result: Any, index: int, shape: Optional[Tuple[int, ...]], schema: Schema) -> np.ndarray:
    """A column of a batch as a numpy array. Cells of a fixed size are a view of the memory of the batch; nullable columns are
    masked arrays."""
    name, raw_type, values, nullable, data, offsets, validity = result.column(index)
    kind = Type(*raw_type)
    cell_shape: Tuple[int, ...] = ()
    as_json = False
    for attr in schema.attrs:
        if attr.name == name and attr._values == values:
            cell_shape = attr._cell_shape
            as_json = attr._holds_json
    if values is None:
        out = _objects(result, index, kind, data, offsets)
        if as_json:
            import json
            out[:] = [json.loads(v) for v in out]
        inner: Tuple[int, ...] = ()
    else:
        base, inner = dtypes.cell_dtype(kind, values, cell_shape)
        if base.itemsize == 0:
            out = np.zeros((result.cells,) + inner, base)
        else:
            out = np.frombuffer(data, base).reshape((-1,) + inner)
    if shape is not None and int(np.prod(shape, dtype=np.int64)) == len(out):
        out = out.reshape(shape + inner)
    if not nullable:
        return out
    mask = (np.frombuffer(validity, np.uint8) == 0).reshape(out.shape[:out.ndim - len(inner)])
    if inner:
        mask = np.broadcast_to(mask.reshape(mask.shape + (1,) * len(inner)), out.shape).copy()
    return np.ma.MaskedArray(out, mask)


def _objects(result: Any, index: int, kind: Type, data: Any, offsets: Any) -> np.ndarray:
    ends = np.frombuffer(offsets, np.uint64)
    out = np.empty(max(0, len(ends) - 1), object)
    if kind.is_unit:
        out[:] = result.objects(index)
        return out
    base = kind.base
    flat = np.frombuffer(data, base)
    places = (ends // base.itemsize).astype(np.int64).tolist()
    for i in range(len(out)):
        out[i] = flat[places[i]:places[i + 1]]
    return out


def mapping_of(cells: Any) -> Dict[str, Any]:
    """The columns of a dict, a structured array, a data frame or an Arrow table, by name."""
    if isinstance(cells, Mapping):
        return dict(cells)
    if isinstance(cells, np.ndarray) and cells.dtype.names is not None:
        return {n: cells[n] for n in cells.dtype.names}
    names = getattr(cells, 'column_names', None)
    if names is None:
        names = getattr(cells, 'columns', None)
    if names is None and hasattr(cells, 'keys'):
        names = cells.keys()
    if names is None:
        raise TypeError(f'cells are given as a dict, a structured array, a data frame or a table, not {type(cells).__name__}')
    return {str(n): cells[n] for n in names}


def _values_and_mask(values: Any) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values.data), np.ma.getmaskarray(values)
    if hasattr(values, 'isna') and hasattr(values, 'to_numpy'):           # pandas: its own nulls
        mask = np.asarray(values.isna())
        if not mask.any():
            return values.to_numpy(), None
        return np.asarray(values.astype(object)), mask
    if hasattr(values, 'is_null') and hasattr(values, 'to_numpy'):        # pyarrow, polars
        mask = np.asarray(values.is_null())
        items = np.empty(len(values), object) if mask.any() else np.asarray(values)
        if mask.any():
            items[:] = values.to_pylist() if hasattr(values, 'to_pylist') else values.to_list()
        return items, mask if mask.any() else None
    return np.asarray(values) if not _ragged(values) else _object_array(values), None


def is_missing(value: Any) -> bool:
    """None, pandas' NA and NaT, and NaN among values that are no numbers."""
    return value is None or type(value).__name__ in ('NAType', 'NaTType') or (isinstance(value, float) and value != value)


def _ragged(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and any(isinstance(v, (str, bytes, list, tuple, np.ndarray)) or v is None for v in values)


def _object_array(values: Iterable[Any]) -> np.ndarray:
    items = list(values)
    out = np.empty(len(items), object)
    out[:] = items
    return out


def _codes(enumeration: Enumeration, values: Any, base: np.dtype) -> Any:
    """Replaces values of an enumeration by their codes; codes are returned unchanged."""
    known = enumeration.values
    if hasattr(values, 'cat'):
        values = values.cat
    if hasattr(values, 'codes') and hasattr(values, 'categories'):
        place = {v: i for i, v in enumerate(known)}
        table = np.array([place.get(c, -1) for c in values.categories] + [-1])
        codes = np.asarray(values.codes)
        unknown = (table[codes] < 0) & (codes >= 0)
        if unknown.any():
            raise ValueError(f'{values.categories[codes[unknown][0]]!r} is not in enumeration {enumeration.name!r}')
        return np.ma.MaskedArray(np.where(codes < 0, 0, table[codes]).astype(base), codes < 0) if (codes < 0).any() else table[codes].astype(base)
    array, mask = _values_and_mask(values)
    if array.dtype.kind in 'iu' and enumeration.dtype.kind not in 'iu':
        return values
    place = {v: i for i, v in enumerate(known)}
    out = np.zeros(array.shape, base)
    for i, v in np.ndenumerate(array):
        if mask is not None and mask[i]:
            continue
        if v not in place:
            raise ValueError(f'{v!r} is not in enumeration {enumeration.name!r}')
        out[i] = place[v]
    return out if mask is None else np.ma.MaskedArray(out, mask)


def to_column(field: Any, values: Any, schema: Schema, cells: Optional[int] = None) -> Tuple[RawColumn, int]:
    """Converts values for a dimension or an attribute to (column for the library, number of cells). With `cells`, values
    are broadcast to that number."""
    kind: Type = field._type
    count: Optional[int] = field._values
    nullable = bool(getattr(field, 'nullable', False))
    if getattr(field, 'enumeration', ''):
        values = _codes(schema.enumeration(field.enumeration), values, kind.base)
    if getattr(field, '_holds_json', False):
        import json
        values = _object_array(json.dumps(v) for v in np.asarray(values, object).ravel())
    array, mask = _values_and_mask(values)
    if array.dtype == object and mask is None and array.ndim == 1 and (kind.is_unit or count is not None):
        nulls = np.fromiter(map(is_missing, array), bool, len(array))
        mask = nulls if nulls.any() else None
    if mask is not None and mask.any() and not nullable:
        raise ValueError(f'{field.name!r} has missing values and is not nullable')
    if count is None:
        data, offsets, n = _pack(kind, array, mask)
    else:
        base, inner = dtypes.cell_dtype(kind, count, getattr(field, '_cell_shape', ()))
        if mask is not None and array.dtype == object:
            array = np.where(mask, np.zeros((), base), array) if base.kind in 'iufbc' else _filled(array, mask, base)
        data, offsets = np.ascontiguousarray(_cast(field, array, base)), None
        if inner and data.shape[-len(inner):] != inner:
            raise ValueError(f'{field.name!r} has cells of shape {inner}, the values have shape {data.shape}')
        n = int(np.prod(data.shape[:data.ndim - len(inner)], dtype=np.int64))
        if cells is not None and n != cells:
            data = np.ascontiguousarray(np.broadcast_to(data, (cells,) + inner))
            n = cells
    validity = None
    if nullable:
        if mask is None:
            validity = np.ones(n, np.uint8)
        else:
            flat = mask.reshape((n, -1)) if mask.size != n else mask.reshape((n, 1))
            validity = np.ascontiguousarray(~flat.all(axis=1)).view(np.uint8)
    return (field.name, kind.code, count, nullable, data, offsets, validity), n


def _filled(array: np.ndarray, mask: np.ndarray, base: np.dtype) -> np.ndarray:
    zero = np.zeros((), base)[()]
    return np.array([zero if m else v for v, m in zip(array, mask)], base)


def _cast(field: Any, array: np.ndarray, base: np.dtype) -> np.ndarray:
    if array.dtype == base:
        return array
    if base.kind == 'S' and array.dtype.kind in 'UO':
        array = np.array([dtypes.encode(field._type, v) for v in array.ravel()], object).reshape(array.shape)
    return cast(array, base)


def cast(array: np.ndarray, base: np.dtype) -> np.ndarray:
    """Converts like a numpy assignment, but raises an error for what would be cut: numbers that do not fit an integer type or
    have a fraction, text that is too long, times between two ticks."""
    if array.dtype == base:
        return array
    if base.kind in 'SU':
        return _cast_text(array, base)
    if base.kind == 'f' and array.dtype.kind == 'c' and (array.imag != 0).any():
        raise ValueError(f'complex values do not fit {base}')
    with np.errstate(invalid='ignore', over='ignore'):
        out = array.astype(base)
    if base.kind in 'iub' and array.dtype.kind in 'iufcbO' and not np.can_cast(array.dtype, base):
        _check_same(out, array, base)
    if base.kind in 'mM' and array.dtype.kind == base.kind and np.datetime_data(base) != np.datetime_data(array.dtype):
        _check_same(np.where(np.isnat(array), array, out.astype(array.dtype)), array, base, np.isnat(array))
    if base.kind == 'f' and array.dtype.kind in 'iuf' and (np.isinf(out) & np.isfinite(array)).any():
        raise ValueError(f'values of type {array.dtype} do not fit {base}')
    return out


def _check_same(out: np.ndarray, array: np.ndarray, base: np.dtype, but: Any = False) -> None:
    different = ~(np.asarray(out == array, bool) | but)
    if array.dtype.kind in 'iu' and base.kind in 'iu':
        # uint64 and int64 are compared as floats otherwise, and a negative number equals a large one after wrapping.
        different |= (out < 0) != (array < 0)
    if different.any():
        value = array[different].ravel()[0] if array.ndim else array[()]
        value = value.item() if isinstance(value, np.generic) and value.dtype.kind not in 'mM' else value
        raise ValueError(f'{value} does not fit {base}; convert the values first, for example with numpy.round() or astype()')


def _cast_text(array: np.ndarray, base: np.dtype) -> np.ndarray:
    natural = np.array(array.tolist(), dtype=base.kind) if array.dtype.kind == 'O' else array.astype(base.kind)
    if natural.dtype.itemsize > base.itemsize:
        longest = max(natural.ravel().tolist(), key=len)
        room = base.itemsize // (4 if base.kind == 'U' else 1)
        raise ValueError(f'{longest!r} has {len(longest)} characters, and there is room for {room}')
    return natural.astype(base)


def _pack(kind: Type, array: np.ndarray, mask: Optional[np.ndarray]) -> Tuple[np.ndarray, np.ndarray, int]:
    if array.ndim == 0:
        array = array.reshape(1)
    if kind.is_unit:
        flat = array.ravel() if array.dtype != object else array.reshape(-1)
        hidden = None if mask is None else mask.reshape(-1)
        items = [b'' if hidden is not None and hidden[i] else dtypes.encode(kind, v if isinstance(v, (str, bytes, np.ndarray)) else str(v))
                 for i, v in enumerate(flat.tolist() if flat.dtype != object else flat)]
    else:
        base = kind.base
        rows = array.reshape(-1) if array.dtype == object else array
        hidden = None if mask is None else mask.reshape(-1)
        items = [b'' if hidden is not None and hidden[i] else np.asarray(v, base).tobytes() for i, v in enumerate(rows)]
    offsets = np.zeros(len(items) + 1, np.uint64)
    np.cumsum([len(i) for i in items], out=offsets[1:], dtype=np.uint64)
    return np.frombuffer(b''.join(items), np.uint8), offsets, len(items)


def to_columns(cells: Any, fields: List[Any], schema: Schema) -> Tuple[List[RawColumn], int]:
    """Converts the values that a caller gives to columns for `fields`."""
    given = mapping_of(cells)
    if len(fields) == 1 and fields[0].name == '' and list(given) == ['value']:
        given = {'': given['value']}
    known = {f.name for f in fields}
    for name in given:
        if name not in known:
            raise KeyError(f'there is no field {name!r}; known: {", ".join(map(repr, sorted(known)))}')
    missing = [f.name for f in fields if f.name not in given]
    if missing:
        raise KeyError(f'no values for {", ".join(map(repr, missing))}')
    out, counts = [], {}
    for field in fields:
        column, n = to_column(field, given[field.name], schema)
        out.append(column)
        counts[field.name] = n
    if len(set(counts.values())) > 1:
        raise ValueError(f'the columns have different lengths: {counts}')
    return out, next(iter(counts.values()), 0)


def fields_of(schema: Schema) -> List[Any]:
    """The columns that a write of cells needs."""
    out: List[Any] = list(schema.dims) if schema.sparse else []
    return out + list(schema.attrs)


__all__ = ['Attr', 'Dim', 'cast', 'fields_of', 'is_missing', 'mapping_of', 'to_column', 'to_columns', 'to_numpy']
