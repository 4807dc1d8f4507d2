"""Results of queries as numpy arrays, pandas data frames and Arrow tables."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import _tegula, columns
from .lazy import np
from .schema import Schema


def public_name(name: str) -> str:
    """An attribute without a name is called 'value'."""
    return name or 'value'


class _Columns:
    """What one batch and a whole result have in common."""

    _schema: Schema

    def _result(self) -> Any:
        raise NotImplementedError

    @property
    def fields(self) -> Tuple[str, ...]:
        """Names of the columns."""
        result = self._result()
        return tuple(public_name(result.column(i)[0]) for i in range(len(result)))

    def keys(self) -> List[str]:
        return list(self.fields)

    def __contains__(self, name: object) -> bool:
        return name in self.fields

    @property
    def cells(self) -> int:
        """Number of cells found."""
        return int(self._result().cells)

    @property
    def shape(self) -> Optional[Tuple[int, ...]]:
        """Shape of a dense result; None for sparse cells and rows of tables."""
        shape: Optional[Tuple[int, ...]] = self._result().shape
        return shape

    def __getitem__(self, name: str) -> np.ndarray:
        result = self._result()
        for i, known in enumerate(self.fields):
            if known == public_name(name):
                return columns.to_numpy(result, i, result.shape, self._schema)
        raise KeyError(f'there is no field {name!r}; known: {", ".join(map(repr, self.fields))}')

    def items(self) -> List[Tuple[str, np.ndarray]]:
        return [(name, self[name]) for name in self.fields]

    def to_numpy(self) -> Dict[str, np.ndarray]:
        """The columns as a dict of numpy arrays."""
        return dict(self.items())

    def to_pandas(self, index: Any = None) -> Any:
        """A pandas DataFrame. Enumerations become categories, nulls become those of pandas; `index` names the index columns."""
        from . import frames
        return frames.to_pandas(self, index)

    def to_arrow(self) -> Any:
        """A pyarrow.Table."""
        import pyarrow
        return pyarrow.table(self)

    def __arrow_c_schema__(self) -> Any:
        return self._result().arrow_schema()


class Batch(_Columns):
    """A batch of a result."""

    def __init__(self, result: Any, schema: Schema):
        self._held, self._schema = result, schema

    def _result(self) -> Any:
        return self._held

    def __len__(self) -> int:
        return self.cells

    def __arrow_c_array__(self, requested_schema: Any = None) -> Tuple[Any, Any]:
        schema, array = self._held.arrow_array()
        return schema, array

    def __repr__(self) -> str:
        return f'<tegula.Batch: {len(self)} cells of {", ".join(self.fields)}>'


class Query(_Columns):
    """A query of an array. It runs when its result is used: as arrays (`q['v']`), as a DataFrame, as an Arrow table, or batch
    by batch within the memory budget (`for batch in q`). `cells` is the number of cells; there is no len(), because list(q)
    would call it and so run the query twice."""

    def __init__(self, handle: Any, schema: Schema, request: Dict[str, Any]):
        self._handle, self._schema, self._request = handle, schema, request
        self._collected: Any = None

    def _stream(self) -> Any:
        return self._handle.query(self._request)

    def _result(self) -> Any:
        if self._collected is None:
            self._collected = self._stream().collect()
        return self._collected

    def __iter__(self) -> Iterator[Batch]:
        if self._collected is not None:
            yield Batch(self._collected, self._schema)
            return
        stream = self._stream()
        while True:
            result = stream.next()
            if result is None:
                return
            yield Batch(result, self._schema)

    def batches(self) -> Iterator[Batch]:
        return iter(self)

    def agg(self, *aggregates: str) -> Dict[str, Any]:
        """Aggregates of the cells of the result: q.agg('sum(v)', 'count()')."""
        return aggregate(self._handle, self._schema, aggregates, self._request)

    def count(self) -> int:
        return int(self.agg('count()')['count()'])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _tegula.arrow_stream(self._stream())

    def __repr__(self) -> str:
        asked = ', '.join(f'{k}={v!r}' for k, v in self._request.items() if v is not None and k != 'points')
        state = f'{self.cells} cells' if self._collected is not None else 'not read yet'
        return f'<tegula.Query {asked or "of everything"}: {state}>'


def aggregate(handle: Any, schema: Schema, aggregates: Tuple[str, ...], request: Dict[str, Any]) -> Dict[str, Any]:
    if not aggregates:
        raise ValueError("aggregates are written 'sum(v)', 'count()', 'n = count()'")
    asked = {k: v for k, v in request.items() if k in ('ranges', 'label_ranges', 'select', 'points', 'where', 'as_libtiledb')}
    asked['aggregates'] = ', '.join(aggregates)
    result = handle.query(asked).collect()
    out: Dict[str, Any] = {}
    for i in range(len(result)):
        values = columns.to_numpy(result, i, None, schema)
        value = None if np.ma.getmaskarray(values)[0].any() else values[0]
        out[result.column(i)[0]] = value.item() if isinstance(value, np.generic) and value.dtype.kind not in 'mM' else value
    return out
