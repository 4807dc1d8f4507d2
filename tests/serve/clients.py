#!/usr/bin/env python3
"""Real clients read a sample of the corpus through `tegula serve` and compare every value with `tegula read`.

clients.py TEGULA CORPUS [--each N]: N cases of every family (default 14). Runs where zarr, fsspec, aiohttp, tensorstore, xarray
and zarrs are installed: scripts/python-venv makes such an environment.
"""
import argparse, collections, json, pathlib, subprocess, sys, urllib.error, urllib.parse, urllib.request, warnings

import numpy as np
import tensorstore
import xarray
import zarr

warnings.simplefilter('ignore')  # zarr-python about types of version 3 that have no specification
FAMILIES = ('bcolz', 'zarr-original', 'zarr1', 'zarr2', 'zarr3', 'tiledb/legacy', 'tiledb/modern', 'tiledb/v05', 'tiledb/v13', 'tiledb/v22')
PIPELINES = {'zarr-python': 'zarr.core.codec_pipeline.BatchedCodecPipeline', 'zarrs': 'zarrs.ZarrsCodecPipeline'}


class Differ(Exception):
    pass


class Server:
    def __init__(self, tegula, folder):
        self.process = subprocess.Popen([tegula, 'serve', str(folder), '--port', '0', '--json', '--connections', '512'], stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())['url']

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait(timeout=30) != 0:
            raise SystemExit('the server did not end with 0')


def plain(value):
    """What `tegula read --json` says of a value, as Python has it."""
    if isinstance(value, dict) and set(value) == {'re', 'im'}:
        return complex(plain(value['re']), plain(value['im']))
    if isinstance(value, dict) and set(value) == {'hex'}:
        return bytes.fromhex(value['hex'])
    if isinstance(value, dict):
        return tuple(plain(v) for v in value.values())
    return {'nan': float('nan'), 'inf': float('inf'), '-inf': float('-inf'), 'NaT': -2**63}.get(value, value) if isinstance(value, str) else value


def as_bytes(value):
    return value.encode() if isinstance(value, str) else bytes(value)


def same(got, expected):
    """One value that a client read, and one that `tegula read` printed."""
    if isinstance(got, np.generic):
        got = got.item()
    if isinstance(got, tuple):
        return isinstance(expected, dict) and all(same(g, e) for g, e in zip(got, expected.values()))
    if isinstance(got, str) and not isinstance(expected, (str, dict)):
        return json.loads(got) == expected  # objects of Python, served as their JSON
    if isinstance(got, (str, bytes)):
        expected = expected if isinstance(expected, str) else plain(expected)
        if got == '' and isinstance(expected, bytes):
            return True  # a fill value that is no UTF-8
        return as_bytes(got).rstrip(b'\0') == as_bytes(expected).rstrip(b'\0')
    if isinstance(got, list):
        return len(got) == len(expected) and all(map(same, got, expected))
    expected = plain(expected)
    if isinstance(expected, (float, complex)) and isinstance(got, (float, complex)):
        return np.array_equal(np.array(got), np.array(expected), equal_nan=True)
    return got == expected


def compare(values, expected, what, valid=None):
    cells = len(expected)
    values = np.asarray(values)
    inner = values.size // cells if cells else 1
    flat = values.reshape(cells, inner) if inner > 1 else values.reshape(-1)
    if flat.shape[0] != cells:
        raise Differ(f'{what}: {flat.shape[0]} cells, expected {cells}')
    for i, value in enumerate(expected):
        if value is None:
            if valid is None or valid.reshape(-1)[i]:
                raise Differ(f'{what}: cell {i} is null, which nothing says')
            continue
        if valid is not None and not valid.reshape(-1)[i]:
            raise Differ(f'{what}: cell {i} is said to be null')
        got = list(flat[i]) if inner > 1 else flat[i]
        if isinstance(value, list) and inner == 1:
            got = [got]
        if not same(got, value):
            raise Differ(f'{what}: cell {i} is {got!r}, expected {value!r}')


