"""Every case of the corpus, read through the package: dense selections by indexing, the rest by queries."""
import os
import pathlib
import sys

import numpy as np
import pytest

import tegula as tg
from tegula import dtypes

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests' / 'conformance'))
import conformance  # noqa: E402
from unpack import unpack  # noqa: E402

CORPUS = pathlib.Path(os.environ.get('TEGULA_CORPUS', ROOT / 'build' / 'release' / 'corpus'))
PARTS = sorted(p.name[:-len('.tar.xz')] for p in (ROOT / 'tests' / 'corpus').glob('*.tar.xz'))
READABLE = ('char', 'ascii', 'utf8', 'wkt')


def text(data):
    """As text when it is printable UTF-8, else as hex."""
    try:
        decoded = data.decode('utf-8')
    except UnicodeDecodeError:
        return {'hex': data.hex()}
    printable = all(c in '\t\n\r' or ord(c) >= 32 and ord(c) != 127 for c in decoded)
    return decoded if printable else {'hex': data.hex()}


def real(value):
    return 'nan' if np.isnan(value) else 'inf' if value == np.inf else '-inf' if value == -np.inf else float(value)


def value(v, tiledb):
    """One element as the corpus writes it."""
    if isinstance(v, (np.datetime64, np.timedelta64)):
        ticks = int(v.astype('i8'))
        return 'NaT' if np.isnat(v) and not tiledb else ticks
    if isinstance(v, np.void):
        if v.dtype.names is None:
            return {'hex': v.tobytes().hex()}
        return {n: value(v[n], tiledb) for n in v.dtype.names}
    if isinstance(v, np.ndarray):
        return [value(x, tiledb) for x in v]
    if isinstance(v, (np.complexfloating, complex)):
        return {'re': real(v.real), 'im': real(v.imag)}
    if isinstance(v, (np.floating, float)):
        return real(v)
    if isinstance(v, (bytes, np.bytes_)):
        return text(bytes(v))
    return v.item() if isinstance(v, np.generic) else v


def cells(values, field, tiledb):
    """A list of cells."""
    if values is None:
        return [None]
    masked = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    data = np.asarray(values.data) if masked is not None else np.asarray(values)
    kind = field._type if field is not None else None
    if getattr(field, '_holds_json', False):
        return list(data.ravel())
    if kind is not None and kind.is_unit and data.dtype.kind in 'OSUVu':
        if data.dtype == object:
            raw = [None if v is None else dtypes.encode(kind, v) for v in data.ravel()]
        else:
            size = (field._values or 1) * dtypes.unit_size(kind)
            packed = np.ascontiguousarray(data).tobytes()
            raw = [packed[i:i + size] for i in range(0, len(packed), size)]
        out = [None if v is None else text(v) if kind.name in READABLE else {'hex': v.hex()} for v in raw]
        hidden = None if masked is None else masked.reshape(len(out), -1).all(axis=1) if len(out) else masked
    else:
        inner = 0 if field is None or data.dtype == object else len(dtypes.cell_dtype(kind, field._values, field._cell_shape)[1])
        flat = data.reshape((-1,) + data.shape[data.ndim - inner:])
        if field is not None and inner > 1:
            flat = flat.reshape(len(flat), -1)
        out = [value(v, tiledb) for v in flat]
        hidden = None if masked is None else masked.reshape(len(out), -1).all(axis=1) if len(out) else masked
    return out if hidden is None else [None if h else v for v, h in zip(out, hidden)]


def key_of(select):
    return eval('np.s_' + select, {'np': np, 'nan': np.nan})


