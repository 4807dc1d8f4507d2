import itertools

import pytest

FORMATS = ['tiledb', 'zarr0', 'zarr1', 'zarr2', 'zarr3', 'bcolz']


@pytest.fixture(params=FORMATS)
def format(request):
    return request.param


_numbers = itertools.count()


@pytest.fixture
def place(tmp_path):
    """A new folder each time it is called."""
    return lambda: str(tmp_path / f'a{next(_numbers)}')
