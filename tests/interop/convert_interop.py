#!/usr/bin/env python3
"""The command converts small arrays of many kinds between every pair of formats; `diff` finds nothing, and the libraries that
own the formats read the values that were put in. What a format cannot hold is refused by name, and nothing is left behind.

    convert_interop.py build/release/tegula CACHE_FOLDER [--only KIND]

The libraries are those of the other interop tests, below CACHE_FOLDER; one that cannot be had is skipped with a message.
Exit code 1 when a copy differs, or is read as something else.
"""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from old_peers import old_peers
from tiledb_interop import Peer
from tiledb_peers import LATEST, libraries
from zarr_interop import PEERS, environment

FORMATS = ("tiledb", "bcolz", "zarr0", "zarr1", "zarr2", "zarr3")

# A dense array of one field: made in the first format named, and held by all of them.
Kind = collections.namedtuple("Kind", "name type shape tile values formats")
NAN, INF = float("nan"), float("inf")


def numbers(n, step=1, start=0):
    return [start + step * i for i in range(n)]


KINDS = [
    Kind("int32-1d", "int32", [10], "4", numbers(10, 7, -30), FORMATS),
    Kind("uint8-2d", "uint8", [6, 5], "2,5", numbers(30, 8), FORMATS),
    Kind("int64-3d", "int64", [3, 4, 5], "2,3,4", numbers(60, -10**15, 5), FORMATS),
    Kind("uint64-1d", "uint64", [3], "2", [0, 2**63, 2**64 - 1], FORMATS),
    Kind("float64-2d", "float64", [2, 3], "2,2", [1.5, NAN, INF, -INF, -0.0, 5e-324], FORMATS),
    Kind("float32-3d", "float32", [2, 2, 2], "1,2,2", numbers(8, 0.25), FORMATS),
    Kind("bool-2d", "bool", [3, 3], "2,2", [True, False, True, True, True, False, False, False, True], FORMATS),
    Kind("dates", "datetime64[s]", [5], "2", [0, 1, 86400, -5, 2**31], FORMATS),
    Kind("times", "timedelta64[ms]", [4], "3", [0, -1, 10**12, 7], FORMATS),
    Kind("bytes-text", "S5", [4], "3", ["a", "bcdef", "", "g"], FORMATS[::-1]),
    Kind("code-points", "U3", [2, 2], "1,2", ["a", "\u00e9", "", "x\u6728z"], FORMATS[::-1]),
    Kind("big-endian", ">i4", [4], "3", [-1, 2, -3, 4], ("zarr2", "tiledb", "bcolz", "zarr0", "zarr1", "zarr3")),
    Kind("text-2d", "utf8:var", [2, 3], "2,2", ["", "a", "mosa\u00efque", "\u6728", "x" * 99, "\U0001f9e9"], ("zarr3", "zarr2", "tiledb")),
]

# (source, options, status, what the message names); the sources are made by make_others().
REFUSALS = [
    ("sparse", ["--to", "zarr3"], 3, "sparse"),
    ("sparse", ["--to", "bcolz"], 3, "dimensions, which become columns"),
    ("nullable", ["--to", "zarr2"], 3, "nulls of 'v'"),
    ("nullable", ["--to", "bcolz"], 3, "nulls of 'v'"),
    ("nullable", ["--to", "zarr3"], 3, "the domain of 'x', which does not start at 0"),
    ("fields-2d", ["--to", "bcolz"], 3, "any length"),
    ("text-2d", ["--to", "bcolz"], 3, "any length"),
    ("text-2d", ["--to", "zarr0"], 3, "any length"),
    ("text-2d", ["--to", "zarr1"], 3, "any length"),
    ("history", ["--to", "zarr3"], 3, "history of 2 fragments"),
    ("records", ["--to", "tiledb"], 3, "no type"),
    ("scalar", ["--to", "tiledb"], 3, "no dimensions"),
    ("scalar", ["--to", "bcolz"], 3, "no dimensions"),
    ("complex", ["--to", "tiledb"], 3, "no type"),
]

