#!/usr/bin/env python3
"""What tegula writes, the real bcolz reads and goes on with; what bcolz then leaves, tegula reads.

usage: bcolz_interop.py BCOLZ_WRITER [--keep DIR]

Runs under a Python that has bcolz or bcolz-zipline (pip install bcolz-zipline); says so and ends with status 77,
which test runners take for "skipped", when there is neither.
"""
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import bcolz
    import numpy as np
except Exception as error:  # old builds fail in many ways
    print('skipped: no bcolz here (%s); pip install bcolz-zipline gives one' % error)
    sys.exit(77)


def load(path):
    with open(path, 'rb') as f:
        return f.read()


def save(path, data):
    with open(path, 'wb') as f:
        f.write(data)


def go_on(array, raw):
    """Compares a carray with its bytes, appends five rows, trims two, assigns one; returns the bytes it must have."""
    got = np.ascontiguousarray(array[:]).tobytes()
    if got != raw:
        raise AssertionError('values differ')
    rows = array[:5]
    if len(rows):
        array.append(rows)
        array.trim(min(2, len(rows) - 1))
        array[0] = array[len(array) - 1]
        array.flush()
    return np.ascontiguousarray(array[:]).tobytes()


def main():
    writer = os.path.abspath(sys.argv[1])
    keep = sys.argv[2:3] == ['--keep']
    folder = sys.argv[3] if keep else tempfile.mkdtemp(prefix='bcolz-interop-')
    os.makedirs(folder, exist_ok=True)
    subprocess.run([writer, 'write', folder], check=True)
    bad = done = skipped = 0
    for name in sorted(f[:-4] for f in os.listdir(folder) if f.endswith('.raw') and not f.startswith('table.')):
        raw_file = os.path.join(folder, name + '.raw')
        try:
            array = bcolz.open(os.path.join(folder, name), mode='a')
        except ValueError as error:
            if 'ompressor' not in str(error):
                raise
            skipped += 1  # a codec that this build lacks
            continue
        try:
            save(raw_file, go_on(array, load(raw_file)))
            done += 1
        except Exception as error:
            bad += 1
            print('%s (%s): %s: %s' % (name, load(raw_file[:-4] + '.dtype').decode(), type(error).__name__, error))
    table = bcolz.open(os.path.join(folder, 'table'), mode='a')
    for name in table.names:
        if np.ascontiguousarray(table[name][:]).tobytes() != load(os.path.join(folder, 'table.%s.raw' % name)):
            bad += 1
            print('table: column %s differs' % name)
    table.append(table[:100])
    table.trim(7)
    table.flush()
    for name in table.names:
        save(os.path.join(folder, 'table.%s.raw' % name), np.ascontiguousarray(table[name][:]).tobytes())
    if subprocess.run([writer, 'check', folder]).returncode:
        bad += 1
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    print('bcolz %s: %d carrays and a table went both ways, %d skipped, %d problems' % (bcolz.__version__, done, skipped, bad))
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
