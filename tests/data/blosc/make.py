"""Takes the Blosc chunks out of bcolz arrays: make.py CORPUS CASE... (folders with array/data/__N.blp and case.json).

<case>.blosc holds the chunks of one array one behind the other, without bcolz' 16-byte file headers. cases.txt has a line for
each: name, 1 when the chunks were damaged by C-Blosc 1.4 (rescue), raw bytes, SHA-256 of all raw bytes as the writer
of the array knew them, writer.
"""
import json
import pathlib
import sys

here = pathlib.Path(__file__).parent
corpus = pathlib.Path(sys.argv[1])
lines = []
for case in sys.argv[2:]:
    told = json.loads((corpus / case / "case.json").read_text())
    files = sorted((corpus / case / "array" / "data").glob("__*.blp"), key=lambda p: int(p.stem[2:]))
    (here / f"{case}.blosc").write_bytes(b"".join(p.read_bytes()[16:] for p in files))
    lines.append(f"{case} {int(told.get('rescue', False))} {told['schema']['nbytes']} {told['sha256']} {told['writer']}\n")
(here / "cases.txt").write_text("".join(lines))
