"""Element types: numpy dtypes, and the text types that only TileDB has."""
from __future__ import annotations

import ast
from typing import Any, NamedTuple, Optional, Tuple

from .lazy import np

# TileDB's text types: one code unit per value, usually many values per cell.
STR_TYPES = frozenset(('ascii', 'utf8', 'wkt', 'utf16', 'ucs2', 'utf32', 'ucs4'))
BYTES_TYPES = frozenset(('char', 'any', 'blob', 'wkb'))
UNIT_TYPES = STR_TYPES | BYTES_TYPES

_ENCODINGS = {'utf16': 'utf-16-le', 'ucs2': 'utf-16-le', 'utf32': 'utf-32-le', 'ucs4': 'utf-32-le'}
_UNIT_SIZES = {'utf16': 2, 'ucs2': 2, 'utf32': 4, 'ucs4': 4}
_ALIASES = {'character': 'char', 'string': 'utf8', 'str': 'utf8', 'bytes': 'char', 'bool_': 'bool'}


class Type(NamedTuple):
    """An element type: its name in the library, and numpy's spelling of the nearest dtype."""

    name: str
    numpy: str

    @property
    def is_unit(self) -> bool:
        return self.name in UNIT_TYPES

    @property
    def code(self) -> str:
        """The text that the library parses."""
        return self.name if self.is_unit else self.numpy

    @property
    def base(self) -> np.dtype:
        """The dtype of one value."""
        return parse_numpy(self.numpy)


def parse_numpy(text: str) -> np.dtype:
    if text[:1] in '[{(':
        return np.dtype(ast.literal_eval(text))
    return np.dtype(text)


def spell_numpy(dtype: np.dtype) -> str:
    """numpy's spelling that the library parses back to the same layout."""
    if dtype.names is None:
        if dtype.subdtype is not None:
            base, shape = dtype.subdtype
            return repr((spell_numpy(base), shape))
        return dtype.str
    if all(n == '' for n in dtype.names):
        return f'|V{dtype.itemsize}'
    fields = [dtype.fields[name] for name in dtype.names]  # type: ignore[index]
    return repr({'names': list(dtype.names), 'formats': [_format(f[0]) for f in fields],
                 'offsets': [f[1] for f in fields], 'itemsize': dtype.itemsize}) \
        if dtype != np.dtype([(n, f[0]) for n, f in zip(dtype.names, fields)]) else \
        repr([_field(n, f[0]) for n, f in zip(dtype.names, fields)])


def _format(dtype: np.dtype) -> Any:
    if dtype.subdtype is not None:
        return (_format(dtype.subdtype[0]), dtype.subdtype[1])
    return dtype.str if dtype.names is None else ast.literal_eval(spell_numpy(dtype))


def _field(name: str, dtype: np.dtype) -> Tuple[Any, ...]:
    if dtype.subdtype is not None:
        return (name, _format(dtype.subdtype[0]), dtype.subdtype[1])
    return (name, _format(dtype))


def parse(dtype: Any) -> Tuple[Type, Optional[int], Tuple[int, ...]]:
    """Converts what a caller gives as a type to (type, values per cell or None for any number, shape of a cell with several
    axes)."""
    if isinstance(dtype, Type):
        return dtype, 1, ()
    if dtype is str:
        return Type('utf8', '|S1'), None, ()
    if dtype is bytes:
        return Type('char', '|S1'), None, ()
    if isinstance(dtype, str):
        name = _ALIASES.get(dtype.lower(), dtype.lower())
        if name in UNIT_TYPES:
            return Type(name, '|S1'), None, ()
    made = np.dtype(dtype)
    if made.kind in 'SU' and made.itemsize == 0:
        return parse(bytes if made.kind == 'S' else str)
    shape: Tuple[int, ...] = ()
    if made.subdtype is not None:
        made, shape = made.subdtype
    values = int(np.prod(shape, dtype=np.int64)) if shape else 1
    return Type(made.name if made.names is None else 'record', spell_numpy(made)), values, shape if len(shape) > 1 else ()


def cell_dtype(kind: Type, values: Optional[int], cell_shape: Tuple[int, ...] = ()) -> Tuple[np.dtype, Tuple[int, ...]]:
    """The dtype of cells in numpy, and the axes that each cell adds. Cells of any length are objects."""
    if values is None:
        return np.dtype(object), ()
    if kind.is_unit:
        if kind.name in ('utf32', 'ucs4'):
            return np.dtype(f'<U{values}'), ()
        if kind.name in ('utf16', 'ucs2'):
            return np.dtype('<u2'), (values,) if values > 1 else ()
        return np.dtype(('S' if kind.name in STR_TYPES or kind.name == 'char' else 'V') + str(values)), ()
    base = kind.base
    inner = cell_shape or ((values,) if values > 1 else ())
    if base.subdtype is not None:
        base, more = base.subdtype
        inner += more
    return base, inner


def encode(kind: Type, value: Any) -> bytes:
    """Encodes the text of one cell."""
    if isinstance(value, str):
        encoding = _ENCODINGS.get(kind.name)
        return value.encode(encoding, 'surrogatepass') if encoding else value.encode('utf-8', 'surrogateescape')
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, np.ndarray):
        return value.tobytes()
    raise TypeError(f'text is given as str or bytes, not {type(value).__name__}')


def decode(kind: Type, data: bytes) -> Any:
    """The inverse of encode()."""
    if kind.name in BYTES_TYPES:
        return data
    encoding = _ENCODINGS.get(kind.name)
    return data.decode(encoding, 'surrogatepass') if encoding else data.decode('utf-8', 'surrogateescape')


def unit_size(kind: Type) -> int:
    return _UNIT_SIZES.get(kind.name, 1)
