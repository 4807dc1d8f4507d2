"""Stores that users bring: obstore stores, fsspec file systems, mappings, and objects with a few functions.

The extension module calls an Adapter once for each batch of reads. Keys are relative to the root of the array. What raises
FileNotFoundError or KeyError is absent; every other exception reaches the caller of tegula as it is.
"""
from __future__ import annotations

import asyncio
import hashlib
import sys
import threading
from collections.abc import Mapping, MutableMapping
from typing import Any, Callable, Coroutine, Dict, Iterable, List, Optional, Tuple, Union

# (key, start, stop): a range; start None: all of the file; start negative: its end, so many bytes or all there are.
Wanted = Tuple[str, Optional[int], Optional[int]]
# None: absent. Otherwise the bytes, and the size of the file unless a range was wanted.
Answer = Union[None, Tuple[Any, Optional[int]], BaseException]

_ABSENT = (FileNotFoundError, KeyError)
_ABSENT_FILE = _ABSENT + (NotADirectoryError,)  # a part of its path is a file


class Adapter:
    """What a store needs to be one of tegula's. `conditional`: put_if is safe against writers elsewhere."""
    lists = True
    writes = True
    conditional = False

    def __init__(self, store: Any, root: str):
        self.store = store
        self.root = root.rstrip('/')

    def path(self, key: str) -> str:
        return f'{self.root}/{key}' if self.root and key else self.root or key

    def read(self, wanted: List[Wanted]) -> List[Answer]:
        raise NotImplementedError

    def size(self, key: str) -> Optional[int]:
        raise NotImplementedError

    def files(self, prefix: str, most: int) -> List[Tuple[str, int, str]]:
        """(key, size, state) of every file below the prefix; one more than `most` says that there are more."""
        raise NotImplementedError

    def entries(self, prefix: str) -> List[Tuple[str, bool, int]]:
        """(name, whether it is a folder, size) of what is directly below the prefix."""
        found: Dict[Tuple[str, bool], int] = {}
        start = len(prefix) + 1 if prefix else 0
        for key, size, _ in self.files(prefix, sys.maxsize):
            name, slash, _ = key[start:].partition('/')
            found[name, bool(slash)] = 0 if slash else size
        return [(name, folder, size) for (name, folder), size in found.items()]

    def put(self, key: str, data: bytes) -> None:
        raise NotImplementedError

    def remove(self, keys: List[str]) -> None:
        raise NotImplementedError

    def denied(self, error: BaseException) -> bool:
        """Whether access was denied, as many servers do for names that are not there."""
        return isinstance(error, PermissionError) or getattr(error, 'status', None) in (401, 403)

    def stated(self, key: str) -> Optional[Tuple[Any, str]]:
        answer = self.read([(key, None, None)])[0]
        if isinstance(answer, BaseException):
            raise answer
        return None if answer is None else (answer[0], _state(answer[0]))

    def put_if(self, key: str, data: bytes, state: str) -> bool:
        now = self.stated(key)
        if state != (now[1] if now else ''):
            return False
        self.put(key, data)
        return True


def _state(data: Any) -> str:
    return hashlib.sha256(data).hexdigest()


def _tried(call: Callable[[], Answer]) -> Answer:
    try:
        return call()
    except _ABSENT:
        return None
    except Exception as error:
        return error


