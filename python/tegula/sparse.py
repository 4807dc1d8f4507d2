"""Sparse arrays."""
from __future__ import annotations

from typing import Any, Tuple

from . import columns
from .array import ArrayBase


class SparseArray(ArrayBase):
    """A sparse array: cells with coordinates. Indexing queries a part of the domain."""

    @property
    def shape(self) -> Tuple[int, ...]:
        """Shape of the domain; only for integer and date dimensions."""
        return self.schema.shape

    @property
    def chunks(self) -> Tuple[int, ...]:
        return self.schema.chunks

    @property
    def nbytes(self) -> int:
        """Decoded size of all cells in bytes."""
        return int(sum(decoded for _, decoded in self.info()['fields'].values()))

    def __getitem__(self, key: Any) -> Any:
        """a['v'] is the array with one field; a[2:5, 7] is a query for the cells there. Integer slices exclude their stop."""
        if isinstance(key, str):
            return self._with_field(key)
        if isinstance(key, list) and key and all(isinstance(k, str) for k in key):
            return self.query(key)
        return self.domain._query(key, half_open=True)

    def write(self, cells: Any, at: Any = None) -> None:
        """Adds cells: a dict of dimensions and attributes, a structured array, a data frame or an Arrow table."""
        self._check_writable()
        raw, count = columns.to_columns(cells, columns.fields_of(self.schema), self.schema)
        handle = self._handle
        if at is not None:
            from . import main
            handle = main._open_handle(self._uri, 'w', dict(self._options, write_at=main._time(at)))
        handle.write_cells(None, raw, count, None, 'row')
        self._changed()

    def delete(self, where: str) -> None:
        """Deletes the cells that meet a condition. Arrays opened at an earlier time still show them."""
        from . import _tegula
        self._check_writable()
        _tegula.delete_cells(self._handle, where)
        self._changed()

    def to_pandas(self, index: Any = None) -> Any:
        return self.query().to_pandas(index)

    def to_arrow(self) -> Any:
        return self.query().to_arrow()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.query().__arrow_c_stream__(requested_schema)
