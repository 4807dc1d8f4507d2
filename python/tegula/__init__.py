"""Persisted chunked arrays of every kind: TileDB, bcolz, zarr.

    import tegula as tg
    a = tg.open('temps.zarr')
    a[3:7, ::2]
"""
from ._tegula import CorruptError, Error, UnsupportedError, __version__
from .array import Array, ArrayBase
from .attrs import Attributes
from .capabilities import Capabilities, capabilities
from .domain import Domain
from .group import Group, Member
from .main import (FORMATS, Comparison, Consolidation, Problem, Report, compare, consolidate, convert, create, create_group, open,
                   open_group, probe, repair, vacuum, verify)
from .query import Batch, Query
from .schema import Attr, Dim, Enumeration, Filter, Label, Schema
from .sparse import SparseArray
from .table import Column, Table

__all__ = ['Array', 'ArrayBase', 'Attr', 'Attributes', 'Batch', 'Capabilities', 'Column', 'Comparison', 'Consolidation', 'CorruptError', 'Dim',
           'Domain', 'Enumeration', 'Error', 'FORMATS', 'Filter', 'Group', 'Label', 'Member', 'Problem', 'Query', 'Report',
           'Schema', 'SparseArray', 'Table', 'UnsupportedError', '__version__', 'capabilities', 'compare', 'consolidate', 'convert', 'create',
           'create_group', 'open', 'open_group', 'probe', 'repair', 'vacuum', 'verify']
