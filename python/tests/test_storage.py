"""storage_options= reach the store of a remote URI."""
import pytest

import tegula as tg


@pytest.mark.parametrize('call', [
    lambda **o: tg.open('s3://bucket/a', **o),
    lambda **o: tg.create('s3://bucket/a', shape=(2,), dtype='i4', format='zarr3', **o),
    lambda **o: tg.create_group('s3://bucket/a', 'zarr3', **o),
    lambda **o: tg.probe('s3://bucket/a', **o),
])
def test_an_unknown_option_is_named_and_its_value_is_not(call):
    with pytest.raises(ValueError, match="there is no store option 'nonsense'") as raised:
        call(storage_options={'nonsense': 'HIDDEN'})
    assert 'HIDDEN' not in str(raised.value)


def test_values_may_be_numbers_and_booleans():
    with pytest.raises(OSError, match='s3://bucket/a.*GET failed'):
        tg.open('s3://bucket/a', storage_options={'endpoint': 'http://127.0.0.1:1', 'anonymous': True, 'tries': 1})
