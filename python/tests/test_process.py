"""Errors, threads, processes, signals, imports."""
import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import tegula as tg


@pytest.fixture
def zarr(tmp_path):
    return tg.create(tmp_path / 'z', format='zarr2', data=np.arange(100_000, dtype='i8').reshape(100, 1000), chunks=(10, 100))


def test_error_classes(tmp_path, zarr):
    with pytest.raises(FileNotFoundError, match='not found'):
        tg.open(tmp_path / 'nothing')
    with pytest.raises(KeyError):
        zarr['nope']
    with pytest.raises(KeyError):
        zarr.query(fields=['nope'])
    with pytest.raises(KeyError):
        zarr.query(ranges={'nope': (1, 2)})
    with pytest.raises(IndexError):
        zarr[1000]
    with pytest.raises(ValueError, match='position'):
        zarr.query(where='value > > 3')['value']
    with pytest.raises(ValueError):
        tg.open(zarr.uri, format='hdf5')
    with pytest.raises(ValueError):
        tg.open(zarr.uri, mode='x')
    with pytest.raises(PermissionError):
        tg.open(zarr.uri)[0] = 1
    with pytest.raises(tg.UnsupportedError) as caught:
        tg.create(tmp_path / 't', shape=(4,), dtype='i4').resize(8)
    assert isinstance(caught.value, tg.Error)
    chunk = pathlib.Path(zarr.uri) / '3.4'
    chunk.write_bytes(chunk.read_bytes()[:-9])
    with pytest.raises(tg.CorruptError, match='3.4') as caught:
        tg.open(zarr.uri)[...]
    assert str(caught.value).startswith('corrupt: ')
    report = tg.verify(zarr.uri)
    assert not report.ok and report[0].severity == 'damage' and report[0].file == '3.4'
    assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args


@pytest.mark.skipif(os.geteuid() == 0, reason='root may read everything')
def test_permission(zarr):
    path = pathlib.Path(zarr.uri) / '0.0'
    path.chmod(0)
    with pytest.raises(PermissionError):
        zarr[0, 0]


def test_threads_share_a_handle(zarr):
    want = np.arange(100_000).reshape(100, 1000)

    def read(i):
        return (zarr[i % 100] == want[i % 100]).all() and zarr.query(where=f'value == {i}').agg('count()')['count()'] == 1

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(200)))


def test_pickle(zarr):
    again = pickle.loads(pickle.dumps(zarr))
    np.testing.assert_array_equal(again[3], zarr[3])
    assert again.mode == 'w' and again.uri == zarr.uri
    t = tg.create(zarr.uri + '-t', format='bcolz', columns={'a': [1, 2], 'b': [3.0, 4.0]})
    assert pickle.loads(pickle.dumps(t['b']))[:].tolist() == [3.0, 4.0]
    assert tg.open(zarr.uri).__dask_tokenize__() == tg.open(zarr.uri).__dask_tokenize__()
    before = zarr.__dask_tokenize__()
    zarr.resize(200, 1000)
    assert zarr.__dask_tokenize__() != before


def _sum(array):
    return int(array[...].sum())


@pytest.mark.parametrize('method', ['fork', 'spawn'])
@pytest.mark.filterwarnings('ignore::DeprecationWarning')
def test_processes(zarr, method):
    want = _sum(zarr)                                        # the pool of threads is running when the process forks
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_sum, [zarr] * 4, chunksize=1) == [want] * 4


def run(code, **options):
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    env.pop('PYTHONDONTWRITEBYTECODE', None)
    return subprocess.run([sys.executable, *options.pop('flags', []), '-c', code], env=env, capture_output=True, text=True, timeout=120, **options)


def test_import_is_light():
    out = run('import sys, threading, os\nbefore = len(os.listdir("/proc/self/task"))\nhad = set(sys.modules)\nimport tegula\n'
              'assert len(os.listdir("/proc/self/task")) == before\n'
              'print(*sorted({m.partition(".")[0] for m in set(sys.modules) - had}))')
    assert out.returncode == 0, out.stderr
    assert not {'numpy', 'pandas', 'pyarrow', 'xarray', 'dask', 'multiprocessing', 'asyncio'} & set(out.stdout.split())


def test_import_time(tmp_path):
    """Less than 50 ms of processor time, once compiled; numpy's own comes with the first thing that needs it."""
    code = 'import time\nt = time.process_time()\nimport tegula\nprint(time.process_time() - t)'
    assert min(float(run(code, flags=['-X', f'pycache_prefix={tmp_path}']).stdout) for _ in range(6)) < 0.05


def test_ctrl_c(tmp_path):
    """A long read stops within a moment, and what a handler raises is what the caller sees."""
    uri = str(tmp_path / 'big')
    tg.create(uri, format='zarr2', shape=(200_000, 1000), chunks=(100, 1000), dtype='f8', filters=['zstd:1'])
    code = f'''
import os, signal, threading, time, numpy as np, tegula as tg
a = tg.open({uri!r}, threads=1)
out = np.empty((100, 1000))
main = threading.main_thread().ident
def stop():
    time.sleep(0.4)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=stop, daemon=True).start()
start = time.time()
try:
    print(a.aggregate('sum(value)', where='value > 1'))
except KeyboardInterrupt:
    print('stopped', time.time() - start < 20, a[0, 0])
'''
    out = run(code)
    assert out.stdout.split()[:2] == ['stopped', 'True'], (out.stdout, out.stderr[-500:])


