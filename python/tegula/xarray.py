"""xarray: `xarray.open_dataset(uri, engine='tegula')` for every format, and `write` to store datasets."""
from __future__ import annotations

import base64
import math
import os
import struct
from typing import Any, Dict, Hashable, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np
import xarray as xr
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

import tegula

from .capabilities import capabilities
from .schema import Attr, Dim, Schema

__all__ = ['TegulaBackend', 'write']

# The first and the last coordinate of each dimension, as integers.
Window = List[Tuple[int, int]]

# TileDB-CF's key prefixes for the metadata of one attribute or dimension.
_ATTR_PREFIX, _DIM_PREFIX = '__tiledb_attr.', '__tiledb_dim.'
_ZARR2_DIMS = '_ARRAY_DIMENSIONS'
_WIDE = 1 << 30       # cells; of larger domains only what was written is shown
_MOST_TIMES = 1 << 24  # longest coordinate of times, which are kept in memory
_SCALAR = 'no_axis'  # TileDB arrays need a dimension: that of a scalar has this name and one cell


class _Lazy(BackendArray):
    """A field of an array; only what is used is read. Nulls become NaN, NaT or None, codes of an enumeration its values."""

    def __init__(self, array: tegula.Array, field: str, window: Optional[Window] = None):
        self._array, self._field, self._window = array, field, window
        attr = array.schema.attr(field)
        self._nullable = attr.nullable
        self._names = np.array([*array.schema.enumeration(attr.enumeration).values, None], object) if attr.enumeration else None
        self.dtype = _dtype_with_nulls(attr.dtype) if attr.nullable else attr.dtype
        inner: Tuple[int, ...] = ()
        if self.dtype.subdtype is not None:
            self.dtype, inner = self.dtype.subdtype
        if self._names is not None:
            self.dtype = np.dtype(object)
        self.shape = (tuple(array.shape) if window is None else tuple(high - low + 1 for low, high in window)) + inner

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    def _read(self, key: Tuple[Any, ...]) -> Any:
        axes = len(self._array.shape)
        values = self._array[self._field].oindex[key[:axes]] if self._window is None else self._read_window(key[:axes])
        if self._names is not None:
            values = self._named(values)
        elif self._nullable:
            values = _without_mask(values, self.dtype)
        picked = sum(not isinstance(k, (int, np.integer)) for k in key[:axes])
        return values[(slice(None),) * picked + tuple(key[axes:])] if len(key) > axes else values

    def _named(self, codes: Any) -> Any:
        assert self._names is not None
        known = len(self._names) - 1
        data = np.ma.getdata(codes).astype(np.int64)
        places = np.where(np.ma.getmaskarray(codes) | (data < 0) | (data >= known), known, data)
        return np.asarray(self._names[places], object)

    def _read_window(self, key: Tuple[Any, ...]) -> Any:
        """By coordinates, because positions in such a domain need not fit 64 bits."""
        assert self._window is not None
        ranges: Dict[str, Any] = {}
        inside: List[Any] = []
        for dim, (low, _), item, size in zip(self._array.schema.dims, self._window, key, self.shape):
            picked = np.arange(size)[item] if isinstance(item, slice) else np.asarray(item)
            if picked.size == 0:
                picked_low, picked_high = 0, 0
            else:
                picked_low, picked_high = int(picked.min()), int(picked.max())
            ranges[dim.name] = (dim.value(low + picked_low), dim.value(low + picked_high))
            inside.append(int(picked - picked_low) if picked.ndim == 0 else picked - picked_low)
        values = self._array.query([self._field or 'value'], ranges=ranges)[self._field or 'value']
        for axis, item in reversed(list(enumerate(inside))):
            values = values[(slice(None),) * axis + (item,)]
        return values


def _dtype_with_nulls(dtype: np.dtype) -> np.dtype:
    if dtype.kind in 'fcmMO':
        return dtype
    return np.dtype('f8') if dtype.kind in 'iub' else np.dtype(object)


def _without_mask(values: Any, dtype: np.dtype) -> Any:
    null: Any = {'f': np.nan, 'c': np.nan, 'M': np.datetime64('NaT'), 'm': np.timedelta64('NaT')}.get(dtype.kind)
    out = np.ma.getdata(values).astype(dtype)
    mask = np.ma.getmaskarray(values)
    if out.ndim:
        out[mask] = null
        return out
    return np.asarray(null, dtype) if mask else out


