#!/usr/bin/env python3
"""Unpacks the corpus, or the parts named (`unpack.py DIR bcolz tiledb-v03`), below DIR. Parts that are there already stay."""
import pathlib, sys, tarfile

HERE = pathlib.Path(__file__).resolve().parent


def unpack(folder, parts=()):
    folder = pathlib.Path(folder)
    for part in parts or sorted(p.name[:-len('.tar.xz')] for p in HERE.glob('*.tar.xz')):
        packed = HERE / f'{part}.tar.xz'
        mark = folder / f'.{part}-{packed.stat().st_size}'
        if mark.exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(packed) as tar:
            tar.extractall(folder)
        mark.touch()
    return folder


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    unpack(sys.argv[1], sys.argv[2:])
