"""Metadata of arrays and groups as a dict whose changes are stored at once."""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, MutableMapping, Tuple

from . import dtypes
from .dtypes import Type
from .lazy import np


def _decode(raw: Tuple[Tuple[str, str], int, bytes, bool]) -> Any:
    raw_type, count, data, is_json = raw
    if is_json:
        import json
        return json.loads(data)
    kind = Type(*raw_type)
    if kind.is_unit:
        return dtypes.decode(kind, data)
    values = np.frombuffer(data, kind.base)
    if count == 1:
        return values[0] if kind.base.kind in 'mM' else values[0].item()
    return values if kind.base.kind in 'mM' else tuple(values.tolist())


def _encode(value: Any, as_json: bool) -> Tuple[str, int, bytes, bool]:
    if as_json:
        import json
        return 'uint8', 1, json.dumps(value, default=_plain, ensure_ascii=False).encode('utf-8', 'surrogateescape'), True
    if isinstance(value, str):
        data = value.encode('utf-8', 'surrogateescape')
        return 'utf8', len(data), data, False
    if isinstance(value, (bytes, bytearray)):
        return 'blob', len(value), bytes(value), False
    array = np.asarray(value)
    if array.dtype.kind not in 'biufmM' or array.ndim > 1:
        raise TypeError(f'TileDB metadata holds text, bytes, numbers and lists of numbers, not {type(value).__name__}; '
                        'json.dumps() makes text of anything else')
    return array.dtype.str, array.size, array.tobytes(), False


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f'{type(value).__name__} has no JSON form')


class Attributes(MutableMapping[str, Any]):
    """Every access reads the stored metadata, every change is stored at once. Values are text, bytes, numbers and lists of
    numbers in TileDB, and anything that JSON can hold in the other formats."""

    def __init__(self, handle: Any, as_json: bool, writable: Callable[[], None]):
        self._handle, self._json, self._writable = handle, as_json, writable

    def _load(self) -> Dict[str, Any]:
        return self._handle.metadata()  # type: ignore[no-any-return]

    def __getitem__(self, key: str) -> Any:
        return _decode(self._load()[key])

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def __delitem__(self, key: str) -> None:
        self._writable()
        if key not in self._load():
            raise KeyError(key)
        self._handle.update_metadata({key: None})

    def update(self, *changes: Any, **more: Any) -> None:  # type: ignore[override]
        """Stores all changes in a single write."""
        self._writable()
        merged = dict(*changes, **more)
        self._handle.update_metadata({k: _encode(v, self._json) for k, v in merged.items()})

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def asdict(self) -> Dict[str, Any]:
        return {k: _decode(v) for k, v in self._load().items()}

    def __repr__(self) -> str:
        return repr(self.asdict())