def _name_of(uri: str) -> str:
    return os.path.basename(uri.rstrip('/')).split('.')[0] or 'data'


def _plain_attrs(attrs: Mapping[str, Any]) -> Dict[str, Any]:
    return {k: v for k, v in attrs.items() if k != _ZARR2_DIMS and not k.startswith((_ATTR_PREFIX, _DIM_PREFIX))}


def _prefixed(attrs: Mapping[str, Any], prefix: str, name: str) -> Dict[str, Any]:
    whole = f'{prefix}{name}.'
    return {k[len(whole):]: v for k, v in attrs.items() if k.startswith(whole)}


def _dim_names(array: tegula.Array, attrs: Mapping[str, Any], name: str) -> List[str]:
    stored = attrs.get(_ZARR2_DIMS)
    if isinstance(stored, (list, tuple)) and len(stored) == len(array.shape):
        return [str(d) for d in stored]
    if capabilities(array).tables:
        return ['row'] + [f'{name}_axis_{i}' for i in range(1, len(array.shape))]
    return [d.name or f'{name}_dim_{i}' for i, d in enumerate(array.schema.dims)]


def _variable(array: tegula.Array, attr: Attr, dims: List[str], attrs: Dict[str, Any], window: Optional[Window]) -> xr.Variable:
    data = _Lazy(array, attr.name, window)
    dims = dims + [f'{attr.name or "value"}_value_{i}' for i in range(len(data.shape) - len(dims))]
    _add_fill(attrs, array, attr)
    chunks = tuple(min(c, max(1, n)) for c, n in zip(array.chunks, data.shape)) + data.shape[len(array.shape):]
    encoding = {'preferred_chunks': dict(zip(dims, chunks)), 'chunks': chunks, 'source': array.uri}
    return xr.Variable(dims, indexing.LazilyIndexedArray(data), attrs, encoding)


def _add_fill(attrs: Dict[str, Any], array: tegula.Array, attr: Attr) -> None:
    """CF's _FillValue, where the format has it: zarr 2 as its fill value, zarr 3 as an attribute, TileDB as the fill value of
    cells that were never written, if there are any."""
    if '_FillValue' in attrs:
        if array.schema.format == 'zarr3':
            attrs['_FillValue'] = _decoded_fill(attrs['_FillValue'], attr.dtype)
    elif attr.fill is None or attr.dtype.kind not in 'iufSUmM' or attr.enumeration or attr.nullable or attr.var:
        return
    elif array.schema.format == 'zarr2' or (capabilities(array).fragments and attr.dtype.kind in 'iuf' and _partly_written(array)):
        attrs['_FillValue'] = attr.fill


def _partly_written(array: tegula.Array) -> bool:
    info = array.info()
    return bool(info['chunks_present'] < info['chunks_expected'] or info['non_empty_domain'] is None
                or any(tuple(r) != tuple(d.domain or ()) for r, d in zip(info['non_empty_domain'], array.schema.dims)))


def _decoded_fill(stored: Any, dtype: np.dtype) -> Any:
    """What xarray keeps in attributes of zarr 3: floats as the base64 text of a little-endian double, complex numbers as two
    of these, bytes as base64."""
    def real(text: Any) -> float:
        return float(struct.unpack('<d', base64.standard_b64decode(text))[0]) if isinstance(text, str) else float(text)
    try:
        if dtype.kind == 'f':
            return dtype.type(real(stored))
        if dtype.kind == 'c':
            return dtype.type(complex(real(stored[0]), real(stored[1])))
        if dtype.kind == 'S':
            return base64.standard_b64decode(stored)
        return dtype.type(stored) if dtype.kind in 'iub' else stored
    except (ValueError, TypeError, struct.error) as error:
        raise ValueError(f'_FillValue {stored!r} is none of type {dtype}') from error


def _encoded_fill(fill: Any, dtype: np.dtype) -> Any:
    def text(value: float) -> str:
        return base64.standard_b64encode(struct.pack('<d', value)).decode()
    if dtype.kind == 'f':
        return text(float(fill))
    if dtype.kind == 'c':
        return [text(complex(fill).real), text(complex(fill).imag)]
    if dtype.kind == 'S':
        return base64.standard_b64encode(fill if isinstance(fill, bytes) else str(fill).encode()).decode()
    return fill


