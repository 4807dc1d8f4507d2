"""Random selections, reads and writes, against numpy."""
import numpy as np
import pytest
from conftest import FORMATS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tegula as tg

SHAPE = (7, 9, 5)
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


def data():
    return np.random.default_rng(3).integers(-1000, 1000, SHAPE).astype('i4')


def make(folder, format):
    uri = str(folder / f'{format}')
    return tg.create(uri, format=format, data=data(), chunks=(3, 9, 5) if format == 'bcolz' else (3, 4, 5), sync=False)


@pytest.fixture(scope='module', params=FORMATS)
def array(request, tmp_path_factory):
    return make(tmp_path_factory.mktemp('selections'), request.param)


def slices(n):
    bound = st.none() | st.integers(-n - 2, n + 2)
    return st.builds(slice, bound, bound, st.none() | st.integers(-3, 3).filter(bool))


def lists(n):
    return st.lists(st.integers(-n, n - 1), max_size=4).map(lambda v: np.array(v, int))


def masks(n):
    return st.lists(st.booleans(), min_size=n, max_size=n).map(np.array)


@st.composite
def keys(draw):
    axes = [draw(st.integers(-n, n - 1) | slices(n) | slices(n) | lists(n) | masks(n)) for n in SHAPE]
    axes = axes[:draw(st.integers(0, 3))]
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(axes)))
        axes[cut:cut + draw(st.integers(0, 1))] = [Ellipsis]
        if len(axes) > 1 and draw(st.booleans()):
            axes.insert(draw(st.integers(0, len(axes))), None)
    return tuple(axes)


def expect(key):
    try:
        return data()[key]
    except IndexError as error:
        return error


@QUICK
@given(keys())
def test_read(array, key):
    want = expect(key)
    if isinstance(want, IndexError):
        with pytest.raises(IndexError):
            array[key]
        return
    got = array[key]
    np.testing.assert_array_equal(got, want)
    assert np.shape(got) == want.shape and got.dtype == want.dtype


@QUICK
@given(st.tuples(*(slices(n) for n in SHAPE)))
def test_read_into(array, key):
    want = data()[key]
    out = np.full(tuple(2 * n for n in want.shape), -7, 'i4')[::2, ::-2, ::2]
    array.read(key, out=out)
    np.testing.assert_array_equal(out, want)


@QUICK
@given(st.tuples(*(st.integers(-n, n - 1) | slices(n) | lists(n) for n in SHAPE)))
def test_orthogonal(array, key):
    picks = [np.arange(n)[k] for k, n in zip(key, SHAPE)]
    want = data()[np.ix_(*(np.atleast_1d(p) for p in picks))]
    want = want.reshape([s for s, k in zip(want.shape, key) if not isinstance(k, int)])
    np.testing.assert_array_equal(array.oindex[key], want)


@settings(QUICK, max_examples=25)
@given(st.data(), keys())
def test_write(array, draw, key):
    want = data()
    try:
        target = want[key]
    except IndexError:
        return
    seed = draw.draw(st.integers(0, 99))
    values = np.random.default_rng(seed).integers(0, 9999, target.shape).astype('i4')
    lists_used = [k for k in key if isinstance(k, np.ndarray) and k.dtype != bool]
    if any(len(np.unique(np.where(k < 0, k + 100, k))) != len(k) for k in lists_used) or len(lists_used) > 1:
        values[...] = seed                                   # which of two values of one cell stays is not said
    want[key] = values
    try:
        array[key] = values
        np.testing.assert_array_equal(array[...], want)
    finally:
        array[...] = data()


def test_scalars_and_broadcasts(array):
    try:
        array[1] = 5
        array[2, 3, 4] = np.int64(6)
        array[:, :, 1] = np.arange(9)
        want = data()
        want[1] = 5
        want[2, 3, 4] = 6
        want[:, :, 1] = np.arange(9)
        np.testing.assert_array_equal(array[...], want)
        with pytest.raises(ValueError):
            array[0] = np.zeros((4, 4))
        with pytest.raises(ValueError):
            array[0] = np.int64(2 ** 40)
    finally:
        array[...] = data()


def test_errors(array):
    for key in [7, -8, (0, 9), (0, 0, 0, 0), ([0, 7],), 1.5, 'nope', (np.zeros(3, bool),), (Ellipsis, Ellipsis)]:
        with pytest.raises((IndexError, KeyError) if key == 'nope' else IndexError):
            array[key]
        if key != 'nope':
            with pytest.raises(IndexError):
                data()[key]


@pytest.mark.parametrize('dtype', ['?', 'i1', 'u1', '>i2', '<u8', 'f2', '>f4', 'f8', 'c8', '>c16', 'M8[ns]', 'm8[s]', '>M8[D]', 'S5', 'U4', 'V3'])
@pytest.mark.parametrize('format', ['zarr1', 'zarr2', 'bcolz'])
def test_dtypes(tmp_path, format, dtype):
    rng = np.random.default_rng(5)
    base = np.dtype(dtype)
    raw = rng.integers(0, 2 if base.kind == 'b' else 100, 24)
    if base.kind in 'SU':
        values = np.array([f'x{v}' for v in raw]).astype(base)
    elif base.kind == 'V':
        values = np.frombuffer(rng.bytes(72), 'V3')
    elif base.kind in 'mM':
        values = raw.astype('i8').astype(base)
    else:
        values = raw.astype(base)
    values = values.reshape(4, 6)
    a = tg.create(tmp_path / 'a', format=format, shape=(4, 6), chunks=(3, 6), dtype=base,
                  filters=['zlib:1'] if format == 'zarr1' and base.kind in 'mM' else None)   # its Blosc takes no dates
    a[...] = values
    b = tg.open(tmp_path / 'a')
    assert b.dtype == base
    got = b[1:, ::2]
    assert got.dtype == base and got.tobytes() == values[1:, ::2].tobytes()