def test_the_lock_is_released(tmp_path):
    """Another thread goes on while one reads."""
    uri = str(tmp_path / 'big')
    tg.create(uri, format='zarr2', shape=(20_000, 1000), chunks=(100, 1000), dtype='f8', filters=['zstd:1'])
    a = tg.open(uri, threads=1)
    ticks = []
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(lambda: a[...].sum())
        while not work.done():
            ticks.append(time.perf_counter())
            time.sleep(0.001)
    gaps = np.diff(ticks)
    assert len(ticks) > 5 and np.median(gaps) < 0.1


def test_signals_are_left_alone():
    out = run('import signal\nbefore = signal.getsignal(signal.SIGINT)\nimport tegula\nassert signal.getsignal(signal.SIGINT) is before')
    assert out.returncode == 0 and signal.SIGINT


def test_encryption(tmp_path):
    key = bytes(range(32))
    tg.create(tmp_path / 'a', shape=(4,), dtype='i4', key=key)[...] = [1, 2, 3, 4]
    assert tg.open(tmp_path / 'a', key=key.hex())[...].tolist() == [1, 2, 3, 4]
    with pytest.raises((tg.Error, ValueError, PermissionError)):
        tg.open(tmp_path / 'a')[...]


def _key_of_the_tests():
    return bytes(range(32))


def test_keys_never_travel(tmp_path, monkeypatch):
    key = bytes(range(32))
    monkeypatch.setenv('TEGULA_TEST_KEY', key.hex())
    tg.create(tmp_path / 'a', shape=(4,), dtype='i4', key='env:TEGULA_TEST_KEY')[...] = [1, 2, 3, 4]
    for provider in ('env:TEGULA_TEST_KEY', _key_of_the_tests):
        found = tg.open(tmp_path / 'a', key=provider)
        data = pickle.dumps(found)
        assert key not in data and key.hex().encode() not in data
        assert pickle.loads(data)[...].tolist() == [1, 2, 3, 4]
        assert key.hex() not in repr(found.__dask_tokenize__())
    for literal in (key, key.hex()):
        found = tg.open(tmp_path / 'a', key=literal)
        assert found[...].tolist() == [1, 2, 3, 4]
        with pytest.raises(pickle.PicklingError, match="key='env:NAME'"):
            pickle.dumps(found)
        assert key.hex() not in repr(found.__dask_tokenize__()) and repr(key) not in repr(found.__dask_tokenize__())
    monkeypatch.delenv('TEGULA_TEST_KEY')
    with pytest.raises(ValueError, match='TEGULA_TEST_KEY'):
        pickle.loads(pickle.dumps(tg.open(tmp_path / 'a', key=_key_of_the_tests))) and tg.open(tmp_path / 'a', key='env:TEGULA_TEST_KEY')


@pytest.mark.parametrize('format', ['tiledb', 'zarr2', 'zarr3', 'bcolz'])
def test_overwriting_keeps_the_old_until_the_new_is_whole(tmp_path, format):
    uri = tmp_path / 'a'
    tg.create(uri, data=np.arange(6), format=format)
    for wrong in ({'data': np.arange(6), 'dtype': 'S1'}, {'data': np.arange(6), 'shape': (5,)}):
        with pytest.raises((ValueError, TypeError, tg.Error)):
            tg.create(uri, format='zarr3', overwrite=True, **wrong)
        assert tg.open(uri)[...].tolist() == list(range(6))
    made = tg.create(uri, data=np.arange(3), format='zarr3', overwrite=True)
    assert made[...].tolist() == [0, 1, 2] and tg.open(uri)[...].tolist() == [0, 1, 2]
    made[1] = 7
    assert tg.open(uri)[...].tolist() == [0, 7, 2]
    rechunked = tg.convert(uri, uri, chunks=2, overwrite=True)
    assert rechunked[...].tolist() == [0, 7, 2]
    assert os.listdir(tmp_path) == ['a']


def test_unfinished_copies_are_not_read(tmp_path):
    tg.create(tmp_path / 'a', data=np.arange(6), format='zarr3')
    (tmp_path / 'a' / '.tegula-conversion').write_text('{"source": "s", "target": "t", "block_cells": 1, "blocks": 2, "done": 1}')
    with pytest.raises(tg.Error, match='unfinished copy'):
        tg.open(tmp_path / 'a')
    assert tg.open(tmp_path / 'a', unfinished=True).shape == (6,)
    report = tg.verify(tmp_path / 'a')
    assert not report.ok and 'unfinished' in report[0].text


def test_torn_tables_warn(tmp_path):
    columns = {'a': np.arange(3), 'b': np.arange(3)}
    table = tg.create(tmp_path / 't', columns=columns, format='bcolz')
    sizes = tmp_path / 't' / 'b' / 'meta' / 'sizes'
    before = sizes.read_bytes()
    table.append(columns)
    sizes.write_bytes(before)
    with pytest.warns(RuntimeWarning, match='all columns have 3 rows'):
        tg.open(tmp_path / 't')