def _run(make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """The result of a coroutine, also for callers inside a running loop, who get a thread for it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    out: List[Any] = []

    def work() -> None:
        try:
            out.append((True, asyncio.run(make())))
        except BaseException as error:
            out.append((False, error))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    good, value = out[0]
    if not good:
        raise value
    return value


class FsspecAdapter(Adapter):
    def _full(self, key: str) -> str:
        return str(self.store._strip_protocol(self.path(key)))

    def _infos(self, paths: List[str]) -> List[Any]:
        if getattr(self.store, 'async_impl', False):
            from fsspec.asyn import sync

            async def all_of_them() -> List[Any]:
                return await asyncio.gather(*[self.store._info(path) for path in paths], return_exceptions=True)
            found: List[Any] = sync(self.store.loop, all_of_them)
            return found
        out: List[Any] = []
        for path in paths:
            try:
                out.append(self.store.info(path))
            except Exception as error:
                out.append(error)
        return out

    def read(self, wanted: List[Wanted]) -> List[Answer]:
        out: List[Answer] = [None] * len(wanted)
        ends = [i for i, (_, start, _) in enumerate(wanted) if start is not None and start < 0]
        sizes: Dict[int, int] = {}
        if ends:
            for i, info in zip(ends, self._infos([self._full(wanted[i][0]) for i in ends])):
                if isinstance(info, BaseException):
                    out[i] = None if isinstance(info, _ABSENT_FILE) else info
                else:
                    sizes[i] = int(info['size'])
        paths, starts, stops, places = [], [], [], []
        for i, (key, start, stop) in enumerate(wanted):
            if start is not None and start < 0:
                if i not in sizes:
                    continue
                start, stop = max(0, sizes[i] + start), sizes[i]
            if start is not None and start == stop:
                out[i] = (b'', sizes.get(i))
                continue
            paths.append(self._full(key))
            starts.append(start)
            stops.append(stop)
            places.append(i)
        if paths:
            for i, data in zip(places, self.store.cat_ranges(paths, starts, stops, on_error='return')):
                if isinstance(data, BaseException):
                    out[i] = None if isinstance(data, _ABSENT_FILE) else data
                else:
                    out[i] = (data, len(data) if wanted[i][1] is None else sizes.get(i))
        return out

    def size(self, key: str) -> Optional[int]:
        try:
            info = self.store.info(self._full(key))
        except _ABSENT_FILE:
            return None
        return None if info['type'] == 'directory' else int(info['size'])

    def _below(self, prefix: str, infos: Iterable[Any]) -> List[Tuple[str, Any]]:
        start = self._full(prefix).rstrip('/') + '/'
        names = [(str(self.store._strip_protocol(info['name'])), info) for info in infos]
        return [(name[len(start):], info) for name, info in names if name.startswith(start) and name != start]

    def entries(self, prefix: str) -> List[Tuple[str, bool, int]]:
        # File systems remember listings; other processes may have written since.
        self.store.invalidate_cache(self._full(prefix))
        try:
            infos = self.store.ls(self._full(prefix), detail=True)
        except _ABSENT_FILE:
            return []
        return [(name.rstrip('/'), info['type'] == 'directory', 0 if info['type'] == 'directory' else int(info['size'] or 0))
                for name, info in self._below(prefix, infos)]

    def files(self, prefix: str, most: int) -> List[Tuple[str, int, str]]:
        self.store.invalidate_cache(self._full(prefix))
        try:
            found = self.store.find(self._full(prefix), detail=True)
        except _ABSENT_FILE:
            return []
        start = prefix + '/' if prefix else ''
        return [(start + name, int(info['size']), str(info.get('ETag') or info.get('mtime') or info.get('created') or ''))
                for name, info in self._below(prefix, found.values())]

    def put(self, key: str, data: bytes) -> None:
        path = self._full(key)
        try:
            self.store.pipe_file(path, data)
        except FileNotFoundError:  # file systems that have folders want them made
            self.store.makedirs(path.rpartition('/')[0], exist_ok=True)
            self.store.pipe_file(path, data)

    def remove(self, keys: List[str]) -> None:
        for key in keys:
            try:
                self.store.rm_file(self._full(key))
            except _ABSENT_FILE:
                pass


class ObstoreAdapter(Adapter):
    conditional = True

    def __init__(self, store: Any, root: str):
        super().__init__(store, root.strip('/'))
        import obstore
        self.obstore = obstore

    def _absent(self, error: BaseException) -> bool:
        """LocalStore has no class of its own for a path of which a part is a file."""
        return isinstance(error, _ABSENT) or (isinstance(error, self.obstore.exceptions.GenericError) and 'NotADirectory' in str(error))

    def read(self, wanted: List[Wanted]) -> List[Answer]:
        out: List[Answer] = [None] * len(wanted)
        ranges: Dict[str, List[int]] = {}
        for i, (key, start, _) in enumerate(wanted):
            if start is not None and start >= 0:
                ranges.setdefault(key, []).append(i)

        def take(places: List[int], answer: Any) -> None:
            for at, i in enumerate(places):
                if isinstance(answer, BaseException):
                    out[i] = None if self._absent(answer) else answer
                else:
                    out[i] = answer if wanted[i][1] is None or wanted[i][1] < 0 else (answer[at], None)  # type: ignore[operator]

        def arguments(places: List[int]) -> Dict[str, Any]:
            return {'starts': [wanted[i][1] for i in places], 'ends': [wanted[i][2] for i in places]}
        if len(ranges) == 1 and len(next(iter(ranges.values()))) == len(wanted):
            key, places = next(iter(ranges.items()))
            try:
                take(places, self.obstore.get_ranges(self.store, self.path(key), **arguments(places)))
            except Exception as error:
                take(places, error)
            return out

        async def file(key: str, start: Optional[int]) -> Tuple[Any, int]:
            options = None if start is None else {'range': {'suffix': -start}}
            try:
                result = await self.obstore.get_async(self.store, self.path(key), options=options)
            except (NotImplementedError, self.obstore.exceptions.NotSupportedError):  # Azure knows no suffixes
                meta = await self.obstore.head_async(self.store, self.path(key))
                first = max(0, meta['size'] + (start or 0))
                if first == meta['size']:
                    return b'', meta['size']
                return await self.obstore.get_range_async(self.store, self.path(key), start=first, end=meta['size']), meta['size']
            return await result.bytes_async(), result.meta['size']

        async def everything() -> None:
            jobs = [(places, self.obstore.get_ranges_async(self.store, self.path(key), **arguments(places)))
                    for key, places in ranges.items()]
            jobs += [([i], file(key, start)) for i, (key, start, _) in enumerate(wanted) if start is None or start < 0]
            for (places, _), answer in zip(jobs, await asyncio.gather(*[job for _, job in jobs], return_exceptions=True)):
                take(places, answer)
        _run(everything)
        return out

    def denied(self, error: BaseException) -> bool:
        return isinstance(error, (PermissionError, self.obstore.exceptions.PermissionDeniedError, self.obstore.exceptions.UnauthenticatedError))

    def size(self, key: str) -> Optional[int]:
        try:
            return int(self.obstore.head(self.store, self.path(key))['size'])
        except Exception as error:
            if not self._absent(error):
                raise
            return None

    def _cut(self, path: str) -> str:
        return path[len(self.root) + 1:] if self.root else path

    def entries(self, prefix: str) -> List[Tuple[str, bool, int]]:
        found = self.obstore.list_with_delimiter(self.store, self.path(prefix) or None)
        last = [(str(path).rstrip('/').rpartition('/')[2], True, 0) for path in found['common_prefixes']]
        return last + [(meta['path'].rpartition('/')[2], False, int(meta['size'])) for meta in found['objects']]

    def files(self, prefix: str, most: int) -> List[Tuple[str, int, str]]:
        out: List[Tuple[str, int, str]] = []
        for page in self.obstore.list(self.store, self.path(prefix) or None):
            out += [(self._cut(meta['path']), int(meta['size']), str(meta['e_tag'] or meta['last_modified'])) for meta in page]
            if len(out) > most:
                break
        return out

    def put(self, key: str, data: bytes) -> None:
        self.obstore.put(self.store, self.path(key), data)

    def remove(self, keys: List[str]) -> None:
        try:
            self.obstore.delete(self.store, [self.path(key) for key in keys])
        except _ABSENT:
            for key in keys if len(keys) > 1 else []:
                self.remove([key])

    def stated(self, key: str) -> Optional[Tuple[Any, str]]:
        try:
            result = self.obstore.get(self.store, self.path(key))
        except _ABSENT:
            return None
        data = result.bytes()
        return data, str(result.meta['e_tag'] or _state(data))

    def put_if(self, key: str, data: bytes, state: str) -> bool:
        try:
            self.obstore.put(self.store, self.path(key), data, mode={'e_tag': state} if state else 'create')
        except (self.obstore.exceptions.AlreadyExistsError, self.obstore.exceptions.PreconditionError, *_ABSENT):
            return False
        except NotImplementedError:  # LocalStore creates, but does not replace a known state
            self.conditional = False
            return super().put_if(key, data, state)
        return True


class MappingAdapter(Adapter):
    def __init__(self, store: Any, root: str):
        super().__init__(store, root)
        self.writes = isinstance(store, MutableMapping)

    def read(self, wanted: List[Wanted]) -> List[Answer]:
        def one(key: str, start: Optional[int], stop: Optional[int]) -> Answer:
            data = self.store[self.path(key)]
            return memoryview(data)[start:stop], len(data)
        return [_tried(lambda item=item: one(*item)) for item in wanted]  # type: ignore[misc]

    def size(self, key: str) -> Optional[int]:
        try:
            return len(self.store[self.path(key)])
        except _ABSENT:
            return None

    def files(self, prefix: str, most: int) -> List[Tuple[str, int, str]]:
        start, root = self.path(prefix), len(self.root) + 1 if self.root else 0
        start += '/' if start else ''
        return [(key[root:], len(self.store[key]), '') for key in list(self.store) if key.startswith(start)]

    def put(self, key: str, data: bytes) -> None:
        self.store[self.path(key)] = data

    def remove(self, keys: List[str]) -> None:
        for key in keys:
            self.store.pop(self.path(key), None)


class ObjectAdapter(Adapter):
    """get(key), and what else there is of get_ranges([(key, start, stop), ...]), size(key), list(prefix) -> (key, size) of every
    file below, put(key, data), remove(key)."""

    def __init__(self, store: Any, root: str):
        super().__init__(store, root)
        self.lists = hasattr(store, 'list')
        self.writes = hasattr(store, 'put')

    def read(self, wanted: List[Wanted]) -> List[Answer]:
        out: List[Answer] = [None] * len(wanted)
        batch: List[int] = []
        for i, (key, start, stop) in enumerate(wanted):
            if start is not None and start >= 0 and hasattr(self.store, 'get_ranges'):
                batch.append(i)
            else:
                out[i] = _tried(lambda: self._file(key, start, stop))
        if batch:
            found = self.store.get_ranges([(self.path(wanted[i][0]), wanted[i][1], wanted[i][2]) for i in batch])
            for i, data in zip(batch, found):
                if isinstance(data, BaseException):
                    out[i] = None if isinstance(data, _ABSENT) else data
                else:
                    out[i] = None if data is None else (data, None)
        return out

    def _file(self, key: str, start: Optional[int], stop: Optional[int]) -> Answer:
        data = self.store.get(self.path(key))
        return None if data is None else (memoryview(data)[start:stop], len(data))

    def size(self, key: str) -> Optional[int]:
        try:
            if hasattr(self.store, 'size'):
                size: Optional[int] = self.store.size(self.path(key))
                return size
            data = self.store.get(self.path(key))
        except _ABSENT:
            return None
        return None if data is None else len(data)

    def files(self, prefix: str, most: int) -> List[Tuple[str, int, str]]:
        root = len(self.root) + 1 if self.root else 0
        start = self.path(prefix)
        start += '/' if start else ''
        return [(key[root:], size, '') for key, size in self.store.list(self.path(prefix)) if key.startswith(start)]

    def put(self, key: str, data: bytes) -> None:
        self.store.put(self.path(key), data)

    def remove(self, keys: List[str]) -> None:
        for key in keys:
            try:
                self.store.remove(self.path(key))
            except _ABSENT:
                pass


def adapted(store: Any, root: str) -> Adapter:
    """The adapter for what the user brought; TypeError when it is nothing of the kind."""
    if type(store).__module__.partition('.')[0] == 'obstore' or any(c.__module__.startswith('obstore.') for c in type(store).__mro__):
        return ObstoreAdapter(store, root)
    fsspec = sys.modules.get('fsspec')
    if fsspec is not None and isinstance(store, fsspec.AbstractFileSystem):
        return FsspecAdapter(store, root)
    if isinstance(store, Mapping):
        return MappingAdapter(store, root)
    if callable(getattr(store, 'get', None)) and not asyncio.iscoroutinefunction(store.get):
        return ObjectAdapter(store, root)
    raise TypeError(f'store is an obstore store, an fsspec file system, a mapping, or an object with get(key); not {type(store).__name__}')
