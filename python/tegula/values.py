"""Prepares assigned values for a write."""
from __future__ import annotations

from typing import Any, Tuple

from . import columns, dtypes
from .lazy import np
from .schema import Attr


def as_values(value: Any, base: np.dtype) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.getmaskarray(value).any():
            raise ValueError('the values have masked elements, and the field is not nullable')
        value = value.data
    if base.kind in 'mM' and not isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value, dtype=base)
    if base.names is not None and not isinstance(value, np.ndarray):
        return np.array(value, dtype=base)
    return np.asarray(value)


def packed(array: np.ndarray, inner: int) -> bool:
    """Whether the values of each cell are contiguous in memory."""
    expected = array.itemsize
    for extent, stride in zip(array.shape[::-1][:inner], array.strides[::-1]):
        if extent > 1 and stride != expected:
            return False
        expected *= extent
    return True


def spread(attr: Attr, value: Any, shape: Tuple[int, ...]) -> Any:
    """The values of a box in C order, broadcast as in numpy."""
    cells = int(np.prod(shape, dtype=np.int64))
    if attr._values is None:
        if isinstance(value, (str, bytes)):
            flat = np.empty(cells, object)
            flat[:] = value
            return flat
        if isinstance(value, np.ma.MaskedArray):
            return value.reshape(-1)
        array = value if isinstance(value, np.ndarray) else None
        if array is None:
            if len(shape) > 1:
                array = np.empty(shape, object)
                for place in np.ndindex(*shape):
                    item = value
                    for i in place:
                        item = item[i]
                    array[place] = item
            else:
                array = np.empty(len(value), object)
                array[:] = list(value)
        return array.reshape(-1) if array.dtype == object or attr._type.is_unit else array
    if isinstance(value, np.ma.MaskedArray) or hasattr(value, 'isna'):
        return value
    array = np.asarray(value)
    if attr.nullable and array.dtype == object:
        return array.reshape(-1)
    if attr.enumeration and array.dtype.kind not in 'iu':
        return np.broadcast_to(array, shape).reshape(-1) if array.ndim == 0 else array
    base, inner = dtypes.cell_dtype(attr._type, attr._values, attr._cell_shape)
    return np.broadcast_to(columns.cast(as_values(value, base), base), shape + inner)