class Case:
    def __init__(self, tegula, corpus, folder, url, counts):
        self.path = folder.relative_to(corpus) / 'array'
        self.url, self.counts = url, counts
        info = subprocess.run([tegula, 'info', folder / 'array', '--json'], capture_output=True, text=True)
        self.expected = None
        if info.returncode:
            return
        self.sparse = json.loads(info.stdout)['kind'] == 'sparse'
        done = subprocess.run([tegula, 'read', folder / 'array', '--json', *(['--order', 'row'] if self.sparse else [])], capture_output=True, text=True)
        if done.returncode == 0:
            self.expected = json.loads(done.stdout)

    def at(self, version, *more):
        return self.url + urllib.parse.quote('/'.join([f'v{version}', str(self.path), *more]), safe='/~@:')

    def expressible(self, version):
        """Version 3 has no nested records."""
        for document in (('zarr.json',) if version == 3 else ('.zarray', '.zgroup')):
            try:
                urllib.request.urlopen(self.at(version, document)).close()
                return True
            except urllib.error.HTTPError as error:
                if error.code == 422:
                    return False
        return True

    def nested(self):
        values = [value for field in self.expected['fields'].values() for value in field[:1]]
        return any(isinstance(value, dict) and any(isinstance(part, dict) for part in value.values()) for value in values)

    def check(self):
        if self.nested():
            self.counts['nested records, which zarr-python does not read'] += 1
            return
        versions = [version for version in (3, 2) if self.expressible(version)]
        if not versions:
            raise Differ('no version of zarr holds it')
        self.counts['documents refused with 422'] += 2 - len(versions)
        for version in versions:
            self.refused = set()
            node = zarr.open(self.at(version), mode='r', zarr_format=version)
            if isinstance(node, zarr.Group):
                self.check_group(node, version)
            else:
                (expected,) = self.expected['fields'].values()
                self.check_array(node, expected, version)

    def check_group(self, group, version):
        left_out = group.attrs.get('tegula_not_served', {})
        # fsspec does not encode the names of members, so that these two end the path.
        hidden = {name for name in group if set(name) & set('?#')}
        array = lambda name: zarr.open_array(self.at(version, name), mode='r', zarr_format=version) if name in hidden else group[name]
        for field, expected in self.expected['fields'].items():
            name = field or 'value'
            if name not in group:
                if name not in left_out:
                    raise Differ(f'v{version}: {name} is neither served nor left out')
                self.counts['fields left out'] += 1
                continue
            self.check_array(array(name), expected, version, name, array(name + '__valid')[...] if name + '__valid' in group else None)
        data = xarray.open_zarr(self.at(version), chunks=None, decode_cf=False, zarr_format=version)
        for name in set(data.variables) - hidden - self.refused:
            if not np.array_equal(data[name].values, group[name][...], equal_nan=data[name].dtype.kind in 'fc'):
                raise Differ(f'v{version}: xarray reads another {name}')
        self.counts['xarray'] += 1

    def check_array(self, array, expected, version, name=None, valid=None):
        what = f'v{version} {name or ""}'
        try:
            values = array[...] if array.shape else np.asarray(array[()])
        except Exception as error:
            if '422' not in str(error) or not any(isinstance(value, dict) and 'hex' in value for value in expected):
                raise
            self.refused.add(name)
            self.counts['text that is no UTF-8 refused with 422'] += 1
            return
        compare(values, expected, f'zarr-python {what}', valid)
        self.counts['zarr-python'] += 1
        self.counts['values'] += len(expected)
        with zarr.config.set({'codec_pipeline.path': PIPELINES['zarrs']}):
            again = zarr.open_array(self.at(version, *([name] if name else [])), mode='r', zarr_format=version)
            again = again[...] if again.shape else np.asarray(again[()])
        if values.dtype != again.dtype or values.tobytes() != again.tobytes() and not np.array_equal(values, again):
            raise Differ(f'zarrs {what}: other values')
        self.counts['zarrs'] += 1
        if values.dtype.kind in 'biufc':
            url = self.at(version, *([name] if name else [])) + '/'
            base, path = url.split('/v', 1)
            opened = tensorstore.open({'driver': 'zarr3' if version == 3 else 'zarr', 'kvstore': {'driver': 'http', 'base_url': f'{base}/v{path}'}}, open=True, read=True).result()
            read = opened.read().result()
            if read.shape != values.shape or not np.array_equal(read, values, equal_nan=values.dtype.kind in 'fc'):
                raise Differ(f'tensorstore {what}: other values')
            self.counts['tensorstore'] += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tegula')
    parser.add_argument('corpus')
    parser.add_argument('--each', type=int, default=14)
    parser.add_argument('--only', default='')
    args = parser.parse_args()
    corpus = pathlib.Path(args.corpus).resolve()
    counts, failed = collections.Counter(), []
    with Server(args.tegula, corpus) as server:
        for family in FAMILIES:
            folders = sorted(f.parent for f in (corpus / family).glob('*/case.json') if args.only in str(f))
            for folder in folders[::max(1, len(folders) // args.each)]:
                case = Case(args.tegula, corpus, folder, server.url, counts)
                if case.expected is None:
                    counts['cases that do not open'] += 1
                    continue
                counts[f'cases of {family}'] += 1
                try:
                    case.check()
                except Exception as error:  # every client has its own
                    failed.append(f'{case.path}: {type(error).__name__}: {error}')
                    print(failed[-1], file=sys.stderr)
    for name, count in counts.items():
        print(f'{name}: {count}')
    if failed or not counts['zarr-python'] or not counts['tensorstore'] or not counts['zarrs'] or not counts['xarray']:
        raise SystemExit(f'{len(failed)} cases failed')


main()
