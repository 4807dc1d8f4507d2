"""Where the keys of encrypted arrays come from."""
from __future__ import annotations

import os
import pickle
from typing import Any, Callable, Dict, Optional, Union

Key = Union[str, bytes, Callable[[], Union[str, bytes]], None]

_ENVIRONMENT = 'env:'


def resolve(key: Key) -> Optional[bytes]:
    """The bytes of a key: 32 bytes, 64 hexadecimal digits, 'env:NAME' for a variable of the environment that holds the
    digits, or a function that returns one of these."""
    if callable(key):
        key = key()
        if callable(key):
            raise TypeError('a function that provides a key returns bytes or text')
    if isinstance(key, str) and key.startswith(_ENVIRONMENT):
        name = key[len(_ENVIRONMENT):]
        if name not in os.environ:
            raise ValueError(f'the key is to come from the variable {name} of the environment, which is not set')
        key = os.environ[name]
    if isinstance(key, str):
        try:
            key = bytes.fromhex(key)
        except ValueError:
            raise ValueError("a key is 32 bytes, 64 hexadecimal digits, 'env:NAME' or a function that returns one") from None
    return key


def opening(options: Dict[str, Any]) -> Dict[str, Any]:
    """Options for the library, with the key itself. They are used at once and never kept."""
    return {**options, 'key': resolve(options['key'])} if 'key' in options else options


def travelling(options: Dict[str, Any], uri: str) -> Dict[str, Any]:
    """Options for a pickle, which may go anywhere: never a key."""
    key = options.get('key')
    if key is None or callable(key) or (isinstance(key, str) and key.startswith(_ENVIRONMENT)):
        return options
    raise pickle.PicklingError(
        f"{uri} was opened with its key, and a pickle (or the graph of dask) would carry the key in clear. Open it with "
        f"key='env:NAME', which takes the key from the environment of the process that opens it, or with a function of a "
        f"module, which is called there")


__all__ = ['Key', 'opening', 'resolve', 'travelling']
