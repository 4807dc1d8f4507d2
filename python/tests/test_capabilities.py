"""What formats can do, and that it is true."""
import numpy as np
import pytest

import tegula as tg


def test_every_format_has_capabilities():
    for name in tg.FORMATS:
        can = tg.capabilities(name)
        assert can.format == name and name.startswith(can.family)
    assert tg.capabilities('zarr').format == 'zarr3'
    with pytest.raises(ValueError, match='is not a format'):
        tg.capabilities('zarr4')


def test_of_an_array_and_a_group(tmp_path):
    array = tg.create(tmp_path / 'a', format='zarr2', data=np.arange(6))
    assert tg.capabilities(array) == tg.capabilities('zarr2')
    assert tg.capabilities(tg.create_group(tmp_path / 'g', 'tiledb')).members


def test_errors_name_what_is_missing(tmp_path):
    with pytest.raises(tg.UnsupportedError, match="capability 'groups'"):
        tg.create_group(tmp_path / 'g', 'bcolz')
    tg.create(tmp_path / 'a', format='zarr3', data=np.arange(6))
    with pytest.raises(tg.UnsupportedError, match="capability 'history'"):
        tg.open(tmp_path / 'a', at=5)


def test_a_copy_never_goes_into_its_source_or_around_it(tmp_path):
    tg.create(tmp_path / 'a', format='zarr3', data=np.arange(6))
    for target in (tmp_path / 'a' / 'inside', f'file://{tmp_path}/a/inside', tmp_path):
        with pytest.raises(ValueError, match='has to go elsewhere'):
            tg.convert(tmp_path / 'a', target, overwrite=True)
    assert list(tg.open(tmp_path / 'a')[...]) == list(range(6))