def _window(array: tegula.Array) -> Optional[Window]:
    """What was written of a domain of more cells than xarray can take."""
    if math.prod(array.shape) <= _WIDE or not capabilities(array).fragments:
        return None
    found = array.info()['non_empty_domain']
    if found is None:
        raise ValueError(f'nothing has been written to {array.uri}, whose domain has {math.prod(array.shape)} cells')
    return [(int(d.coordinate(low)), int(d.coordinate(high))) for d, (low, high) in zip(array.schema.dims, found)]


def _domain_coordinate(dim: Dim, name: str, window: Optional[Tuple[int, int]], attrs: Dict[str, Any]) -> Optional[xr.Variable]:
    """The coordinates along a dimension; none when they are 0, 1, 2 and so on. Integers are a range, which takes no memory."""
    low, high = window or (tuple(int(dim.coordinate(v)) for v in dim.domain) if dim.domain else (0, -1))
    base = np.dtype(dim.dtype)
    if base.kind in 'mM':
        if high - low >= _MOST_TIMES:
            return None
        return xr.Variable([name], np.arange(low, high + 1, dtype='i8').astype(base), attrs)
    if low == 0 and window is None:
        return None
    if low >= -2 ** 63 and high < 2 ** 63 - 1:
        import pandas
        return xr.IndexVariable(name, pandas.RangeIndex(low, high + 1), attrs)
    return xr.Variable([name], np.arange(low, high + 1, dtype=base), attrs) if high - low < _MOST_TIMES else None


def _dense(array: tegula.Array, name: str) -> Tuple[Dict[str, xr.Variable], Dict[str, Any], List[str]]:
    """Variables, attributes of all of them together, and which are coordinates."""
    attrs = dict(array.attrs)
    dims = _dim_names(array, attrs, name)
    one = len(array.schema.attrs) == 1
    variables: Dict[str, xr.Variable] = {}
    if dims == [_SCALAR]:
        return {name: xr.Variable((), np.asarray(array[0]), _plain_attrs(attrs))}, {}, []
    window = _window(array)
    for attr in array.schema.attrs:
        own = _prefixed(attrs, _ATTR_PREFIX, attr.name)
        if one:
            own = {**_plain_attrs(attrs), **own}
        variables[attr.name or name] = _variable(array, attr, dims, own, window)
    coords: List[str] = []
    if capabilities(array).domains:
        for i, (dim, dim_name) in enumerate(zip(array.schema.dims, dims)):
            if dim_name in variables:
                continue
            found = _domain_coordinate(dim, dim_name, None if window is None else window[i], _prefixed(attrs, _DIM_PREFIX, dim.name))
            if found is not None:
                variables[dim_name] = found
                coords.append(dim_name)
        for label in array.schema.labels:
            along = dims[label.dimension]
            variables[label.name] = xr.Variable([along], array.query([label.name])[label.name])
            coords.append(label.name)
    return variables, {} if one else _plain_attrs(attrs), coords


def _cells(array: Any) -> Tuple[Dict[str, xr.Variable], Dict[str, Any], List[str]]:
    """A sparse array as the list of its cells in row-major order, read immediately."""
    result = array.query(order='row')
    dims = [d.name for d in array.schema.dims]
    variables = {}
    for field in result.fields:
        values = result[field]
        if np.ma.isMaskedArray(values):
            values = _without_mask(values, _dtype_with_nulls(values.dtype))
        variables[field] = xr.Variable(['cell'], values)
    return variables, _plain_attrs(array.attrs), [d for d in dims if d in variables]


def _read_node(node: Any, name: str) -> Tuple[Dict[str, xr.Variable], Dict[str, Any], List[str]]:
    if isinstance(node, tegula.Group):
        variables: Dict[str, xr.Variable] = {}
        coords: List[str] = []
        for member in node.arrays():
            found, attrs, found_coords = _read_array(node[member], member)
            if len(found) > 1:
                found = {k if k in found_coords or k not in variables else f'{member}_{k}': v for k, v in found.items()}
            for key, variable in found.items():
                # Several arrays may give the same coordinate by their domains; a variable of that name takes precedence.
                if key in variables and key in found_coords:
                    continue
                variables[key] = variable
            coords += found_coords
        coords += [k for k, v in variables.items() if v.dims == (k,)]
        return variables, _plain_attrs(node.attrs), coords
    return _read_array(node, name)


def _read_array(array: Any, name: str) -> Tuple[Dict[str, xr.Variable], Dict[str, Any], List[str]]:
    return _cells(array) if array.schema.sparse else _dense(array, name)


