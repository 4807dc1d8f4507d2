#!/usr/bin/env python3
"""Random arrays that tegula and the last libtiledb write, consolidate and vacuum in turns read the same from both.

    tiledb_random.py build/release/tiledb_tool CACHE_FOLDER [--first SEED] [--seeds N] [--keep DIR]

A seed stands for one array: its schema, what is done to it and by whom, and what is asked. Exit code 1, with the seed, when
the answers differ or one side refuses what the other does. What libtiledb is known to get wrong is not generated
(docs/compatibility.md lists it).
"""
import argparse
import os
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import tiledb_peers
from tiledb_cases import FLOATS, INTEGERS, attr, box_write, chain, dim
from tiledb_capi import TYPES
from tiledb_interop import HERE, Peer, Wrong, must
from tiledb_model import Values, normal, rows

VERSION = 22
DATES = [t for t in TYPES if t.startswith(("datetime_", "time_"))]
COMPRESSORS = ("gzip", "zstd", "lz4", "bzip2", "rle")
SHUFFLES = ("byteshuffle", "bitshuffle", "xor")


class Random(random.Random):
    def chance(self, p):
        return self.random() < p

    def span(self, low, high):
        return sorted((self.randint(low, high), self.randint(low, high)))


def filters_of(r, type, per_cell):
    """A chain that holds every value: those that need rising or small ones have cases of their own."""
    if type in ("string_ascii", "string_utf8") and per_cell == "var" and r.chance(0.5):
        return chain(r.choice(("rle", "dictionary")), *r.sample(("zstd", "checksum_md5"), r.randint(0, 2)))
    if per_cell == "var":                                           # libtiledb cannot read empty tiles that were shuffled or xored
        return chain(r.choice(("gzip", "zstd", "lz4", "bzip2"))) if r.chance(0.5) else None
    names = [r.choice(SHUFFLES)] if r.chance(0.4) else []
    if r.chance(0.5):
        names.append(r.choice([c for c in COMPRESSORS if c != "rle" or not names]))
    if r.chance(0.2):
        names.append(r.choice(("checksum_md5", "checksum_sha256")))
    return chain(*names) if names else None


def attribute(r, name):
    type = r.choice([t for t in TYPES if t != "any"] + INTEGERS + FLOATS + ["string_ascii"] * 6)
    per_cell = "var" if type == "string_ascii" and r.chance(0.7) else r.choice((1, 1, 1, 2, 3, "var"))
    return attr(name, type, per_cell, r.chance(0.3), filters_of(r, type, per_cell))


def dimension(r, name, type, cells):
    if type == "string_ascii":
        return dim(name, type)
    if type in FLOATS:
        return dim(name, type, (-10.5, 9.5), r.choice((20.0, 5.0)))
    size = r.randint(1, cells)
    low = r.choice((0, 1, -r.randint(0, size))) if not type.startswith("u") else r.choice((0, 1, 7))
    return dim(name, type, (low, low + size - 1), r.randint(1, size))


def schema_of(r):
    sparse, n = r.chance(0.5), r.choice((1, 2, 2, 3))
    if sparse:
        types = [r.choice(INTEGERS + FLOATS + DATES + ["string_ascii"] * 8) for _ in range(n)]
    else:
        types = [r.choice(INTEGERS + DATES)] * n
    cells = {1: 60, 2: 18, 3: 8}[n]
    s = dict(type="sparse" if sparse else "dense", dims=[dimension(r, f"d{i}", t, cells) for i, t in enumerate(types)],
             attrs=[attribute(r, f"a{i}") for i in range(r.randint(1, 4))],
             cell_order=r.choice(("row-major", "col-major", *(["hilbert"] if sparse else []))), tile_order=r.choice(("row-major", "col-major")))
    if sparse:
        s.update(capacity=r.choice((1, 2, 7, 50, 1000)), allows_dups=r.chance(0.2))
    return s


def coordinate(r, d):
    if d["type"] == "string_ascii":
        return "".join(r.choice("abc~ 0") for _ in range(r.choice((0, 1, 2, 9))))
    low, high = d["domain"]
    return low + (high - low) * r.randint(0, 16) / 16 if d["type"] in FLOATS else r.randint(low, high)


def write_of(r, s, at):
    values = Values(r.random())
    if s["type"] == "dense":
        return box_write(s, {d["name"]: r.span(*d["domain"]) for d in s["dims"]}, at, values, r.choice(("row-major", "col-major")))
    places = list(dict.fromkeys(tuple(coordinate(r, d) for d in s["dims"]) for _ in range(r.choice((1, 10, 60)))))
    fields = {d["name"]: [p[i] for p in places] for i, d in enumerate(s["dims"])}
    fields.update({a["name"]: values.column(a, len(places)) for a in s["attrs"]})
    return dict(do="write", at=at, fields=fields)


