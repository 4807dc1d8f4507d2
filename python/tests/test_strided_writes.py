"""Arrays of any strides are written as what they show, not as what lies in memory."""

import numpy as np
import pytest

import tegula as tg

BASE = np.arange(40 * 60, dtype='i4').reshape(40, 60)
VIEWS = {
    'transposed': BASE[:30, :20].T,
    'fortran': np.asfortranarray(BASE[:20, :30]),
    'strided': BASE[::2, ::2],
    'reversed': BASE[19::-1, 29::-1],
    'repeated': np.broadcast_to(BASE[0, :30], (20, 30)),
    'big endian': BASE[:20, :30].astype('>i4'),
    'read only': np.frombuffer(BASE[:20, :30].tobytes(), 'i4').reshape(20, 30),
}


@pytest.mark.parametrize('format', ['tiledb', 'zarr2', 'zarr3'])
@pytest.mark.parametrize('view', VIEWS)
def test_writes_what_a_view_shows(tmp_path, format, view):
    values = VIEWS[view]
    a = tg.create(str(tmp_path / 'a'), shape=(24, 40), dtype='i4', chunks=(7, 9), format=format, sync=False)
    a[2:22, 5:35] = values
    np.testing.assert_array_equal(tg.open(str(tmp_path / 'a'))[2:22, 5:35], values)
