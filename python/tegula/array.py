"""Open arrays: properties, indexing, queries."""
from __future__ import annotations

import math
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import columns, dtypes, selection
from .attrs import Attributes
from .capabilities import capabilities
from .domain import Domain
from .lazy import np
from .query import Query, aggregate, public_name
from .schema import Attr, Schema
from .selection import Indexer, Plan
from .values import as_values, packed, spread

Fields = Union[None, str, Sequence[str]]

_LARGE_DOMAIN = 1 << 30  # cells; as in conversions, only what was written of larger domains is read without being asked for


class ArrayBase:
    """What all arrays have in common. open() and create() return them; several threads may read from one."""

    def __init__(self, handle: Any, uri: str, mode: str, options: Dict[str, Any], field: Optional[str] = None):
        self._open_handle: Any = handle
        self._uri, self._mode, self._options, self._field = uri, mode, options, field
        self._known_schema: Optional[Schema] = None

    # Properties

    @property
    def _handle(self) -> Any:
        if self._open_handle is None:
            raise ValueError(f'{self._uri} was closed')
        return self._open_handle

    @property
    def uri(self) -> str:
        return self._uri

    @property
    def mode(self) -> str:
        return self._mode

    @property
    def schema(self) -> Schema:
        if self._known_schema is None:
            self._known_schema = Schema._from(self._handle.schema())
        return self._known_schema

    @property
    def format(self) -> str:
        return self.schema.format

    @property
    def sparse(self) -> bool:
        return self.schema.sparse

    @property
    def ndim(self) -> int:
        return len(self.schema.dims)

    @property
    def attrs(self) -> Attributes:
        """The user metadata of the array, as a dict."""
        return Attributes(self._handle, not capabilities(self).typed_metadata, self._check_writable)

    @property
    def domain(self) -> Domain:
        """Indexing by coordinates, both ends included: a.domain[-5:5], a.domain['2020-01-01':'2020-01-31']."""
        return Domain(self)

    @property
    def fields(self) -> Tuple[str, ...]:
        """Names of the attributes; one without a name is called 'value'."""
        return tuple(public_name(a.name) for a in self._attributes())

    def _attributes(self) -> List[Attr]:
        if self._field is None:
            return list(self.schema.attrs)
        return [self.schema.attr(self._field)]

    def _one_attribute(self, what: str) -> Attr:
        found = self._attributes()
        if len(found) != 1:
            raise ValueError(f'the array has several fields ({", ".join(self.fields)}); name one for {what}, as in a[{self.fields[0]!r}]')
        return found[0]

    @property
    def dtype(self) -> np.dtype:
        """The dtype of a cell: structured for several fields, object for text and lists of any length."""
        found = self._attributes()
        if len(found) == 1:
            return dtypes.cell_dtype(found[0]._type, found[0]._values, found[0]._cell_shape)[0]
        return np.dtype([(public_name(a.name), a.dtype) for a in found])

    @property
    def fill_value(self) -> Any:
        """The value of unwritten cells; a dict if there are several fields."""
        found = self._attributes()
        return found[0].fill if len(found) == 1 else {a.name: a.fill for a in found}

    def info(self) -> Dict[str, Any]:
        """Sizes and counts: stored_bytes, fields, chunks_present, chunks_expected, fragments, non_empty_domain."""
        info: Dict[str, Any] = self._handle.info()
        dims = self.schema.dims
        for part in [info, *info['fragments']]:
            key = 'non_empty_domain' if part is info else 'domain'
            if part[key] is not None:
                part[key] = tuple(None if r is None else tuple(d.value(v) for v in r) for d, r in zip(dims, part[key]))
        return info

    # Handles

    def close(self) -> None:
        self._open_handle = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def _check_writable(self) -> None:
        if self._mode == 'r':
            raise PermissionError(f"{self._uri} was opened for reading; open it with mode='w'")

    def _changed(self) -> None:
        self._known_schema = None

    def __reduce__(self) -> Any:
        from . import keys, main
        return main._reopen, (self._uri, self._mode, keys.travelling(self._options, self._uri), self._field)

    def __dask_tokenize__(self) -> Any:
        from . import main
        return main._token(self)

    def _with_field(self, name: str) -> Any:
        attr = self.schema.attr(name)
        return type(self)(self._handle, self._uri, self._mode, self._options, attr.name)

    # Queries

    def _names(self, fields: Fields) -> Optional[List[str]]:
        if fields is None:
            if self._field is None:
                return None
            dims = [d.name for d in self.schema.dims] if self.schema.sparse else []
            return dims + [self._field]
        asked = [fields] if isinstance(fields, str) else list(fields)
        known = {a.name for a in self.schema.attrs} | {d.name for d in self.schema.dims} | {x.name for x in self.schema.labels}
        out = []
        for name in asked:
            if name not in known and not (name == 'value' and '' in known) and name != '__row':
                raise KeyError(f'there is no field {name!r}; known: {", ".join(sorted(public_name(k) for k in known))}')
            out.append('' if name == 'value' and 'value' not in known else name)
        return out

    def _request(self, fields: Fields = None, ranges: Optional[Dict[str, Any]] = None, where: Optional[str] = None,
                 order: Optional[str] = None) -> Dict[str, Any]:
        request: Dict[str, Any] = {'fields': self._names(fields), 'where': where or None, 'order': order}
        ranges = ranges or self._written()
        if ranges:
            labels = {label.name: label for label in self.schema.labels}
            for name, given in ranges.items():
                from .domain import ranges_of
                is_label = name in labels and all(d.name != name for d in self.schema.dims)
                axis = labels[name] if is_label else self.schema.dim(name)
                request.setdefault('label_ranges' if is_label else 'ranges', {})[name] = ranges_of(axis, given, self)
        return request

    def _written(self) -> Dict[str, Any]:
        """Ranges of what was written, for a dense domain of more cells than anybody reads: those of data frames have 2^64.
        Empty for every other array."""
        if self.schema.sparse or not capabilities(self).fragments or math.prod(self.schema.shape) <= _LARGE_DOMAIN:
            return {}
        found = self.info()['non_empty_domain']
        if found is None:
            raise ValueError(f'nothing has been written to {self._uri}, whose domain has {math.prod(self.schema.shape)} cells; '
                             'ask for a part of it with ranges=')
        return {d.name: r for d, r in zip(self.schema.dims, found)}

    def query(self, fields: Fields = None, ranges: Optional[Dict[str, Any]] = None, where: Optional[str] = None,
              order: Optional[str] = None, at: Any = None, *, limit: Optional[int] = None, skip: Optional[int] = None,
              row_numbers: bool = False, memory: Union[int, str, None] = None, as_libtiledb: bool = False) -> Query:
        """The cells inside `ranges` (both ends included) that meet the condition `where`. Without ranges these are all cells; of
        a dense TileDB domain of more than 2^30 cells, those from the first to the last that were written. `order` is row,
        col, global or unordered. `at` (TileDB) queries the array as it was at a time, or what was written between two times.
        `as_libtiledb`: a dense table keeps the rows that do not match, as fill values, and aggregates follow libtiledb."""
        handle = self._handle
        if at is not None:
            from . import main
            handle = main._open_handle(self._uri, 'r', dict(self._options, at=main._times(at)))
        request = self._request(fields, ranges, where, order)
        request.update(limit=limit, skip=skip)
        if row_numbers:
            request['row_numbers'] = True
        if as_libtiledb:
            request['as_libtiledb'] = True
        elif self._by_rows(request):
            request['rows'] = True
        if memory is not None:
            from . import main
            request['memory'] = main._bytes(memory)
        return Query(handle, self.schema, request)

    def _by_rows(self, request: Dict[str, Any]) -> bool:
        """Whether a dense array answers with rows instead of a part of its shape."""
        return False

    def aggregate(self, *aggregates: str, ranges: Optional[Dict[str, Any]] = None, where: Optional[str] = None,
                  as_libtiledb: bool = False) -> Dict[str, Any]:
        """Aggregates of the cells that meet a condition, by name: {'sum(v)': ..., 'count()': ...}. Over nothing they are None.
        With `as_libtiledb` they follow the rules of libtiledb instead of those of every format."""
        request = dict(self._request(None, ranges, where), as_libtiledb=as_libtiledb or None)
        return aggregate(self._handle, self.schema, aggregates, request)

    agg = aggregate

    def _one(self, op: str) -> Any:
        name = public_name(self._one_attribute(op).name)
        text = f'x = {op}({name})' if name.isidentifier() else f'x = {op}(`{name}`)'
        return self.aggregate(text)['x']

    def _reduced(self, op: str, axis: Any, dtype: Any, out: Any, more: Dict[str, Any]) -> Any:
        """One number from the library; by axis, and with what only numpy knows, from the values in memory."""
        asked = {k: v for k, v in dict(more, axis=axis, dtype=dtype, out=out).items() if v is not None and v is not np._NoValue}
        if not asked:
            return self._one(op)
        if self.schema.sparse:
            raise TypeError(f'a sparse array has no axes to reduce; a.query()[...] gives columns, and numpy the {op} of them')
        return getattr(np, op)(np.asarray(self[...]) if not self._one_attribute(op).nullable else self[...], **asked)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, **more: Any) -> Any:
        return self._reduced('sum', axis, dtype, out, more)

    def min(self, axis: Any = None, dtype: Any = None, out: Any = None, **more: Any) -> Any:
        return self._reduced('min', axis, dtype, out, more)

    def max(self, axis: Any = None, dtype: Any = None, out: Any = None, **more: Any) -> Any:
        return self._reduced('max', axis, dtype, out, more)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, **more: Any) -> Any:
        return self._reduced('mean', axis, dtype, out, more)

    def std(self, axis: Any = None, dtype: Any = None, out: Any = None, **more: Any) -> Any:
        return self._reduced('std', axis, dtype, out, more)

    def null_count(self) -> int:
        return int(self._one('null_count'))

    def __repr__(self) -> str:
        from . import display
        return display.text(self)

    def _repr_html_(self) -> str:
        from . import html
        return html.array_html(self)


