#!/usr/bin/env python3
"""Makes the archives of this folder with Python's zipfile (made with 3.11): the forms that writers of zarr archives give them, and
some that a reader must refuse. The tests know names and contents: keep the two together."""
import io
import os
import warnings
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATE = (2024, 5, 31, 12, 0, 0)
FILES = {"zarr.json": b'{"zarr_format": 3}', "c/0/0": bytes(range(256)) * 8, "c/0/1": b"", "nested/x/y": b"deep"}


def entry(name, method):
    info = zipfile.ZipInfo(name, DATE)
    info.compress_type = method
    return info


def put(archive, name, data, method=zipfile.ZIP_STORED, **options):
    with archive.open(entry(name, method), "w", **options) as out:
        out.write(data)


def made(name, method=zipfile.ZIP_STORED, folder="", folders=(), comment=b"", prefix=b"", **options):
    """All files by one method, below a folder, with entries for folders, a comment, bytes in front."""
    buffer = io.BytesIO()
    buffer.write(prefix)
    with zipfile.ZipFile(buffer, "a" if prefix else "w") as archive:
        for each in folders:
            archive.writestr(entry(each, zipfile.ZIP_STORED), b"")
        for key, data in FILES.items():
            put(archive, folder + key, data, method, **options)
        archive.comment = comment
    save(name, buffer.getvalue())


def save(name, data):
    with open(os.path.join(HERE, name), "wb") as out:
        out.write(data)


class Unseekable(io.RawIOBase):
    """zipfile writes descriptors behind the members, and no sizes before them."""
    def __init__(self):
        self.data = bytearray()

    def writable(self):
        return True

    def write(self, part):
        self.data += part
        return len(part)


made("stored.zip")
made("deflated.zip", zipfile.ZIP_DEFLATED, folder="top.zarr/", folders=("top.zarr/", "top.zarr/c/", "top.zarr/hollow/"))
made("large_headers.zip", force_zip64=True)  # extra fields that the directory does not have
made("comment.zip", comment=b"PK\5\6 is how an end record begins")
made("prefixed.zip", prefix=b"#!/bin/sh\nexit 0\n")
made("bzip2.zip", zipfile.ZIP_BZIP2)

stream = Unseekable()
with zipfile.ZipFile(stream, "w") as archive:
    for key, data in FILES.items():
        put(archive, key, data, zipfile.ZIP_DEFLATED if key == "c/0/0" else zipfile.ZIP_STORED)
save("descriptors.zip", bytes(stream.data))

buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for data in (b"first", b"second", b"the last one"):
        put(archive, "same", data)
    put(archive, "other", b"1")
save("duplicates.zip", buffer.getvalue())

buffer = io.BytesIO()
with zipfile.ZipFile(buffer, "w"):
    pass
save("empty.zip", buffer.getvalue())
