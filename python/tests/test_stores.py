"""Arrays in stores that the caller brings."""
import asyncio
import io
import os
import pickle
import signal
import threading
import zipfile

import numpy as np
import pytest

import tegula as tg
from tegula.stores import adapted

fsspec = pytest.importorskip('fsspec')
obstore = pytest.importorskip('obstore')
from obstore.store import LocalStore, MemoryStore  # noqa: E402

GRID = np.arange(600, dtype='i4').reshape(20, 30)


class Plain:
    """The small protocol: as few functions as there can be."""
    def __init__(self, files=None):
        self.files = {} if files is None else files

    def get(self, key):
        return self.files.get(key)

    def list(self, prefix):
        return [(key, len(data)) for key, data in self.files.items() if key.startswith(prefix)]

    def put(self, key, data):
        self.files[key] = bytes(data)

    def remove(self, key):
        del self.files[key]


class Counting(Plain):
    """With ranges, and a note of each call."""
    def __init__(self, files=None):
        super().__init__(files)
        self.calls = []

    def get(self, key):
        self.calls.append(('get', key))
        return super().get(key)

    def get_ranges(self, wanted):
        self.calls.append(('get_ranges', len(wanted)))
        return [None if key not in self.files else self.files[key][start:stop] for key, start, stop in wanted]

    def size(self, key):
        self.calls.append(('size', key))
        return len(self.files[key])


def fsspec_memory(tmp_path):
    return fsspec.filesystem('memory'), f'/{tmp_path.name}-{os.getpid()}'


KINDS = {
    'fsspec memory': fsspec_memory,
    'fsspec local': lambda tmp_path: (fsspec.filesystem('file'), str(tmp_path)),
    'obstore memory': lambda tmp_path: (MemoryStore(), 'some/where'),
    'obstore local': lambda tmp_path: (LocalStore(str(tmp_path)), 'some'),
    'dict': lambda tmp_path: ({}, ''),
    'dict below': lambda tmp_path: ({}, 'a/b'),
    'object': lambda tmp_path: (Plain(), 'x'),
    'object with ranges': lambda tmp_path: (Counting(), ''),
}


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    """A store and a path in it."""
    return KINDS[request.param](tmp_path)


def below(root, name):
    return f'{root}/{name}' if root else name


@pytest.mark.parametrize('format', ['tiledb', 'bcolz', 'zarr0', 'zarr1', 'zarr2', 'zarr3'])
def test_every_format_is_written_and_read(place, format):
    store, root = place
    path = below(root, 'grid')
    array = tg.create(path, data=GRID, format=format, chunks=(5, 30) if format == 'bcolz' else (5, 7), store=store)
    array.attrs['unit'] = 'K'
    assert (tg.open(path, store=store)[...] == GRID).all()
    again = tg.open(path, 'w', store=store)
    again[3:9, :] = 7
    expected = GRID.copy()
    expected[3:9, :] = 7
    found = tg.open(path, store=store)
    assert (found[...] == expected).all() and (found[2:4, 5] == expected[2:4, 5]).all()
    assert found.attrs['unit'] == 'K'
    assert tg.verify(path, store=store).ok


def test_tables_sparse_arrays_and_maintenance(place):
    store, root = place
    table = tg.create(below(root, 't'), columns={'n': np.arange(100), 'x': np.arange(100) / 2}, format='bcolz', store=store)
    table.append({'n': np.arange(3), 'x': np.ones(3)})
    assert len(tg.open(below(root, 't'), store=store)) == 103
    path = below(root, 's')
    sparse = tg.create(path, sparse=True, dims=[tg.Dim('x', (0, 99), tile=10, dtype='int32')], attrs=[tg.Attr('v', dtype='int32')], store=store)
    for i in range(4):
        sparse.write({'x': np.array([i, 50 + i], 'i4'), 'v': np.array([i, 10 * i], 'i4')})
    tg.consolidate(sparse)
    tg.vacuum(sparse)
    found = tg.open(path, store=store).query()
    assert sorted(found['v'].tolist()) == sorted([0, 1, 2, 3, 0, 10, 20, 30])


def test_groups(place):
    store, root = place
    group = tg.create_group(below(root, 'g'), 'zarr3', store=store)
    group.create('a', data=GRID, chunks=(5, 7))
    group.create_group('inner').create('b', data=GRID, chunks=(5, 7))
    found = tg.open(below(root, 'g'), store=store)
    assert sorted(found) == ['a', 'inner']
    assert (found['a'][...] == GRID).all() and (found['inner/b'][...] == GRID).all()


def test_archives_in_stores(place):
    store, root = place
    files = {}
    tg.create('', data=GRID, chunks=(5, 7), format='zarr2', store=files)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, 'w') as archive:
        for key, data in files.items():
            archive.writestr(f'top/{key}', data)
    path = below(root, 'x.zip')
    adapted(store, root).put('x.zip', buffer.getvalue())
    assert (tg.open(path, store=store)[...] == GRID).all()
    assert (tg.open(path + '!/top', store=store)[...] == GRID).all()