def _room(shape: Tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    if math.prod(shape) * dtype.itemsize >= 1 << 47:
        raise MemoryError(f'{math.prod(shape)} cells are more than a machine holds: index a part of them, by position as in '
                          'a[:100] or by coordinates as in a.domain[0:99]; a.query() reads what was written')
    return np.empty(shape, dtype)


class Array(ArrayBase):
    """A dense array. Indexing reads and writes as in numpy. A zarr write of several chunks that fails half-way may leave some
    of them changed."""

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.schema.shape

    @property
    def chunks(self) -> Tuple[int, ...]:
        """Shape of a tile or chunk."""
        return self.schema.chunks

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=object))

    @property
    def nbytes(self) -> int:
        """Size of the whole array in numpy, in bytes."""
        return self.size * sum(a.dtype.itemsize for a in self._attributes())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError('len() of an array without axes')
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._with_field(key)
        if isinstance(key, list) and key and all(isinstance(k, str) for k in key):
            return self._read(Plan((Ellipsis,)), fields=[self.schema.attr(k) for k in key])
        return self._read(selection.plan(key, self.shape))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self._with_field(key)[...] = value
            return
        self._write(selection.plan(key, self.shape), value)

    @property
    def oindex(self) -> Indexer:
        """Orthogonal indexing, each axis on its own: a.oindex[[0, 2], :, mask]."""
        return Indexer(lambda key: selection.orthogonal(key, self.shape), self._read, self._write)

    @property
    def vindex(self) -> Indexer:
        """Indexing of single points: a.vindex[[0, 2], [1, 5]]."""
        return Indexer(lambda key: selection.pointwise(key, self.shape), self._read, self._write)

    @property
    def blocks(self) -> Indexer:
        """Indexing of whole chunks by their position in the grid: a.blocks[0, 1:3]."""
        return Indexer(lambda key: selection.blocks(key, self.shape, self.chunks), self._read, self._write)

    def read(self, key: Any = Ellipsis, out: Optional[np.ndarray] = None) -> Any:
        """Returns a[key]; with `out`, reads into that array and returns it."""
        plan = selection.plan(key, self.shape)
        if out is None:
            return self._read(plan)
        attr = self._one_attribute('read(out=...)')
        base, inner = self._readable(attr)
        shape = self._handle.result_shape(plan.axes, plan.points)
        wanted = (plan.shape if plan.shape is not None else shape) + inner
        if plan.local is not None:
            out[...] = self._read(plan)
        elif out.shape != wanted:
            raise ValueError(f'the array to read into has shape {out.shape}, the selection {wanted}')
        elif out.dtype != base or plan.shape is not None or attr.nullable or not packed(out, len(inner)):
            out[...] = self._read(plan)
        else:
            self._handle.read(plan.axes, plan.points, attr.name, out, len(shape))
        return out

    def _readable(self, attr: Attr) -> Tuple[np.dtype, Tuple[int, ...]]:
        return dtypes.cell_dtype(attr._type, attr._values, attr._cell_shape)

    def _read(self, plan: Plan, fields: Optional[List[Attr]] = None) -> Any:
        if selection.reads_much_more(plan):
            plan = selection.as_points(plan, self.shape)
        shape = self._handle.result_shape(plan.axes, plan.points)
        attributes = fields or self._attributes()
        if len(attributes) == 1:
            out = self._read_field(attributes[0], plan, shape)
        else:
            out = self._read_fields(attributes, plan, shape)
        if plan.shape is not None:
            out = out.reshape(plan.shape + out.shape[len(shape):])
        if plan.local is not None:
            out = out[plan.local]
        return out[()] if out.ndim == 0 else out

    def _read_field(self, attr: Attr, plan: Plan, shape: Tuple[int, ...]) -> np.ndarray:
        base, inner = self._readable(attr)
        if attr.nullable or base == object or base.itemsize == 0:
            request = {'fields': [attr.name], 'select': plan.axes, 'points': plan.points}
            result = self._handle.query(request).collect()
            return columns.to_numpy(result, 0, shape, self.schema).reshape(shape + inner)
        out = _room(shape + inner, base)
        if out.size:
            self._handle.read(plan.axes, plan.points, attr.name, out, len(shape))
        return out

    def _read_fields(self, attributes: List[Attr], plan: Plan, shape: Tuple[int, ...]) -> np.ndarray:
        dtype = np.dtype([(public_name(a.name), a.dtype) for a in attributes])
        out = _room(shape, dtype)
        mask = np.zeros(shape, [(public_name(a.name), bool) for a in attributes])
        for attr in attributes:
            name = public_name(attr.name)
            base, inner = self._readable(attr)
            if attr.nullable or base == object or base.itemsize == 0:
                values = self._read_field(attr, plan, shape)
                out[name] = values.data if isinstance(values, np.ma.MaskedArray) else values
                if isinstance(values, np.ma.MaskedArray):
                    hidden = np.ma.getmaskarray(values)
                    mask[name] = hidden.all(axis=tuple(range(len(shape), hidden.ndim))) if inner else hidden
            elif out.size:
                self._handle.read(plan.axes, plan.points, attr.name, out[name], len(shape))
        if not any(a.nullable for a in attributes):
            return out
        hidden = np.zeros(shape, np.ma.make_mask_descr(dtype))
        for attr in attributes:
            name = public_name(attr.name)
            flat = mask[name]
            hidden[name] = flat.reshape(flat.shape + (1,) * len(self._readable(attr)[1]))
        return np.ma.MaskedArray(out, hidden)

    def _write(self, plan: Plan, value: Any) -> None:
        self._check_writable()
        attributes = self._attributes()
        if plan.local is not None:
            plan = selection.as_points(plan, self.shape)
        shape = self._handle.result_shape(plan.axes, plan.points)
        if len(attributes) == 1 and not isinstance(value, dict):
            self._write_field(attributes[0], plan, shape, value)
        else:
            self._write_fields(attributes, plan, shape, value)
        self._changed()

    def _write_field(self, attr: Attr, plan: Plan, shape: Tuple[int, ...], value: Any) -> None:
        base, inner = self._readable(attr)
        if attr.nullable or base == object or (attr.enumeration and not np.asarray(value).dtype.kind in 'iu'):
            self._write_fields([attr], plan, shape, {attr.name: value})
            return
        values = columns.cast(as_values(value, base), base)
        target = (plan.shape if plan.shape is not None else shape) + inner
        values = np.broadcast_to(values, target)
        if plan.shape is not None:
            values = values.reshape(shape + inner)
        if not packed(values, len(inner)):
            values = np.ascontiguousarray(values)
        if values.size == 0:
            return
        self._handle.write_field(plan.axes, plan.points, attr.name, values, len(shape))

    def _write_fields(self, attributes: List[Attr], plan: Plan, shape: Tuple[int, ...], value: Any) -> None:
        given = columns.mapping_of(value)
        target = plan.shape if plan.shape is not None else shape
        cells = int(np.prod(shape, dtype=np.int64))
        raw = []
        known = {public_name(a.name) for a in attributes}
        for name in given:
            if public_name(name) not in known:
                raise KeyError(f'there is no field {name!r}; known: {", ".join(map(repr, sorted(known)))}')
        for attr in attributes:
            name = attr.name if attr.name in given else public_name(attr.name)
            if name not in given:
                raise KeyError(f'no values for {name!r}; a write holds all fields')
            raw.append(columns.to_column(attr, spread(attr, given[name], target), self.schema, cells)[0])
        self._handle.write_cells(plan.axes, plan.points, raw, cells, shape, 'row')

    def append(self, values: Any) -> None:
        """Adds values at the end of the first axis (zarr, bcolz)."""
        self._check_writable()
        attributes = self._attributes()
        shape: Optional[Tuple[int, ...]] = None
        if len(attributes) == 1 and not isinstance(values, dict):
            array = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
            if array.ndim == self.ndim - 1:
                array = array[np.newaxis]
            if array.shape[1:self.ndim] != self.shape[1:]:
                raise ValueError(f'rows have shape {self.shape[1:]}, the values have shape {array.shape[1:]}')
            shape = array.shape[:self.ndim]
            values = {attributes[0].name: array}
        raw, cells = columns.to_columns(values, attributes, self.schema)
        self._handle.append(raw, cells, shape)
        self._changed()

    def resize(self, *shape: Any) -> None:
        """Changes the shape (zarr, bcolz); new cells hold the fill value."""
        self._check_writable()
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        self._handle.resize(tuple(int(n) for n in extents))
        self._changed()

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        if copy is False:
            raise ValueError('an array that is stored cannot be viewed without a copy')
        out = np.asarray(self[...])
        return out if dtype is None else out.astype(dtype, copy=False)

    def __dlpack__(self, **options: Any) -> Any:
        return np.asarray(self[...]).__dlpack__(**options)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))