# (name, source, options, fields the copy must have)
WHOLES = [
    ("table-tiledb", "table", ["--to", "tiledb"], {"name": ["Ada", "Grace", "Alan"], "age": [36, 85, 41], "height": [1.5, NAN, 1.75]}),
    ("table-again", "table-tiledb", ["--to", "bcolz"], {"name": ["Ada", "Grace", "Alan"], "age": [36, 85, 41], "height": [1.5, NAN, 1.75]}),
    ("table-field", "table", ["--to", "zarr3", "--field", "age"], {"": [36, 85, 41]}),
    ("table-rechunked", "table", ["--tile", "1"], {"name": ["Ada", "Grace", "Alan"], "age": [36, 85, 41], "height": [1.5, NAN, 1.75]}),
    ("sparse-tiledb", "sparse", ["--format-version", "18"], {"x": [2, 5, 90], "y": ["a", "b", "b"], "v": [2.5, 1.5, INF]}),
    ("sparse-table", "sparse-fixed", ["--to", "bcolz", "--lossy"], {"x": [2, 5, 90], "v": [20, 50, 900]}),
    ("nullable-tiledb", "nullable", ["--tile", "3"], {"v": [1, None, 3, None]}),
    ("nullable-zarr", "nullable", ["--to", "zarr3", "--lossy"], {"": [1, 0, 3, 0]}),
    ("nullable-bcolz", "nullable", ["--to", "bcolz", "--lossy"], {"": [1, 0, 3, 0]}),
    ("fields-tiledb", "fields-2d", ["--tile", "2,1"], {"a": [1, 2, 3, 4], "b": [0.5, 1.5, 2.5, 3.5], "c": ["p", "qq", "", "rrr"]}),
    ("fields-zarr", "fields-2d", ["--to", "zarr2", "--field", "b"], {"": [0.5, 1.5, 2.5, 3.5]}),
    # Tiles that go over as they are.
    ("sparse-passed", "sparse", [], {"x": [2, 5, 90], "y": ["a", "b", "b"], "v": [2.5, 1.5, INF]}),
    ("nullable-passed", "nullable", [], {"v": [1, None, 3, None]}),
    ("fields-passed", "fields-2d", [], {"a": [1, 2, 3, 4], "b": [0.5, 1.5, 2.5, 3.5], "c": ["p", "qq", "", "rrr"]}),
    ("field-passed", "fields-2d", ["--field", "c"], {"c": ["p", "qq", "", "rrr"]}),
    ("history-passed", "history", ["--lossy"], {"": [7, 8, 3, 4]}),
    ("history-zarr", "history", ["--to", "zarr2", "--lossy"], {"": [7, 8, 3, 4]}),
]

# Where cells of a huge dense domain are written, and which.
ENDLESS = [(3, [1, 2, 3]), (3 * 10**18, [4, 5])]

READER = r"""
import json, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
peer, list_file = sys.argv[1:3]
package = __import__("bcolz" if peer.startswith("bcolz") else "zarr")


def plain(a):
    a = np.asarray(a)
    if a.dtype.kind in "mM":
        a = a.astype("i8")
    cells = a.ravel().tolist()
    if a.dtype.kind == "S":
        cells = [c.decode() for c in cells]
    elif a.dtype.kind not in "biuf":
        cells = [str(c) for c in cells]
    return {"shape": list(a.shape), "values": cells}


def load(path):
    if peer == "zarr-0.4.0":
        return {"": plain(package.open(path, mode="r", synchronized=False)[:])}
    if not peer.startswith("bcolz"):
        return {"": plain(package.open(path, mode="r")[...])}
    found = package.open(path, mode="r")
    if isinstance(found, package.ctable):
        return {name: plain(found[name][:]) for name in found.names}
    return {"": plain(found[:])}


answers = []
for path in json.load(open(list_file)):
    try:
        answers.append(load(path))
    except Exception as error:
        answers.append({"error": "%s: %s" % (type(error).__name__, error)})
print(json.dumps(answers))
"""


def normal(value):
    """Cells of all libraries in one spelling."""
    if isinstance(value, dict):  # bytes that libtiledb's side shows as such: U's code points, or text with trailing zeros
        raw = bytes.fromhex(value["hex"])
        wide = raw and len(raw) % 4 == 0 and not any(raw[3::4]) and max(raw[2::4]) <= 0x10
        return raw.decode("utf-32-le" if wide else "utf-8").rstrip("\0")
    if isinstance(value, str):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(value, value)
    if isinstance(value, list):
        return [normal(v) for v in value]
    return None if value is None else json.dumps(int(value) if isinstance(value, bool) else value)