class TegulaBackend(BackendEntrypoint):
    description = 'TileDB, bcolz and zarr arrays of every version'
    open_dataset_parameters = ('filename_or_obj', 'drop_variables', 'mask_and_scale', 'decode_times', 'concat_characters',
                               'decode_coords', 'use_cftime', 'decode_timedelta', 'at', 'key', 'format', 'threads',
                               'memory')
    supports_groups = True

    def open_dataset(self, filename_or_obj: Any, *, drop_variables: Union[str, Iterable[str], None] = None,
                     mask_and_scale: Any = True, decode_times: Any = True, concat_characters: Any = True,
                     decode_coords: Any = True, use_cftime: Any = None, decode_timedelta: Any = None, at: Any = None,
                     key: Any = None, format: Optional[str] = None, threads: Optional[int] = None,
                     memory: Any = None) -> xr.Dataset:
        uri = os.fspath(filename_or_obj)
        node = _open(uri, at=at, key=key, format=format, threads=threads, memory=memory)
        decoding = dict(mask_and_scale=mask_and_scale, decode_times=decode_times, concat_characters=concat_characters,
                        decode_coords=decode_coords, drop_variables=drop_variables, use_cftime=use_cftime,
                        decode_timedelta=decode_timedelta)
        return _dataset(node, _name_of(uri), decoding)

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Formats that no other engine opens. zarr 2 and 3 are opened when engine='tegula' asks for it."""
        try:
            found = tegula.probe(os.fspath(filename_or_obj))
            return found is not None and found[1] not in ('zarr2', 'zarr3')
        except (TypeError, OSError, tegula.Error):
            return False

    def open_groups_as_dict(self, filename_or_obj: Any, *, drop_variables: Union[str, Iterable[str], None] = None,
                            **options: Any) -> Dict[str, xr.Dataset]:
        opening = {k: options.pop(k) for k in ('at', 'key', 'format', 'threads', 'memory') if k in options}
        uri = os.fspath(filename_or_obj)
        out: Dict[str, xr.Dataset] = {}

        def visit(node: Any, path: str, above: Tuple[str, ...]) -> None:
            out[path] = _dataset(node, _name_of(node.uri), {'drop_variables': drop_variables, **options})
            if not isinstance(node, tegula.Group):
                return
            for member in node.groups():
                # A group may contain itself or one of its parents.
                if (child := node[member]).uri not in above:
                    visit(child, f'{path.rstrip("/")}/{member}', above + (child.uri,))

        root = _open(uri, **opening)
        visit(root, '/', (root.uri,))
        return out

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> xr.DataTree:
        return xr.DataTree.from_dict(self.open_groups_as_dict(filename_or_obj, **options))


def _open(uri: str, **options: Any) -> Any:
    return tegula.open(uri, **{k: v for k, v in options.items() if v is not None})


def _dataset(node: Any, name: str, decoding: Mapping[str, Any]) -> xr.Dataset:
    variables, attrs, coords = _read_node(node, name)
    decoded, attrs, more = xr.conventions.decode_cf_variables(variables, attrs, **decoding)
    dataset = xr.Dataset(decoded, attrs=attrs)
    return dataset.set_coords([c for c in (*coords, *more) if c in dataset.variables])


def write(dataset: Union[xr.Dataset, xr.DataArray, xr.DataTree], uri: Union[str, 'os.PathLike[str]'], format: str = 'zarr3', *,
          chunks: Union[Mapping[Hashable, int], None] = None, filters: Any = None, overwrite: bool = False,
          **options: Any) -> None:
    """Writes a dataset: a group of arrays (TileDB, zarr 2 and 3), a folder of them (zarr 0 and 1), or a table (bcolz, when
    every variable has the same one dimension). `chunks` are sizes by dimension; without them those of dask, or one of about
    1 MB. Variables of dask are written chunk by chunk, in parallel. With `overwrite` what is at `uri` stays until the new
    dataset is whole."""
    if overwrite:
        from .main import _replacing
        with _replacing(uri, options.get('storage_options')) as place:
            write(dataset, place, format, chunks=chunks, filters=filters, **options)
        return
    if isinstance(dataset, xr.DataTree):
        for path, node in dataset.subtree_with_keys:
            below = os.fspath(uri) if path in ('.', '/') else os.path.join(os.fspath(uri), path)
            write(node.to_dataset(inherit=False), below, format, chunks=chunks, filters=filters, **options)
        for path, node in dataset.subtree_with_keys:
            here = os.fspath(uri) if path in ('.', '/') else os.path.join(os.fspath(uri), path)
            if capabilities(format).members:
                group = tegula.open(here, 'w')
                for child in node.children:
                    group.add(os.path.join(here, child), child)
        return
    if isinstance(dataset, xr.DataArray):
        dataset = dataset.to_dataset(name=dataset.name or 'data')
    root = os.fspath(uri)
    can = capabilities(format)
    format = can.format
    variables, attrs = xr.conventions.encode_dataset_coordinates(dataset)
    encoded = {str(k): xr.conventions.encode_cf_variable(v, name=k) for k, v in variables.items()}
    if can.tables:
        _write_table(encoded, attrs, root, filters, options)
        return
    group = None
    if can.groups:
        group = tegula.create_group(root, format)
        if attrs:
            group.attrs.update(_json_like(attrs))
    elif attrs:
        raise ValueError(f'{format} has no groups to keep the attributes of a dataset in; drop them or choose zarr2 or later')
    for name, variable in encoded.items():
        below = os.path.join(root, name)
        _write_variable(variable, below, format, chunks or {}, filters, options)
        if can.members and group is not None:
            group.add(below, name)


def _json_like(attrs: Mapping[Any, Any]) -> Dict[str, Any]:
    return {str(k): v.item() if isinstance(v, np.generic) else v.tolist() if isinstance(v, np.ndarray) else v
            for k, v in attrs.items()}


def _chunk_sizes(variable: xr.Variable, chunks: Mapping[Hashable, int]) -> Tuple[int, ...]:
    if variable.chunks is not None and not chunks:
        return tuple(max(c) for c in variable.chunks)
    wanted = [int(chunks.get(d, 0)) for d in variable.dims]
    left = max(1, (1 << 20) // max(1, variable.dtype.itemsize))
    sizes = []
    # The last axes first, because their cells are contiguous in memory.
    for size, asked in zip(reversed(variable.shape), reversed(wanted)):
        sizes.append(min(max(size, 1), asked or left))
        left = max(1, left // sizes[-1])
    return tuple(reversed(sizes))


def _write_variable(variable: xr.Variable, uri: str, format: str, chunks: Mapping[Hashable, int], filters: Any,
                    options: Mapping[str, Any]) -> None:
    attrs = _json_like(variable.attrs)
    fill = attrs.pop('_FillValue', None)
    dims = [str(d) for d in variable.dims]
    sizes = _chunk_sizes(variable, chunks)
    dtype: Any = variable.dtype
    if dtype.kind == 'O':
        dtype = str
    shape = variable.shape
    if not dims and not capabilities(format).scalars:
        dims, shape, sizes = [_SCALAR], (1,), (1,)
    # The attribute has no name: a coordinate has the name of its dimension, and TileDB forbids an attribute of that name.
    attr = Attr('', dtype, filters=filters, fill=fill)
    if format == 'zarr2':
        attr._fill_defined = fill is not None
    if format in ('zarr0', 'zarr1', 'zarr2'):
        attrs[_ZARR2_DIMS] = dims
        dims = [f'dim_{i}' for i in range(len(dims))]
    axes = tuple(Dim(d, (0, n - 1) if n else None, min(t, n) if n else t, 'uint64') for d, n, t in zip(dims, shape, sizes))
    tegula.create(uri, schema=Schema(format, axes, (attr,)), **options)
    if fill is not None and format != 'zarr2':
        attrs['_FillValue'] = _encoded_fill(fill, variable.dtype) if format == 'zarr3' else fill
    array = tegula.open(uri, 'w')
    if attrs:
        array.attrs.update(attrs)
    if variable.chunks is not None:
        from .dask import store
        store(variable.data, array)
    else:
        array[...] = np.asarray(variable.values).reshape(shape)


def _write_table(variables: Mapping[str, xr.Variable], attrs: Mapping[Any, Any], uri: str, filters: Any,
                 options: Mapping[str, Any]) -> None:
    dims = {v.dims for v in variables.values()}
    if len(dims) != 1 or len(next(iter(dims))) != 1:
        raise ValueError('a bcolz table holds variables that share one dimension; these have '
                         + ', '.join(sorted(str(d) for d in dims)))
    columns = {k: np.asarray(v.values).astype('U') if v.dtype.kind == 'O' else np.asarray(v.values)
               for k, v in variables.items()}
    tegula.create(uri, format='bcolz', columns=columns, filters=filters, **options)
    if attrs:
        tegula.open(uri, 'w').attrs.update(_json_like(attrs))
