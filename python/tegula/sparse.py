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

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError('a sparse array has cells at places, which is no numpy array; a.query() gives its columns, as in '
                        "a.query()['v'] or a.query().to_pandas()")

    def write(self, cells: Any, at: Any = None) -> None:
        """Adds cells: a dict of dimensions and attributes, a structured array, a data frame or an Arrow table."""
        self._check_writable()
        raw, count = columns.to_columns(cells, columns.fields_of(self.schema), self.schema)
        time = None
        if at is not None:
            from . import main
            time = main._time(at)
        self._handle.write_cells(None, False, raw, count, None, 'row', time)
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
