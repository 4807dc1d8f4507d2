"""open, create, and operations on whole arrays."""
from __future__ import annotations

import contextlib
import datetime
import errno
import os
import shutil
import warnings
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _tegula, keys
from .array import Array, ArrayBase
from .capabilities import capabilities
from .columns import mapping_of
from .group import Group
from .lazy import np
from .new_columns import attr_of
from .schema import Attr, Dim, Enumeration, Schema
from .sparse import SparseArray
from .table import Table

FORMATS = tuple(_tegula.formats())


def _uri(uri: Any, store: Any = None) -> str:
    text = os.fsdecode(os.fspath(uri))
    return text if '://' in text or store is not None else os.path.abspath(text)


def _bytes(size: Union[int, str]) -> int:
    return _tegula.parse_size(size) if isinstance(size, str) else int(size)


def _time(at: Any) -> int:
    """Milliseconds since 1970, from a number, a datetime (UTC unless it has a time zone), a datetime64 or an ISO text."""
    if isinstance(at, (int, np.integer)):
        return int(at)
    if isinstance(at, datetime.datetime):
        at = at if at.tzinfo else at.replace(tzinfo=datetime.timezone.utc)
        return (at - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(milliseconds=1)
    return int(np.datetime64(at).astype('M8[ms]').astype('i8'))


def _times(at: Any) -> Optional[Tuple[int, int]]:
    if at is None:
        return None
    if isinstance(at, (tuple, list)):
        low, high = at
        return _time(low) if low is not None else 0, _time(high) if high is not None else 2 ** 64 - 1
    return 0, _time(at)


def _format(format: Optional[str]) -> Optional[str]:
    if format is None:
        return None
    return capabilities(format).format


def _format_to_create(format: str) -> str:
    name = _format(format)
    if name is None:
        raise TypeError('format is the name of the format to write, not None')
    return name


def _mode(mode: str) -> str:
    if mode not in ('r', 'w', 'a', 'r+'):
        raise ValueError(f"mode is 'r' to read or 'w' to write, not {mode!r}")
    return 'r' if mode == 'r' else 'w'


def _options(**options: Any) -> Dict[str, Any]:
    return {k: v for k, v in options.items() if v is not None}


def _storage(options: Optional[Mapping[str, Any]]) -> Optional[Dict[str, str]]:
    """Names and values as texts; None where there are none."""
    texts = {True: 'true', False: 'false'}
    return {str(k): texts[v] if isinstance(v, bool) else str(v) for k, v in options.items() if v is not None} if options else None


def _open_handle(uri: str, mode: str, options: Dict[str, Any]) -> Any:
    return _tegula.open(uri, keys.opening(options))


class ExistsError(FileExistsError, ValueError):
    """There is something at the place where an array or group is to be created."""


@contextlib.contextmanager
def _existing(path: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        if 'already' not in str(error):
            raise
        raise ExistsError(errno.EEXIST, str(error), path) from None


def _array(handle: Any, uri: str, mode: str, options: Dict[str, Any], field: Optional[str] = None) -> Any:
    if isinstance(handle, _tegula.GroupHandle):
        return Group(handle, uri, mode, options)
    base = ArrayBase(handle, uri, mode, options)
    schema = base.schema
    if schema.sparse:
        made: ArrayBase = SparseArray(handle, uri, mode, options)
    elif schema.table or (schema.ndim == 1 and len(schema.attrs) > 1):
        made = Table(handle, uri, mode, options)
    else:
        made = Array(handle, uri, mode, options)
    made._known_schema = schema
    torn = handle.torn_rows() if schema.table else ''
    if torn:
        warnings.warn(f'{uri}: {torn}', RuntimeWarning, stacklevel=4)
    return made if field is None else made._with_field(field)


def _reopen(uri: str, mode: str, options: Dict[str, Any], field: Optional[str] = None) -> Any:
    return _array(_open_handle(uri, mode, options), uri, mode, options, field)


def open(uri: Any, mode: str = 'r', *, at: Any = None, key: keys.Key = None, format: Optional[str] = None,
         threads: Optional[int] = None, memory: Union[int, str] = '2GB', missing: str = 'fill', sync: bool = True,
         store: Any = None, storage_options: Optional[Mapping[str, Any]] = None, cache: Optional[str] = None,
         unfinished: bool = False) -> Any:
    """Opens what is at `uri`: an Array, SparseArray, Table or Group.

    `mode` is 'r' or 'w'; 'w' changes an existing array and never empties it. `at` (TileDB) shows the array as it was at a
    time, or what was written between two times; with mode 'w' it is the time of the writes. `key` opens encrypted arrays: 32
    bytes or 64 hexadecimal digits, or where they come from: 'env:NAME' or a function. Only the latter two can be pickled.
    `missing` says how missing chunks are read: 'fill' (as the fill value) or 'error'. With `sync=False` writes return before
    they are on the disk. `store` is an object that holds the files, and `uri` then a path in it: an obstore store, an fsspec
    file system, a mapping, or anything with `get(key)`. `storage_options` are those of s3://, gs://, az:// and http://
    (docs/stores.md): endpoint, region, keys. `cache`, 'DIR' or 'DIR:SIZE', keeps parts of remote files in a folder.
    A copy that was stopped before it was whole is refused, unless `unfinished` is set: its missing cells read as fill values.
    """
    if missing not in ('fill', 'error'):
        raise ValueError(f"missing is 'fill' or 'error', not {missing!r}")
    how = _mode(mode)
    options = _options(key=key, format=_format(format), threads=threads, memory=_bytes(memory),
                       missing=None if missing == 'fill' else missing, sync=None if sync else False, store=store, unfinished=unfinished or None,
                       storage_options=_storage(storage_options if cache is None else {**(storage_options or {}), 'cache': cache}))
    if at is not None:
        options.update({'at': _times(at)} if how == 'r' else {'write_at': _time(at)})
    return _reopen(_uri(uri, store), how, options)


def open_group(uri: Any, mode: str = 'r', **options: Any) -> Group:
    found = open(uri, mode, **options)
    if not isinstance(found, Group):
        raise ValueError(f'{uri} is an array, not a group')
    return found


def probe(uri: Any, *, storage_options: Optional[Mapping[str, Any]] = None) -> Optional[Tuple[str, str]]:
    """What is at `uri`: ('array' or 'group', format), or None."""
    found: Optional[Tuple[str, str]] = _tegula.probe(_uri(uri), _options(storage_options=_storage(storage_options)))
    return found


def _guess_chunks(shape: Sequence[int], itemsize: int, target: int = 1 << 20) -> Tuple[int, ...]:
    """Chunks of about 1 MiB: the longest axis is halved until they fit."""
    chunks = [max(1, n) for n in shape]
    while int(np.prod(chunks, dtype=object)) * max(1, itemsize) > target and max(chunks) > 1:
        longest = chunks.index(max(chunks))
        chunks[longest] = -(-chunks[longest] // 2)
    return tuple(chunks)


def create(uri: Any, *, format: str = 'tiledb', sparse: bool = False, dims: Optional[Iterable[Dim]] = None,
           attrs: Optional[Iterable[Attr]] = None, cell_order: str = 'row', tile_order: str = 'row', capacity: int = 10000,
           allows_duplicates: bool = False, format_version: Optional[int] = None, key: keys.Key = None,
           shape: Any = None, chunks: Any = None, dtype: Any = None, filters: Any = None, fill_value: Any = None,
           dim_names: Optional[Sequence[str]] = None, columns: Any = None, data: Any = None,
           schema: Optional[Schema] = None, enumerations: Iterable[Enumeration] = (), coords_filters: Any = None,
           offsets_filters: Any = None, validity_filters: Any = None, current_domain: Any = None, at: Any = None,
           overwrite: bool = False, threads: Optional[int] = None, memory: Union[int, str] = '2GB', sync: bool = True,
           store: Any = None, storage_options: Optional[Mapping[str, Any]] = None) -> Any:
    """Creates an array and opens it for writing.

    Describe it by `dims` and `attrs`; or, for a plain dense array, by `shape`, `dtype` and `chunks`; or by `data`, which
    gives shape and type and is written; or by the `columns` of a table (a dict, a data frame, an Arrow table), which are
    written too; or by the `schema` of another array. With `overwrite` the new array takes the place of what is at `uri`,
    which stays until the new one is whole, with `data` or `columns`. `store` is as in open().
    """
    name = _format_to_create(format)
    path = _uri(uri, store)
    fill_from: Optional[Mapping[str, Any]] = None
    if schema is not None:
        made = schema
    elif columns is not None:
        made, fill_from = _table_schema(columns, name, chunks, filters)
    elif dims is not None or attrs is not None:
        made = Schema(name, tuple(dims or ()), tuple(attrs or ()), sparse)
    else:
        made = _plain_schema(name, shape, chunks, dtype, filters, fill_value, dim_names, data)
    if schema is None:
        made.cell_order, made.tile_order, made.capacity = cell_order, tile_order, capacity
        made.allows_duplicates = allows_duplicates
        made.enumerations = tuple(enumerations)
        made.coords_filters, made.offsets_filters, made.validity_filters = coords_filters, offsets_filters, validity_filters
        made.current_domain = current_domain
    options = _options(key=key, threads=threads, memory=_bytes(memory), sync=None if sync else False, store=store,
                       storage_options=_storage(storage_options))
    extra = _options(format_version=format_version, at=None if at is None else _time(at), overwrite=overwrite or None)
    fresh = store is None and '://' not in path and not os.path.lexists(path)
    opening = keys.opening(dict(options, **extra))
    replacing = _tegula.replacing(path, opening) if overwrite and (data is not None or fill_from is not None) else None
    try:
        with _existing(path):
            handle = replacing.create(made._plain(), opening) if replacing else _tegula.create(path, made._plain(), opening)
        array = _array(handle, path, 'w', options)
        if fill_from is not None:
            if made.table:
                if any(len(v) for v in fill_from.values()):
                    array.append(fill_from)
            else:
                array[...] = fill_from
        elif data is not None:
            array[...] = data
        if replacing:
            replacing.take_place()
    except BaseException:
        # The same call then works once the reason is gone.
        if replacing:
            replacing.discard()
        elif fresh:
            shutil.rmtree(path, ignore_errors=True)
        raise
    return _reopen(path, 'w', options) if replacing else array


@contextlib.contextmanager
def _replacing(uri: Any, storage_options: Optional[Mapping[str, Any]] = None) -> Iterator[str]:
    """A place to write something that takes the place of what is at `uri` when the block ends well; `uri` itself when nothing is there."""
    path = _uri(uri)
    replacing = _tegula.replacing(path, _options(storage_options=_storage(storage_options)))
    if replacing is None:
        yield path
        return
    try:
        yield replacing.uri
        replacing.take_place()
    except BaseException:
        replacing.discard()
        raise


def _table_schema(columns: Any, format: str, chunks: Any, filters: Any) -> Tuple[Schema, Mapping[str, Any]]:
    can = capabilities(format)
    if not (can.tables or can.many_fields):
        raise ValueError(f'{format} has no tables; bcolz and tiledb have')
    pairs = {name: attr_of(name, values, format, filters) for name, values in mapping_of(columns).items()}
    if not pairs:
        raise ValueError('a table has columns')
    rows = {len(values) for _, values in pairs.values()}
    if len(rows) > 1:
        raise ValueError(f'the columns have different lengths: {sorted(rows)}')
    tile = chunks[0] if isinstance(chunks, (tuple, list)) else None if chunks is True else chunks
    values = {name: values for name, (_, values) in pairs.items()}
    n = rows.pop()
    if not can.tables:
        if n == 0:
            raise ValueError('a TileDB table of no rows has no domain; give the columns rows, or use bcolz')
        row = Dim('row', (0, n - 1), tile=tile if tile is None else min(tile, n), dtype='uint64')
    else:
        row = Dim('row', tile=tile, dtype='uint64')
    return Schema(format, (row,), tuple(a for a, _ in pairs.values()), table=can.tables), values


def _plain_schema(format: str, shape: Any, chunks: Any, dtype: Any, filters: Any, fill: Any, names: Optional[Sequence[str]],
                  data: Any) -> Schema:
    if data is not None:
        like = np.asarray(data)
        shape = like.shape if shape is None else shape
        dtype = like.dtype if dtype is None else dtype
    if shape is None:
        raise ValueError('which extents? give shape, data, dims, columns or schema')
    extents = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(n) for n in shape)
    attr = Attr('', dtype='float64' if dtype is None else dtype, filters=filters, fill=fill)
    if chunks is None or chunks is True:
        tiles: Tuple[Any, ...] = (None,) * len(extents)
        if chunks or format.startswith('zarr'):
            tiles = _guess_chunks(extents, attr.dtype.itemsize)
    else:
        tiles = (int(chunks),) * len(extents) if isinstance(chunks, (int, np.integer)) else tuple(chunks)
        if len(tiles) != len(extents):
            raise ValueError(f'chunks has {len(tiles)} extents for {len(extents)} axes')
    if names is not None and len(names) != len(extents):
        raise ValueError(f'dim_names has {len(names)} names for {len(extents)} axes')
    axes = tuple(Dim(f'dim_{i}' if names is None else names[i], (0, n - 1) if n else None, tile=t if t is None or not n or capabilities(format).empty_axes else min(t, n),
                     dtype='uint64') for i, (n, t) in enumerate(zip(extents, tiles)))
    return Schema(format, axes, (attr,))


def create_group(uri: Any, format: str = 'tiledb', *, overwrite: bool = False, store: Any = None,
                 storage_options: Optional[Mapping[str, Any]] = None) -> Group:
    """Creates a group; `format` is 'tiledb', 'zarr2' or 'zarr3'. `store` and `storage_options` are as in open()."""
    path = _uri(uri, store)
    name = _format_to_create(format)
    options = _options(store=store, storage_options=_storage(storage_options))
    with _existing(path):
        return Group(_tegula.create_group(path, name, dict(options, **_options(overwrite=overwrite or None))), path, 'w', options)


# Operations on whole arrays

class Problem(NamedTuple):
    """A finding of verify() or repair(). `severity` is 'damage' or 'note'."""

    severity: str
    file: str
    text: str
    remedy: str


class Report(List[Problem]):
    """The findings of verify() or repair(). `ok` means that nothing is damaged; there may still be notes."""

    @property
    def ok(self) -> bool:
        return all(p.severity != 'damage' for p in self)


class Comparison(NamedTuple):
    same: bool
    schema: List[str]
    cells: int
    different: int
    first: List[Tuple[str, Tuple[int, ...]]]


class Consolidation(NamedTuple):
    inputs: List[str]
    outputs: List[str]
    cells: int
    bytes: int


def _progress(progress: Any) -> Any:
    """Makes f(what, done, total) from a callable or from a progress bar like tqdm's."""
    if progress is None or not hasattr(progress, 'update'):
        return progress

    def report(what: str, done: int, total: int) -> None:
        if total and getattr(progress, 'total', None) != total:
            progress.total = total
        if hasattr(progress, 'set_description') and getattr(progress, 'desc', None) in (None, ''):
            progress.set_description(what)
        progress.update(done - getattr(progress, 'n', 0))

    return report


def _opened(what: Any, mode: str, **options: Any) -> Any:
    found = what if isinstance(what, ArrayBase) else open(what, mode, **options)
    if not isinstance(found, ArrayBase):
        raise ValueError(f'{what} is a group; name one of its arrays')
    return found


def verify(uri: Any, *, progress: Any = None, **options: Any) -> Report:
    """Decodes every cell, checks every file and returns what is wrong. Of a zarr group: where its consolidated metadata differs
    from the documents below it; its arrays are verified one by one."""
    found = uri if isinstance(uri, (ArrayBase, Group)) else open(uri, 'r', **{'unfinished': True, **options})
    return Report(Problem(*p) for p in _tegula.verify(found._handle, _progress(progress)))


def repair(uri: Any, *, progress: Any = None, **options: Any) -> Report:
    """bcolz: repairs what verify() reports as recoverable; returns what was done and the problems that remain."""
    found = _opened(uri, 'w', **options)
    return Report(Problem(*p) for p in _tegula.repair(found._handle, _progress(progress)))


def convert(source: Any, target: Any, format: Optional[str] = None, *, field: Optional[str] = None, chunks: Any = None,
            filters: Any = None, lossy: bool = False, overwrite: bool = False, format_version: Optional[int] = None,
            new_key: keys.Key = None, sync: bool = True, progress: Any = None, **options: Any) -> Any:
    """Copies an array into another format or another chunk grid, and opens the copy. Raises UnsupportedError when the format
    cannot hold everything, unless `lossy` is set. After an interruption the same call continues where it stopped. `options`
    are those of open(), for the source; its `storage_options` hold for the target too."""
    found = _opened(source, 'r', **options)
    path = _uri(target)
    plan = _options(format=_format(format), field=field, lossy=lossy or None, name=found.uri)
    if field is None and found._field is not None:
        plan['field'] = found._field
    if chunks is not None:
        plan['chunks'] = tuple(int(n) for n in ([chunks] if isinstance(chunks, (int, np.integer)) else chunks))
    if filters is not None:
        plan['filters'] = [filters] if isinstance(filters, str) else list(filters)
    made = _options(key=keys.resolve(new_key), format_version=format_version, overwrite=overwrite or None, sync=None if sync else False,
                    storage_options=_storage(options.get('storage_options')))
    _tegula.convert(found._handle, path, plan, made, _progress(progress))
    return open(path, 'w', key=new_key, storage_options=options.get('storage_options'))


def compare(left: Any, right: Any, *, progress: Any = None, **options: Any) -> Comparison:
    """Compares two arrays of any formats, cell by cell. `options` are those of open(), for both."""
    found = _tegula.compare(_opened(left, 'r', **options)._handle, _opened(right, 'r', **options)._handle, _progress(progress))
    same = not found['schema'] and found['different'] == 0
    return Comparison(same, found['schema'], found['cells'], found['different'], found['first'])


def consolidate(uri: Any, what: str = 'fragments', *, fragments: Iterable[str] = (), at: Any = None,
                max_fragment_size: Union[int, str, None] = None, keep_times: bool = True, purge_deleted: bool = False,
                plan: bool = False, progress: Any = None, **options: Any) -> List[Consolidation]:
    """TileDB: merges the results of many writes into few fragments or files. `what` is fragments, fragment_metadata, commits
    or array_metadata. With `plan`, returns what would be merged and changes nothing."""
    found = _opened(uri, 'w', **options)
    request: Dict[str, Any] = {'what': what, 'fragments': list(fragments), 'keep_times': keep_times, 'purge_deleted': purge_deleted}
    if at is not None:
        request['at'] = _times(at)
    if max_fragment_size is not None:
        request['max_fragment_size'] = _bytes(max_fragment_size)
    return [Consolidation(*step) for step in _tegula.consolidate(found._handle, request, plan, _progress(progress))]


def vacuum(uri: Any, what: str = 'fragments', *, dry_run: bool = False, progress: Any = None, **options: Any) -> List[str]:
    """TileDB: removes what consolidation has replaced; returns the names of what was removed, or with `dry_run` would be."""
    found = _opened(uri, 'w', **options)
    removed: List[str] = _tegula.vacuum(found._handle, what, dry_run, _progress(progress))
    return removed


def _token(array: ArrayBase) -> Tuple[Any, ...]:
    """A token for dask: equal for handles that see the same cells."""
    info = array.info()
    path = array.uri[7:] if array.uri.startswith('file://') else array.uri
    try:
        state: Any = max(os.stat(os.path.join(path, name)).st_mtime_ns for name in ['.', *os.listdir(path)])
    except OSError:
        state = None
    options = {k: v for k, v in array._options.items() if k not in ('threads', 'memory', 'key')}
    return ('tegula', array.uri, repr(sorted(options.items(), key=str)), array._field, array.schema.format, info['stored_bytes'],
            tuple(f['name'] for f in info['fragments']), state)


__all__ = ['Comparison', 'Consolidation', 'FORMATS', 'Problem', 'Report', 'compare', 'consolidate', 'convert', 'create',
           'create_group', 'open', 'open_group', 'probe', 'repair', 'vacuum', 'verify']
