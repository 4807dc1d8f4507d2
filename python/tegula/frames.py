"""Converts results to pandas data frames. Imported on first use."""
from __future__ import annotations

from typing import Any

from .lazy import np


def to_pandas(result: Any, index: Any = None) -> Any:
    import pandas

    data = {name: _series(pandas, result, name) for name in result.fields}
    frame = pandas.DataFrame(data)
    return frame if index is None else frame.set_index(index)


def _series(pandas: Any, result: Any, name: str) -> Any:
    values = result[name]
    schema = result._schema
    attr = next((a for a in schema.attrs if (a.name or 'value') == name), None)
    if values.ndim > 1 and result.shape is not None:
        inner = values.ndim - len(result.shape)
        values = values.reshape((-1,) + values.shape[values.ndim - inner:])
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values.data) if mask is not None else values
    if attr is not None and attr.enumeration and plain.dtype.kind in 'iu':
        enumeration = schema.enumeration(attr.enumeration)
        codes = np.where(plain.astype(np.int64) < len(enumeration), plain.astype(np.int64), -1)
        if mask is not None:
            codes = np.where(mask, -1, codes)
        return pandas.Categorical.from_codes(codes, enumeration.values, ordered=enumeration.ordered)
    if plain.ndim > 1:
        rows = np.empty(len(plain), object)
        rows[:] = list(plain)
        if mask is not None:
            rows[mask.reshape(len(plain), -1).all(axis=1)] = None
        return rows
    if not plain.dtype.isnative:
        plain = plain.astype(plain.dtype.newbyteorder('='))
    kind = plain.dtype.kind
    if kind in 'mM':
        unit = np.datetime_data(plain.dtype)
        if unit[1] != 1 or unit[0] not in ('s', 'ms', 'us', 'ns'):
            coarse = unit[0] in ('Y', 'M', 'W', 'D', 'h', 'm')
            if not coarse and unit[0] != 'generic':
                return plain.view(np.int64)
            plain = plain.astype(f'{kind}8[s]')
        if mask is not None:
            plain = np.where(mask, np.array('NaT', plain.dtype), plain)
        return plain
    if kind == 'S':
        plain = plain.astype(object)
    elif kind == 'V' and plain.dtype.names is None:
        plain = np.array([v.tobytes() for v in plain] + [None], object)[:-1]
    elif plain.dtype.names is not None:
        plain = np.array([v.item() for v in plain] + [None], object)[:-1]
    if mask is None:
        return plain
    if kind in 'iu':
        return pandas.arrays.IntegerArray(plain.copy(), mask.copy())
    if kind == 'b':
        return pandas.arrays.BooleanArray(plain.copy(), mask.copy())
    if kind == 'f' and plain.dtype.itemsize >= 4:
        return pandas.arrays.FloatingArray(plain.copy(), mask.copy())
    out = plain.astype(object)
    out[mask] = None
    return out
