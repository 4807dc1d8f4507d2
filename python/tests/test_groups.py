"""Consolidated metadata of zarr groups."""
import json

import numpy as np
import pytest

import tegula as tg


@pytest.mark.parametrize('version', [2, 3])
def test_consolidated_groups_follow_every_change(tmp_path, version):
    root = tg.create_group(tmp_path / 'g', format=f'zarr{version}')
    root.create('a', shape=(4,), dtype='i4', chunks=(2,))
    root.consolidate()

    def copied(path):
        if version == 2:
            return json.loads((tmp_path / 'g/.zmetadata').read_text())['metadata'].get(path + '/.zarray')
        return json.loads((tmp_path / 'g/zarr.json').read_text())['consolidated_metadata']['metadata'].get(path)

    assert copied('a')['shape'] == [4]
    tg.open(tmp_path / 'g/a', 'w').append(np.arange(3, dtype='i4'))
    assert copied('a')['shape'] == [7]
    root.create('p/q/r', shape=(2,), dtype='f8')
    assert copied('p/q/r')['shape'] == [2]
    assert isinstance(root['p'], tg.Group) and list(root['p/q']) == ['r']
    root['p/q'].attrs['n'] = 1
    assert list(tg.verify(tmp_path / 'g')) == []
    (tmp_path / 'g' / ('.zmetadata' if version == 2 else 'zarr.json')).write_text(
        (tmp_path / 'g' / ('.zmetadata' if version == 2 else 'zarr.json')).read_text().replace('7', '6', 1))
    found = tg.verify(root)
    assert [p.severity for p in found] == ['note'] and 'consolidated' in found[0].text
    root.consolidate()
    assert list(tg.verify(root)) == []


def test_tiledb_groups_have_no_consolidated_metadata(tmp_path):
    with pytest.raises(tg.UnsupportedError, match='consolidated metadata'):
        tg.create_group(tmp_path / 'g', 'tiledb').consolidate()