class PackageReader:
    """Answers the requests of conformance.py."""

    def ask(self, request):
        try:
            return self.answer(request['uri'], request.get('query', {}), request.get('key'))
        except (tg.Error, OSError, ValueError, KeyError, IndexError) as error:
            return {'error': {'message': f'{type(error).__name__}: {error}'}}

    def answer(self, uri, query, key):
        at = query.get('open_at')
        a = tg.open(uri, key=key, at=tuple(at) if isinstance(at, list) else at)
        if isinstance(a, tg.Group):
            raise ValueError('a group, not an array')
        tiledb = a.format == 'tiledb'
        by_name = {f.name: f for f in (*a.schema.dims, *a.schema.labels, *a.schema.attrs)}
        if query.get('aggregates'):
            asked = list(query['aggregates'].items())
            calls = [f'r{i} = {o["op"].lower()}({self.quoted(o.get("field"))})' for i, (_, o) in enumerate(asked)]
            found = a.aggregate(*calls, ranges=self.ranges(query), where=query.get('where'), as_libtiledb=tiledb)
            fields = {}
            for i, (name, o) in enumerate(asked):
                field = by_name.get(o.get('field')) if o['op'].lower() in ('min', 'max') else None
                found_value = found[f'r{i}']
                if field is not None and isinstance(found_value, bytes):
                    found_value = found_value.ljust(field._values or 0, b'\0')
                wrapped = None if found_value is None else np.array([found_value], object if isinstance(found_value, (str, bytes)) else None)
                fields[name] = [None] if wrapped is None else cells(wrapped, field, tiledb)
            return {'shape': None, 'fields': fields}
        select = query.get('select')
        if select is not None and not query.get('where') and isinstance(a, tg.Array):
            index = key_of(select)
            lists = sum(isinstance(i, list) for i in (index if isinstance(index, tuple) else (index,)))
            names = query.get('fields') or [f.name for f in a.schema.attrs]
            fields, shape = {}, None
            for name in names:
                part = a[name] if name or len(a.schema.attrs) > 1 else a
                got = part.oindex[index] if lists > 1 else part[index]
                field = by_name[name]
                wrapped = got if isinstance(got, np.ndarray) else self.scalar(got, part.dtype)
                inner = 0 if wrapped.dtype == object else len(dtypes.cell_dtype(field._type, field._values, field._cell_shape)[1])
                shape = list(wrapped.shape[:wrapped.ndim - inner])
                fields[name] = cells(wrapped, field, tiledb)
            return {'shape': shape, 'fields': fields}
        found = a.query(query.get('fields'), self.ranges(query), query.get('where'),
                        query.get('layout') and query['layout'].split('-')[0], as_libtiledb=tiledb)
        if select is not None:
            found._request.update(select=a_key(key_of(select)), points=False)
        fields = {}
        for name, values in found.items():
            real_name = '' if name == 'value' and 'value' not in by_name else name
            fields[real_name] = cells(values, by_name.get(real_name), tiledb)
        return {'shape': None if found.shape is None else list(found.shape), 'fields': fields}

    @staticmethod
    def scalar(got, dtype):
        if isinstance(got, (str, bytes)) or got is None:
            out = np.empty((), object)
            out[()] = got
            return out
        if got is np.ma.masked:
            return np.ma.MaskedArray(np.zeros((), dtype), True)
        return np.asarray(got)

    @staticmethod
    def quoted(field):
        return '' if not field else f'`{field}`'

    @staticmethod
    def ranges(query):
        def bound(v):
            return bytes.fromhex(v['hex']) if isinstance(v, dict) else v

        out = {}
        for part in ('ranges', 'label_ranges'):
            for name, given in (query.get(part) or {}).items():
                several = given and isinstance(given[0], list)
                out[name] = [tuple(map(bound, r)) for r in given] if several else tuple(map(bound, given))
        return out


def a_key(index):
    items = index if isinstance(index, tuple) else (index,)
    return tuple(np.asarray(i, np.int64) if isinstance(i, list) else i for i in items)


@pytest.mark.parametrize('part', PARTS)
def test_corpus(part):
    unpack(CORPUS, [part])
    import tarfile
    with tarfile.open(ROOT / 'tests' / 'corpus' / f'{part}.tar.xz') as tar:
        folders = sorted(CORPUS / n[:-len('/case.json')] for n in tar.getnames() if n.endswith('/case.json'))
    assert folders
    reader, wrong = PackageReader(), []
    for folder in folders:
        name = str(folder.relative_to(CORPUS))
        found = conformance.surprises_of(name, conformance.one_case(reader, folder, name)[1])
        wrong += [f'{name}: {line}' for line in found]
    assert not wrong, '\n'.join(wrong[:20])