def test_a_batch_enters_python_once():
    files = {}
    tg.create('', data=np.arange(4000, dtype='i4').reshape(40, 100), chunks=(40, 100), format='tiledb', filters='none',
              store=Plain(files))
    store = Counting(files)
    array = tg.open('', store=store)
    store.calls.clear()
    assert (array[3:5, 7:90] == np.arange(4000).reshape(40, 100)[3:5, 7:90]).all()
    ranges = [call for call in store.calls if call[0] == 'get_ranges']
    assert 1 <= len(ranges) <= 2, store.calls


class Failing(Plain):
    def __init__(self, files, error, only=''):
        super().__init__(files)
        self.error, self.only = error, only

    def get(self, key):
        if self.only in key and key in self.files:
            raise self.error
        return super().get(key)


class OwnError(Exception):
    pass


@pytest.mark.parametrize('error', [OwnError('mine'), PermissionError('no'), TimeoutError('late'), ValueError('bad')])
def test_errors_pass_through_with_their_type(error):
    files = {}
    tg.create('', data=GRID, chunks=(5, 7), format='zarr2', store=files)
    with pytest.raises(type(error), match=str(error)):
        tg.open('', store=Failing(files, error, '.zarray'))
    array = tg.open('', store=Failing(files, error, '1.1'))
    with pytest.raises(type(error), match=str(error)):
        array[...]
    assert (array[:5] == GRID[:5]).all()


@pytest.mark.parametrize('error', [OSError('no answer'), OwnError('own')])
def test_a_document_that_cannot_be_read_is_not_absent(error):
    files = {}
    tg.create('', data=GRID, format='zarr2', store=files).attrs['unit'] = 'm'
    with pytest.raises(type(error), match=str(error)):
        tg.open('', store=Failing(files, error, '.zattrs'))


@pytest.mark.parametrize('error', [KeyError('x'), FileNotFoundError('x')])
def test_what_is_not_found_is_absent(error):
    files = {}
    tg.create('', data=GRID, chunks=(5, 7), format='zarr2', fill_value=9, store=files)
    array = tg.open('', store=Failing(files, error, '0.0'))
    expected = GRID.copy()
    expected[:5, :7] = 9
    assert (array[...] == expected).all()


def test_what_comes_back_short_is_damage():
    files = {}
    tg.create('', data=GRID, chunks=(20, 30), format='tiledb', filters='none', store=files)

    class Short(Counting):
        def get_ranges(self, wanted):
            return [data[:-1] for data in super().get_ranges(wanted)]
    with pytest.raises(tg.CorruptError, match='the store gave'):
        tg.open('', store=Short(files))[...]


def test_a_store_that_only_reads():
    files = {}
    tg.create('', data=GRID, chunks=(5, 7), format='zarr2', store=files)

    class Reader:
        def get(self, key):
            return files.get(key)
    import types
    assert (tg.open('', store=types.MappingProxyType(files))[...] == GRID).all()
    with pytest.raises(tg.UnsupportedError, match='no way to write'):
        tg.open('', 'w', store=types.MappingProxyType(files))[0, 0] = 1


def test_not_a_store():
    for wrong in ('s3://bucket', 5, object()):
        with pytest.raises(TypeError, match='store is'):
            tg.open('x', store=wrong)


def test_inside_a_running_loop():
    store = MemoryStore()
    tg.create('x', data=GRID, chunks=(5, 7), format='zarr3', store=store)

    async def work():
        return tg.open('x', store=store)[...]
    assert (asyncio.run(work()) == GRID).all()


def test_many_threads():
    store = MemoryStore()
    tg.create('x', data=GRID, chunks=(5, 7), format='zarr3', store=store)
    array = tg.open('x', store=store, threads=4)
    wrong = []

    def work():
        for _ in range(20):
            if not (array[...] == GRID).all():
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_ctrl_c_ends_a_slow_store():
    files = {}
    tg.create('', data=GRID, chunks=(1, 1), format='zarr2', store=files)

    class Slow(Plain):
        def get(self, key):
            if key[0].isdigit():
                os.kill(os.getpid(), signal.SIGINT)
                threading.Event().wait(0.02)
            return super().get(key)
    # Shells start what runs in the background with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            tg.open('', store=Slow(files))[...]
    finally:
        signal.signal(signal.SIGINT, before)


def test_pickles_with_its_store(tmp_path):
    store = fsspec.filesystem('file')
    tg.create(str(tmp_path / 'x'), data=GRID, chunks=(5, 7), format='zarr3', store=store)
    array = pickle.loads(pickle.dumps(tg.open(str(tmp_path / 'x'), store=store)))
    assert (array[...] == GRID).all()
