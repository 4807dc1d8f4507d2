"""The raw data everything is made of, and the places that are asked for. Places come from `random`, which gives the same in
every Python."""
import random

import numpy as np

DOMAIN = 1_000_000  # of each sparse dimension
TABLE_COLUMNS = ('i', 'f', 'k')


def make_field(env, path, side):
    """float32, smooth plus noise."""
    rng = np.random.default_rng(1)
    x = np.linspace(0, 12, side, dtype=np.float32)
    out = np.lib.format.open_memmap(path, 'w+', np.float32, (side, side))
    for row in range(0, side, 512):
        y = x[row:row + 512, None]
        out[row:row + 512] = 15 + 8 * np.sin(y) * np.cos(0.7 * x) + 3 * np.sin(3 * x + y) + rng.normal(0, 0.05, (len(y), side))
    out.flush()


def make_points(env, path, count):
    """Cells at different places, in no order."""
    rng = np.random.default_rng(2)
    places = np.unique(rng.integers(0, DOMAIN * DOMAIN, count + count // 100 + 100))
    places = rng.permutation(places)[:count]
    with open(path, 'wb') as file:
        np.savez(file, x=places // DOMAIN, y=places % DOMAIN, v=rng.normal(0, 2, count))


def make_rows(env, path, count):
    rng = np.random.default_rng(3)
    with open(path, 'wb') as file:
        np.savez(file, i=np.arange(count), f=np.round(rng.normal(1, 1, count), 3), k=rng.integers(0, 100, count, dtype=np.int32))


def field(env, side):
    return np.load(env.data('field', side))


def points(env, count):
    with np.load(env.data('points', count)) as file:
        return {name: file[name] for name in ('x', 'y', 'v')}


def rows(env, count):
    with np.load(env.data('rows', count)) as file:
        return {name: file[name] for name in TABLE_COLUMNS}


def windows(side, count=200, size=100):
    """The first row and column of windows of a field."""
    rng = random.Random(4)
    return [(rng.randrange(side - size), rng.randrange(side - size)) for _ in range(count)]


def boxes(count=100, size=20_000):
    """First and last x, first and last y of boxes in the sparse domain."""
    rng = random.Random(5)
    corners = [(rng.randrange(DOMAIN - size), rng.randrange(DOMAIN - size)) for _ in range(count)]
    return [(x, x + size - 1, y, y + size - 1) for x, y in corners]


def row_numbers(rows_, count=1000):
    rng = random.Random(6)
    return [rng.randrange(rows_) for _ in range(count)]


def small_fragments(count, cells=100):
    """`count` dicts of a few cells each, all at different places."""
    rng = random.Random(7)
    places = np.array(rng.sample(range(DOMAIN * DOMAIN), count * cells)).reshape(count, cells)
    return [{'x': p // DOMAIN, 'y': p % DOMAIN, 'v': p.astype(np.float64)} for p in places]
