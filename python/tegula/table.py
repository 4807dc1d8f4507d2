"""Tables and their columns."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from . import columns
from .array import Array, Fields
from .lazy import np
from .query import Query, public_name
from .schema import Attr


class Table(Array):
    """Rows of named columns: a bcolz ctable, or any array of one axis with several fields."""

    @property
    def columns(self) -> Tuple[str, ...]:
        return self.fields

    @property
    def nrows(self) -> int:
        return self.shape[0]

    def _with_field(self, name: str) -> Any:
        return Column(self._handle, self._uri, self._mode, self._options, self.schema.attr(name).name)

    def where(self, condition: str, fields: Fields = None, *, limit: Optional[int] = None, skip: Optional[int] = None,
              row_numbers: bool = False) -> Query:
        """The rows that meet a condition: t.where('(f > 2) & (k == 7)')['f']."""
        return self.query(fields, where=condition, limit=limit, skip=skip, row_numbers=row_numbers)

    def _by_rows(self, request: Dict[str, Any]) -> bool:
        return not self.schema.table and any(request.get(k) for k in ('where', 'limit', 'skip', 'row_numbers'))

    def append(self, values: Any) -> None:
        """Adds rows: a dict of columns, a structured array, a data frame or an Arrow table."""
        self._check_writable()
        raw, cells = columns.to_columns(values, self._attributes(), self.schema)
        self._handle.append(raw, cells, None)
        self._changed()

    def add_column(self, name: str, values: Any = None, *, dtype: Any = None, fill: Any = None, filters: Any = None) -> None:
        """Adds a column to a ctable: `values` for every row, or `fill` in all of them."""
        self._check_writable()
        given = None if values is None else np.asarray(values)
        attr = Attr(name, dtype=dtype if dtype is not None else 'float64' if given is None else _row_dtype(given), fill=fill,
                    filters=filters)
        raw = None if given is None else columns.to_column(attr, given, self.schema)[0]
        self._handle.add_column(attr._plain('bcolz'), raw)
        self._changed()

    def drop_column(self, name: str) -> None:
        self._check_writable()
        self._handle.drop_column(self.schema.attr(name).name)
        self._changed()

    def rename_column(self, name: str, new: str) -> None:
        self._check_writable()
        self._handle.rename_column(self.schema.attr(name).name, new)
        self._changed()

    def to_pandas(self, index: Any = None) -> Any:
        return self.query().to_pandas(index)

    def to_arrow(self) -> Any:
        return self.query().to_arrow()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.query().__arrow_c_stream__(requested_schema)


class Column(Array):
    """A column of a table."""

    @property
    def name(self) -> str:
        return public_name(self._field or '')

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.schema.shape


def _row_dtype(values: np.ndarray) -> Any:
    row = values.shape[1:]
    return np.dtype((values.dtype, row)) if row else values.dtype
