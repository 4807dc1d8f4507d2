"""Arrays as text."""
from __future__ import annotations

from typing import Any

from . import _tegula
from .capabilities import capabilities


def _kind(array: Any) -> str:
    return type(array).__name__


def _part(d: Any) -> str:
    where = '' if d.domain is None or None in d.domain else f' {d.domain[0]} to {d.domain[1]}'
    return f'{d.name}{where} ({d.type_name})'


def size_text(count: int) -> str:
    """As format_size(), for any number of bytes: domains may have more than 2^64."""
    if count < 1 << 64:
        return _tegula.format_size(count)
    power = min(8, (count.bit_length() - 1) // 10)
    return f'{count / 1024 ** power:.1f} {"KMGTPEZY"[power - 1]}iB'


def text(array: Any) -> str:
    if array._open_handle is None:
        return f'<tegula.{_kind(array)} {array.uri}: closed>'
    schema = array.schema
    head = f'<tegula.{_kind(array)} {array.uri}: {schema.format}'
    if capabilities(schema.format).versions:
        head += f' v{schema.format_version}'
    sizes = [d.size for d in schema.dims]
    if schema.sparse or None in sizes:
        head += ', ' + ' x '.join(_part(d) for d in schema.dims)
    else:
        head += f', shape {schema.shape}, chunks {schema.chunks}'
    fields = ', '.join(f'{name}: {a.type_name}' for name, a in zip(array.fields, array._attributes()))
    size = '' if schema.sparse or None in sizes else f', {size_text(array.nbytes)}'
    return f'{head}, {fields}{size}>'
