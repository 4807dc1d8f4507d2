#!/usr/bin/env python3
"""Writes zarr arrays with tegula for every element type x codec x version and reads them with the libraries that own the
formats. Needs the program zarr_tool and the network (PyPI) for the libraries:

    zarr_interop.py build/release/zarr_tool CACHE_FOLDER [--only zarr3]

The libraries are installed once, into virtual environments below CACHE_FOLDER; one that cannot be installed is skipped with
a message; zarr 0.4 and 1.1 need a Python 3.7 (old_peers.py). Exit code 1 when a library reads something else than what was
written.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from old_peers import old_peers

PEERS = {
    "zarr-2.18": ["zarr==2.18.7", "numcodecs==0.15.1"],
    "zarr-3": ["zarr>=3.1,<3.2"],
    "tensorstore": ["tensorstore", "numpy"],
    "zarrs": ["zarr>=3.1,<3.2", "zarrs"],
}
MAKER = ["numpy"]
READS = {  # the formats of each; those not named here read 2 and 3
    "zarr-0.4.0": ["zarr0"], "zarr-1.1.0": ["zarr1"], "zarr-2.18": ["zarr2"],
}

SIMPLE = ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]
OTHERS = ["|S5", "<U3", "|V5", "<M8[D]", "<M8[ns]", "<m8[s]", "[('a', '<i4'), ('b', '<f8'), ('c', '|S3')]"]
BIG = [">i4", ">f8", ">u2"]
BLOSC = [{"name": "blosc", "options": {"cname": c, "clevel": 5, "shuffle": s}} for c in ("blosclz", "lz4", "lz4hc", "zlib", "zstd") for s in (0, 1, 2)]
OLD_BLOSC = [b for b in BLOSC if b["options"]["cname"] != "zstd"]
COMPRESSORS = [{"name": n} for n in ("zstd", "gzip", "zlib", "lz4", "bz2", "lzma")] + BLOSC


def chains(version):
    """Lists of filters to try with int32."""
    if version == "zarr0":
        yield from ([b] for b in OLD_BLOSC)
    elif version == "zarr1":
        yield []
        yield from ([b] for b in OLD_BLOSC)
        for n in ("zlib", "bz2", "lzma"):
            yield [{"name": n}]
        yield [{"name": "zlib", "options": {"level": 9}}]
    elif version == "zarr2":
        yield []
        for c in COMPRESSORS:
            yield [c]
        for f in ("delta", "shuffle", "crc32", "adler32", "fletcher32", "jenkins_lookup3"):
            yield [{"name": f}, {"name": "zstd"}]
        yield [{"name": "zlib", "options": {"level": 9}}]
        yield [{"name": "astype", "options": {"encode_dtype": "<i8", "decode_dtype": "<i4"}}, {"name": "zlib"}]
        yield [{"name": "fixedscaleoffset", "options": {"scale": 1, "offset": 3, "dtype": "<i4", "astype": "<i4"}}]
    else:
        yield []
        for n in ("zstd", "gzip", "crc32c"):
            yield [{"name": n}]
        yield [{"name": "gzip"}, {"name": "crc32c"}]
        for b in BLOSC:
            yield [b]
        for n in ("zlib", "bz2", "lzma", "lz4"):
            yield [{"name": n}]
        yield [{"name": "bytes", "options": {"endian": "big"}}, {"name": "zstd"}]
        for where in ("start", "end"):
            yield [{"name": "sharding", "options": {"chunk_shape": [2, 3], "index_location": where}}, {"name": "zstd"}]
        yield [{"name": "sharding", "options": {"chunk_shape": [2, 3]}}, {"name": "blosc"}]
        yield [{"name": "sharding", "options": {"chunk_shape": [2, 3]}}]


def cases(version):
    old = version in ("zarr0", "zarr1")
    base = {"format": version, "shape": [11, 14], "chunks": [4, 6], "order": "C", "filters": [{"name": "blosc" if old else "zstd"}]}
    for chain in chains(version):
        yield dict(base, dtype="<i4", filters=chain)
        yield dict(base, dtype="<f8", filters=chain) if not any(f["name"] in ("astype", "fixedscaleoffset") for f in chain) else dict(base, dtype="<i4", filters=chain, order="F")
    for dtype in SIMPLE + OTHERS + (BIG if version != "zarr3" else []):
        if version == "zarr1" and dtype[1:2] in "mM":               # its Blosc refuses dates
            yield dict(base, dtype=dtype, filters=[{"name": "zlib"}])
            continue
        for chain in ([[{"name": "blosc"}]] if old else ([], [{"name": "zstd"}], [{"name": "blosc"}])):
            yield dict(base, dtype=dtype, filters=chain)
        if version != "zarr0":
            yield dict(base, dtype=dtype, order="F")
    for shape, chunks in (([7], [3]), *([] if old else [([], [])]), ([0, 4], [3, 4]), ([3, 4, 5, 2], [2, 2, 2, 2]), ([2, 3], [10, 10])):
        yield dict(base, dtype="<i4", shape=shape, chunks=chunks)
    if not old:
        yield dict(base, dtype="text", shape=[9], chunks=[4], cells=["", "a", "mosa\u00efque", "\u6728", "x" * 99, "b", "\U0001f9e9", "", "end"])


READER = r"""
import json, sys, warnings


def lacks(peer, case):
    # What a library is known not to have; it must read everything else.
    kind = case["dtype"].lstrip("<>|")[0]
    names = {f["name"] for f in case["filters"]}
    number = case["dtype"] != "text" and kind in "biufc"
    if peer == "tensorstore":
        package = names & {"lz4", "lzma", "delta", "shuffle", "crc32", "adler32", "fletcher32", "jenkins_lookup3", "astype", "fixedscaleoffset"}
        return not number or bool(package) or (case["format"] == "zarr3" and bool(names & {"zlib", "bz2"}))
    if peer == "zarr-1.1.0":
        return 0 in case["shape"]
    if peer == "zarrs":
        return case["format"] == "zarr2" and (case["dtype"].startswith(">") or case["order"] == "F")
    return False


