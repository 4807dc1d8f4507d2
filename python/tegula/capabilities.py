"""What the arrays of a format can hold and do."""
import functools
from typing import Any, NamedTuple

from . import _tegula


class Capabilities(NamedTuple):
    """One format. `family` names formats that share their code ('zarr'), `title` is for people ('zarr v2')."""

    format: str
    family: str
    title: str
    create: bool  # arrays can be created; false: they are only read
    groups: bool  # groups can be created
    members: bool  # members can be added to groups and removed from them
    append: bool  # rows can be added at the end
    resize: bool  # the extents can be changed
    fragments: bool  # each write is kept as a fragment: consolidate(), vacuum()
    history: bool  # arrays can be opened as they were at a time: open(at=...)
    encryption: bool  # arrays can be encrypted: create(key=...)
    versions: bool  # create(format_version=...)
    repair: bool  # repair()
    sparse: bool  # sparse arrays
    tables: bool  # tables: columns that share their rows
    many_fields: bool  # dense arrays of more than one attribute
    scalars: bool  # arrays without dimensions
    empty_axes: bool  # dimensions without cells
    domains: bool  # domains may start anywhere and may be dates; otherwise indices start at 0
    column_order: bool  # cells can be stored in column order
    unwritten: bool  # chunks that were never written take no space
    nullable: bool  # attributes can be nullable
    enumerations: bool  # attributes can hold codes of an enumeration
    text: bool  # cells can hold text of any length
    lists: bool  # cells can hold several values, or any number of them
    numpy_types: bool  # text and bytes of a fixed size are types of their own: S7, U7, V7
    typed_metadata: bool  # metadata has types; otherwise it is JSON


@functools.lru_cache(maxsize=None)
def _of_format(name: str) -> Capabilities:
    return Capabilities(**_tegula.capabilities(name))


def capabilities(what: Any) -> Capabilities:
    """The capabilities of a format, given by its name or by an open array or group. The name of a family stands for its
    newest format."""
    return _of_format(what if isinstance(what, str) else what.format)
