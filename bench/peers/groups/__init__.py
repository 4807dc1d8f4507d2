"""The groups of workloads, each a module with `workloads(sizes)` and the data sets it needs."""
from .. import data
from ..workload import Dataset
from . import growth, remote, startup, table, tiledb_dense, tiledb_fragments, tiledb_sparse, zarr

GROUPS = {module.__name__.rsplit('.', 1)[1]: module
          for module in (tiledb_dense, tiledb_sparse, tiledb_fragments, zarr, table, startup, growth, remote)}

DATASETS = {
    'field': Dataset('numpy', data.make_field),
    'points': Dataset('numpy', data.make_points),
    'rows': Dataset('numpy', data.make_rows),
}
for _module in GROUPS.values():
    DATASETS.update(getattr(_module, 'DATASETS', {}))


def find(group, name, sizes):
    return next(w for w in GROUPS[group].workloads(sizes) if w.name == name)
