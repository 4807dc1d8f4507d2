"""What an installed wheel must do: run outside of the source tree, with nothing but numpy."""
import tempfile

import numpy as np

import tegula as tg

with tempfile.TemporaryDirectory() as folder:
    data = np.arange(600.0).reshape(20, 30)
    for format in tg.FORMATS:
        a = tg.create(f'{folder}/{format}', format=format, data=data)
        assert (tg.open(f'{folder}/{format}')[3:7, ::2] == data[3:7, ::2]).all(), format
    b = tg.convert(f'{folder}/zarr3', f'{folder}/copy', format='tiledb')
    assert tg.compare(f'{folder}/copy', f'{folder}/bcolz').same and tg.verify(b).ok
print('tegula', tg.__version__, 'works from', tg.__file__)
