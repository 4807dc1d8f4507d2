"""What two results must have in common to be the same. Keeps to Python 3.7 and numpy 1.16."""
import hashlib

import numpy as np


def exact(array):
    """Type, shape and every byte."""
    array = np.ascontiguousarray(array)
    text = hashlib.blake2b(array.reshape(-1).view(np.uint8), digest_size=12).hexdigest()
    return '%s %s %s' % (array.dtype.str, list(array.shape), text)


def arrays(parts):
    """Several arrays, in order."""
    return exact(np.concatenate([np.asarray(p).reshape(-1) for p in parts]))


def _bits(column):
    column = np.ascontiguousarray(column)
    return column.view('u%d' % column.dtype.itemsize).astype(np.uint64)


def cells(*columns):
    """Cells in any order: the sum of a hash of each."""
    mixed = np.full(len(columns[0]), 0x9E3779B97F4A7C15, np.uint64)
    with np.errstate(over='ignore'):
        for column in columns:
            mixed ^= _bits(column)
            mixed *= np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(29)
        return 'cells %d %016x' % (len(mixed), int(mixed.sum(dtype=np.uint64)))


def numbers(values):
    """Numbers that may differ in the last bits, because sums depend on their order."""
    return [float(v) for v in values]


def same(a, b):
    if isinstance(a, list) and isinstance(b, list) and all(isinstance(v, float) for v in a + b):
        return len(a) == len(b) and bool(np.allclose(a, b, rtol=1e-6, atol=0, equal_nan=True))
    return a == b