class Run:
    def __init__(self, tegula, cache, folder, only):
        self.tegula, self.cache, self.folder, self.only = os.path.abspath(tegula), os.path.abspath(cache), folder, only
        self.copies = collections.defaultdict(list)  # format -> [(name, shape or None, fields)]
        self.converted = self.bad = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, *args):
        return subprocess.run([self.tegula, *args], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)

    def must(self, *args):
        done = self.command(*args)
        if done.returncode:
            raise AssertionError(f"tegula {' '.join(args)}: {done.stdout}{done.stderr}")

    def wrong(self, text):
        self.bad += 1
        print("  " + text)

    def make(self, name, document, *flags):
        with open(self.path(name + ".json"), "w") as out:
            json.dump(document, out)
        self.must("create", name, name + ".json", *flags)

    def make_kind(self, kind):
        spelled = ["nan" if v != v else ("inf" if v > 0 else "-inf") if v in (INF, -INF) else v for v in kind.values]
        self.make(kind.name, {"": spelled}, "--format", kind.formats[0], "--shape", ",".join(map(str, kind.shape)), "--type", kind.type, "--tile", kind.tile)

    def make_others(self):
        self.make("table", [{"name": "Ada", "age": 36, "height": 1.5}, {"name": "Grace", "age": 85, "height": "nan"}, {"name": "Alan", "age": 41, "height": 1.75}],
                  "--format", "bcolz", "--table", "-a", "name:S12", "-a", "age:int32", "-a", "height:float64", "--tile", "2")
        self.make("sparse", {"x": [5, 2, 90], "y": ["b", "a", "b"], "v": [1.5, 2.5, "inf"]},
                  "--format", "tiledb", "--sparse", "-d", "x:int32:1:100:10", "-d", "y:ascii", "-a", "v:float64")
        self.make("sparse-fixed", {"x": [5, 2, 90], "v": [50, 20, 900]}, "--format", "tiledb", "--sparse", "-d", "x:int32:1:100:10", "-a", "v:int16")
        self.make("nullable", {"v": [1, None, 3, None]}, "--format", "tiledb", "-d", "x:int32:1:4:2", "-a", "v:int32:nullable")
        self.make("fields-2d", {"a": [1, 2, 3, 4], "b": [0.5, 1.5, 2.5, 3.5], "c": ["p", "qq", "", "rrr"]},
                  "--format", "tiledb", "-d", "x:int32:0:1:1", "-d", "y:int32:0:1:2", "-a", "a:int32", "-a", "b:float64", "-a", "c:utf8:var")
        self.make("history", {"": [1, 2, 3, 4]}, "--format", "tiledb", "--shape", "4", "--type", "int32", "--tile", "2", "--at", "1000")
        with open(self.path("more.json"), "w") as out:
            json.dump({"": [7, 8]}, out)
        self.must("write", "history", "more.json", "--select", "[0:2]", "--at", "2000")
        self.make("scalar", {"": [7]}, "--format", "zarr3", "--shape", "[]", "--type", "int32")
        self.must("create", "complex", "--format", "zarr2", "--shape", "3", "--type", "complex128")
        self.must("create", "records", "--format", "zarr2", "--shape", "3", "--type", "[('a', '<i4'), ('b', '<f8')]")

    def endless(self):
        """A dense domain with a few cells that were written, far apart."""
        self.must("create", "endless", "--format", "tiledb", "-d", "x:int64:0:4000000000000000000:4", "-a", "v:int32")
        for at, values in ENDLESS:
            with open(self.path("more.json"), "w") as out:
                json.dump({"v": values}, out)
            self.must("write", "endless", "more.json", "--select", f"[{at}:{at + len(values)}]")
        for target in ("tiledb", "zarr2", "zarr3"):
            name = "endless." + target
            self.must("convert", "endless", name, "--to", target, "--lossy", "--verify")
            self.must("diff", "endless", name)
            self.converted += 1

    def copy(self, source, name, flags, target, shape, fields):
        lossy = "--lossy" in flags or "--field" in flags  # which diff would show
        done = self.command("convert", source, name, *flags, *(["--verify"] if lossy else []))
        self.converted += 1
        if done.returncode:
            return self.wrong(f"{source} to {name} {' '.join(flags)}: {done.stdout}{done.stderr}".rstrip())
        if name.endswith("-passed") and "tiles copied as they are" not in done.stdout:
            self.wrong(f"{source} to {name}: no tile was copied as it is: {done.stdout}".rstrip())
        if not lossy:
            seen = self.command("diff", source, name)
            if seen.returncode:
                return self.wrong(f"{source} and {name} differ: {seen.stdout}{seen.stderr}".rstrip())
        self.copies[target].append((name, shape, fields))

    def every_pair(self, kind):
        self.make_kind(kind)
        for source in kind.formats:
            start = f"{kind.name}.{source}"
            self.copy(kind.name, start, ["--to", source], source, kind.shape, {"": kind.values})
            for target in kind.formats:
                self.copy(start, f"{start}.{target}", ["--to", target], target, kind.shape, {"": kind.values})
            coarse = ",".join(map(str, kind.shape))
            self.copy(start, start + ".rechunked", ["--tile", coarse], source, kind.shape, {"": kind.values})

    def refusals(self):
        for source, flags, status, text in REFUSALS:
            done = self.command("convert", source, "refused", *flags)
            if done.returncode != status or text not in done.stderr:
                self.wrong(f"{source} {' '.join(flags)}: status {done.returncode}, not {status}, or without '{text}': {done.stderr}".rstrip())
            if os.path.exists(self.path("refused")):
                self.wrong(f"{source} {' '.join(flags)}: was refused and left something behind")
                shutil.rmtree(self.path("refused"))

    def convert(self):
        for kind in KINDS:
            if self.only in (None, kind.name):
                self.every_pair(kind)
        if self.only:
            return
        self.make_others()
        for name, source, flags, fields in WHOLES:
            asked = flags[flags.index("--to") + 1] if "--to" in flags else "bcolz" if source == "table" else "tiledb"
            self.copy(source, name, flags, asked, None, fields)
        self.refusals()
        self.endless()

    def compare(self, peer, copies, answers):
        good = 0
        for (name, shape, fields), answer in zip(copies, answers):
            if "error" in answer:
                self.wrong(f"{peer} refuses {name}: {answer['error'][-300:]}")
                continue
            have = {n: normal(f["values"]) for n, f in answer.items()}
            want = {n: normal(v) for n, v in fields.items()}
            shapes = [f["shape"] for f in answer.values() if f["shape"] is not None]
            if have != want or (shape is not None and any(s != shape for s in shapes)):
                self.wrong(f"{peer} reads {name} as {have} {shapes}, not {want} {shape}")
            else:
                good += 1
        print(f"{peer}: {good} of {len(copies)} read right")

    def ask(self, peer, python, path, formats):
        copies = [c for f in formats for c in self.copies[f]]
        listing = self.path("list.json")
        with open(listing, "w") as out:
            json.dump([self.path(name) for name, _, _ in copies], out)
        done = subprocess.run([python, "-c", READER, peer, listing], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}, timeout=600)
        if done.returncode:
            return self.wrong(f"{peer} failed")
        self.compare(peer, copies, json.loads(done.stdout))

    def ask_tiledb(self):
        library = libraries(self.cache).get(LATEST[0])
        if not library:
            return
        peer = Peer(LATEST[0], [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tiledb_capi.py"), library])
        answers = []
        for name, _, fields in self.copies["tiledb"]:
            answer = peer.ask({"do": "read", "uri": self.path(name), "layout": "row-major"})
            if "error" not in answer:
                # libtiledb shows the dimensions of dense arrays as well when they are asked for; fields that were not put in do not count.
                answer = {n: {"shape": None, "values": v} for n, v in answer["fields"].items() if n in fields}
            answers.append(answer)
        if not self.only:
            for at, values in ENDLESS:
                answer = peer.ask({"do": "read", "uri": self.path("endless.tiledb"), "layout": "row-major", "ranges": {"x": [at - 1, at + len(values)]}})
                if answer.get("fields", {}).get("v", [])[1:-1] != values:
                    self.wrong(f"libtiledb reads the cells of the endless domain at {at} as {answer}, not {values}")
        peer.close()
        self.compare("libtiledb " + LATEST[0], self.copies["tiledb"], answers)

    def ask_all(self):
        self.ask_tiledb()
        for name, formats in (("zarr-2.18", ["zarr2"]), ("zarr-3", ["zarr2", "zarr3"])):
            python = environment(self.cache, name, PEERS[name])
            if python:
                self.ask(name, python, "", formats)
        python = os.path.join(self.cache, "bcolz", "bin", "python")  # which `run` has made
        if os.path.exists(python):
            self.ask("bcolz-zipline", python, "", ["bcolz"])
        for (package, release), (python, folder) in old_peers(self.cache).items():
            self.ask(f"{package}-{release}", python, folder, {"bcolz": ["bcolz"], "zarr": ["zarr0" if release < "1" else "zarr1"]}[package])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tegula")
    parser.add_argument("cache")
    parser.add_argument("--only", help="one kind of array")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="tegula-convert-interop-")
    try:
        run = Run(options.tegula, options.cache, folder, options.only)
        run.convert()
        print(f"tegula converted {run.converted} times, {run.bad} problems")
        run.ask_all()
        return int(run.bad != 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