def steps_of(r, s):
    """Writes at 10, 20, ..., and in between what maintains them. Looks back only where nothing has gone."""
    steps, times = [], []
    for i in range(r.randint(1, 5)):
        if i and r.chance(0.35):
            part = r.choice(("fragments", "fragments", "fragment_meta", "commits"))
            steps.append(dict(do="consolidate", mode=part))
            if r.chance(0.5):
                steps.append(dict(do="vacuum", mode=part))
                times = [] if part == "fragments" else times
        else:
            steps.append(write_of(r, s, 10 * i + 10))
            times.append(10 * i + 10)
    return steps, times


def read_of(r, s, times):
    out, ranges = dict(do="read"), {}
    for d in s["dims"]:
        if d["type"] == "string_ascii":
            if s["cell_order"] != "col-major" and r.chance(0.4):
                ranges[d["name"]] = sorted((coordinate(r, d) or "a", coordinate(r, d) or "b"))
        elif r.chance(0.5):
            ranges[d["name"]] = sorted((coordinate(r, d), coordinate(r, d)))
    if ranges:
        out["ranges"] = ranges
    out["layout"] = r.choice(("row-major", "col-major") if s["type"] == "dense" else ("unordered", "row-major", "global"))
    if times and r.chance(0.3):
        out["open_at"] = [r.choice([0, times[0]]), r.choice(times)]
    return out


def differ(s, read, ours, theirs):
    a, b = ({n: [normal(v) for v in values] for n, values in must(x)["fields"].items()} for x in (ours, theirs))
    if a.keys() != b.keys():
        raise Wrong(f"{read}: fields {list(a)} and {list(b)}")
    if s["type"] == "sparse" and rows(a, list(a)) != rows(b, list(a)):
        raise Wrong(f"{read}: tegula reads {len(a[s['dims'][0]['name']])} cells, libtiledb {len(b[s['dims'][0]['name']])}, or other ones")
    for name in a if s["type"] == "dense" else []:
        if a[name] != b[name]:
            at = next((i for i, (x, y) in enumerate(zip(a[name], b[name])) if x != y), -1)
            raise Wrong(f"{read}: {name}[{at}] is {a[name][at]} to tegula, {b[name][at]} to libtiledb")


def trial(seed, tegula, peer, uri):
    """Returns how many answers were compared."""
    r = Random(seed)
    s = schema_of(r)
    steps, times = steps_of(r, s)
    reads = [read_of(r, s, times) for _ in range(6)]
    must(tegula.ask(dict(do="create", uri=uri, version=VERSION, schema=s, at=1)))
    # A dense write of fewer tiles than attributes can end libtiledb.
    writers = (tegula,) if s["type"] == "dense" and len(s["attrs"]) > 1 else (tegula, peer)
    for step in steps:
        must(r.choice(writers if step["do"] == "write" else (tegula, peer)).ask(dict(step, uri=uri)))
    for read in reads:
        differ(s, read, tegula.ask(dict(read, uri=uri)), peer.ask(dict(read, uri=uri)))
    damage = must(tegula.ask(dict(do="verify", uri=uri)))
    if damage:
        raise Wrong(f"verify finds {damage[:2]}")
    return len(reads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("cache")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=120)
    parser.add_argument("--keep", help="where the arrays go and stay")
    options = parser.parse_args()
    release = tiledb_peers.LATEST[0]
    library = tiledb_peers.libraries(options.cache).get(release)
    if not library:
        return 0                                                    # libraries() has said why
    tegula = Peer("tegula", [os.path.abspath(options.tool)])
    peer = Peer(release, [sys.executable, os.path.join(HERE, "tiledb_capi.py"), library])
    folder = options.keep or tempfile.mkdtemp(prefix="tegula-tiledb-random-")
    os.makedirs(folder, exist_ok=True)
    compared = problems = 0
    try:
        for seed in range(options.first, options.first + options.seeds):
            uri = os.path.join(folder, str(seed))
            try:
                compared += trial(seed, tegula, peer, uri)
            except Wrong as wrong:
                problems += 1
                peer.close()
                print(f"seed {seed}: {wrong}", flush=True)
            if not options.keep:
                shutil.rmtree(uri, ignore_errors=True)
    finally:
        tegula.close()
        peer.close()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{options.seeds} random arrays by tegula and libtiledb {release}: {compared} answers compared, {problems} problems")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