import numpy as np
warnings.simplefilter("ignore")
peer, list_file = sys.argv[1:3]
if peer == "tensorstore":
    import tensorstore
elif peer:
    import zarr
if peer == "zarrs":
    import zarrs
    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
good = bad = refused = 0
for case in json.load(open(list_file)):
    label = " ".join([case["format"], case["dtype"], case["order"], str(case["shape"]), json.dumps(case["filters"])])
    try:
        if peer == "tensorstore":
            driver = "zarr3" if case["format"] == "zarr3" else "zarr"
            got = tensorstore.open({"driver": driver, "kvstore": {"driver": "file", "path": case["path"]}}, read=True).result().read().result()
        elif peer == "zarr-0.4.0":
            got = zarr.open(case["path"], mode="r", synchronized=False)[:]
        else:
            got = zarr.open(case["path"], mode="r")[...]
    except Exception as error:
        refused += 1
        if not lacks(peer, case):
            bad += 1
            print(f"  {peer} refuses {label}: {str(error)[-200:] or type(error).__name__}")
        continue
    got = np.asarray(got)
    if case["dtype"] == "text":
        same = [str(x) for x in got.ravel().tolist()] == case["cells"]
    else:
        dtype = np.dtype(eval(case["dtype"]) if case["dtype"].startswith("[") else case["dtype"])
        want = np.fromfile(case["data"], dtype=dtype).reshape(case["shape"])
        if peer == "tensorstore" and got.dtype != dtype and dtype.kind not in "biufc":
            refused += 1
            continue
        same = got.shape == want.shape and np.ascontiguousarray(got.astype(dtype)).tobytes() == want.tobytes()
    good, bad = good + same, bad + (not same)
    if not same:
        print(f"  {peer} READS WRONG {label}")
print(f"{peer}: {good} read right, {bad} wrong, {refused} refused")
sys.exit(bad != 0)
"""

MAKER_CODE = r"""
import json, sys
import numpy as np
rng = np.random.default_rng(7)
jobs = json.load(open(sys.argv[1]))
for case in jobs:
    if case["dtype"] == "text":
        continue
    dtype = np.dtype(eval(case["dtype"]) if case["dtype"].startswith("[") else case["dtype"])
    n = int(np.prod(case["shape"], dtype=int))
    steps = np.cumsum(rng.integers(0, 3, max(n, 1)))[:n]
    if dtype.kind == "b":
        values = steps % 2 == 0
    elif dtype.names:
        values = np.zeros(n, dtype)
        values["a"], values["b"], values["c"] = steps, steps / 4, [b"c%d" % (s % 10) for s in steps]
    elif dtype.kind in "SU":
        values = np.array([str(s) for s in steps], dtype=dtype)
    elif dtype.kind == "V":
        values = np.frombuffer(rng.bytes(n * dtype.itemsize), dtype=dtype)
    elif dtype.kind in "mM":
        values = steps.astype("i8").view(dtype)
    else:
        values = (steps % 100).astype(dtype)
    np.ascontiguousarray(values, dtype=dtype).tofile(case["data"])
"""


def environment(cache, name, packages):
    """The Python of a virtual environment with the packages, or None."""
    folder = os.path.join(cache, name)
    python = os.path.join(folder, "bin", "python")
    if os.path.exists(os.path.join(folder, "ready")):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, capture_output=True, timeout=600)
    except (subprocess.SubprocessError, OSError) as error:
        reason = (getattr(error, "stderr", b"") or b"").decode(errors="replace").strip().splitlines()
        print(f"skipped: {name} cannot be installed ({reason[-1] if reason else error})")
        return None
    open(os.path.join(folder, "ready"), "w").close()
    return python


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("cache")
    parser.add_argument("--only", help="zarr0, zarr1, zarr2 or zarr3")
    options = parser.parse_args()
    maker = environment(options.cache, "numpy", MAKER)
    if not maker:
        return 0
    work = tempfile.mkdtemp(prefix="tegula-zarr-interop-")
    try:
        jobs = [c for v in ("zarr0", "zarr1", "zarr2", "zarr3") if options.only in (None, v) for c in cases(v)]
        for i, job in enumerate(jobs):
            job.update(path=os.path.join(work, f"{i}.zarr"), data=os.path.join(work, f"{i}.raw"))
        listing = os.path.join(work, "jobs.json")
        with open(listing, "w") as out:
            json.dump(jobs, out)
        subprocess.run([maker, "-c", MAKER_CODE, listing], check=True)
        wrote = subprocess.run([options.tool, listing], stdout=subprocess.PIPE, text=True)
        print(f"tegula wrote {len(jobs)} arrays")
        sys.stdout.write(wrote.stdout)
        status = int(wrote.returncode != 0)
        old = {f"{package}-{release}": where for (package, release), where in old_peers(options.cache).items() if package == "zarr"}
        for peer in [*PEERS, *old]:
            part = [j for j in jobs if j["format"] in READS.get(peer, ["zarr2", "zarr3"])]
            python, path = old.get(peer) or (part and environment(options.cache, peer, PEERS[peer]), "")
            if not python or not part:
                continue
            name = os.path.join(work, peer + ".json")
            with open(name, "w") as out:
                json.dump(part, out)
            status |= subprocess.run([python, "-c", READER, peer, name], env={**os.environ, "PYTHONPATH": path}).returncode != 0
        return int(status)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
