"""Columns of any library as attributes of a new array, with what is missing in them."""
from __future__ import annotations

from typing import Any, Optional, Tuple

from . import columns
from .capabilities import capabilities
from .lazy import np
from .schema import Attr


_UTC = ('UTC', 'Etc/UTC', '+00:00', 'Z', 'GMT')


def attr_of(name: str, values: Any, format: str, filters: Any) -> Tuple[Attr, Any]:
    """The attribute that holds the values exactly, and the values to write. What is missing becomes NaN or NaT where the type
    has one, otherwise null in a nullable attribute; a format without nulls raises ValueError."""
    array, mask = _plain(name, values)
    can = capabilities(format)
    text = array.dtype == object or (array.dtype.kind == 'U' and not can.numpy_types)
    if mask is not None and not can.nullable:
        array, mask = _without_nulls(name, array, mask, format), None
    if text:
        array, dtype = _texts(name, array, mask, can.numpy_types)
    else:
        dtype = np.dtype((array.dtype, array.shape[1:])) if array.ndim > 1 else array.dtype
    return Attr(name, dtype=dtype, filters=filters, nullable=mask is not None), array if mask is None else np.ma.MaskedArray(array, mask)


def _plain(name: str, values: Any) -> Tuple[Any, Optional[Any]]:
    """A numpy array of the natural type, and a mask of what is missing and has no value of its own in that type."""
    if isinstance(values, np.ma.MaskedArray):
        return np.asarray(values.data), np.ma.getmaskarray(values)
    if hasattr(values, 'isna') and hasattr(values, 'dtype'):              # pandas
        return _pandas(name, values)
    if hasattr(values, 'is_null') and hasattr(values, 'to_pylist'):       # pyarrow
        return _arrow(name, values)
    if hasattr(values, 'is_null') and hasattr(values, 'to_list'):         # polars
        mask = np.asarray(values.is_null())
        if not mask.any():
            return _natural(name, np.asarray(values))
        return _spread(name, np.asarray(values.drop_nulls()), mask)
    return _natural(name, columns._values_and_mask(values)[0])


def _pandas(name: str, values: Any) -> Tuple[Any, Optional[Any]]:
    if getattr(values.dtype, 'tz', None) is not None:
        if str(values.dtype.tz) not in _UTC:
            _refuse_zone(name)
        values = values.dt.tz_localize(None) if hasattr(values, 'dt') else values.tz_localize(None)
    if hasattr(values, 'cat') or hasattr(values, 'categories'):
        values = values.astype(object)
    mask = np.asarray(values.isna())
    own = getattr(values.dtype, 'numpy_dtype', None)                      # Int64, boolean, Float32, Arrow's numbers
    if isinstance(values.dtype, np.dtype) and values.dtype != object:
        return np.asarray(values), None                                   # NaN and NaT are values of these types
    kept = values[~mask]
    if own is not None and own.kind in 'iufbmM':
        return _spread(name, kept.to_numpy(dtype=own), mask)
    return _spread(name, np.asarray(kept.astype(object)), mask)


def _arrow(name: str, values: Any) -> Tuple[Any, Optional[Any]]:
    import pyarrow
    if getattr(values.type, 'tz', None) is not None:
        if values.type.tz not in _UTC:
            _refuse_zone(name)
        values = values.cast(pyarrow.timestamp(values.type.unit))
    if isinstance(values, pyarrow.ChunkedArray):
        values = values.combine_chunks()
    if pyarrow.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    mask = np.asarray(values.is_null())
    kept = values.drop_null()
    return _spread(name, kept.to_numpy(zero_copy_only=False), mask)


def _spread(name: str, kept: Any, mask: Any) -> Tuple[Any, Optional[Any]]:
    """Puts the values that are there back to their places."""
    kept, none = _natural(name, kept)
    assert none is None
    if not mask.any():
        return kept, None
    out = np.zeros(mask.shape, kept.dtype)
    out[~mask] = kept
    if out.dtype.kind in 'mM':
        out[mask] = np.array('NaT', out.dtype)
        return out, None
    return out, mask


def _natural(name: str, array: Any) -> Tuple[Any, Optional[Any]]:
    """Objects of one type as an array of that type."""
    if array.dtype != object:
        return array, None
    flat = array.ravel()
    mask = np.fromiter(map(columns.is_missing, flat), bool, len(flat)).reshape(array.shape)
    kept = [v for v, gone in zip(flat, mask.ravel()) if not gone]
    if all(isinstance(v, (str, bytes)) for v in kept):
        if len({isinstance(v, bytes) for v in kept}) > 1:
            raise TypeError(f'column {name!r} holds text and bytes; encode the text')
        return array, mask if mask.any() else None
    found = np.asarray(kept)
    if found.dtype == object or found.dtype.kind in 'SU' or found.ndim != 1:
        kinds = ', '.join(sorted({type(v).__name__ for v in kept}))
        raise TypeError(f'column {name!r} holds objects ({kinds}); give numbers, times, text or bytes of one kind')
    return _spread(name, found, mask)


def _without_nulls(name: str, array: Any, mask: Any, format: str) -> Any:
    if not mask.any():
        return array
    if array.dtype.kind in 'fc':
        out = array.copy()
        out[mask] = np.nan
        return out
    raise ValueError(f'column {name!r} has {int(mask.sum())} missing values, and {format} has no nulls; fill them first, as in '
                     f"df[{name!r}].fillna(...), or use format='tiledb'")


def _texts(name: str, array: Any, mask: Optional[Any], fixed: bool) -> Tuple[Any, Any]:
    flat = array.ravel().tolist()
    kept = flat if mask is None else [v for v, gone in zip(flat, mask.ravel()) if not gone]
    kind = bytes if kept and isinstance(kept[0], bytes) else str
    if not fixed:
        return array, kind
    out = np.asarray(flat, dtype='U' if kind is str else 'S').reshape(array.shape)
    return out, out.dtype if out.dtype.itemsize else np.dtype(f'{out.dtype.kind}1')


def _refuse_zone(name: str) -> None:
    raise ValueError(f'column {name!r} has a time zone that is not UTC, which arrays do not keep; convert it first, as in '
                     f"df[{name!r}].dt.tz_convert('UTC').dt.tz_localize(None)")


__all__ = ['attr_of']
