#!/usr/bin/env python3
"""Arrays of every format version from 3 to 22 that tegula writes are read by tegula, by the libtiledb of that version and by
the last one; those two go on with them (write, consolidate, vacuum), and tegula reads and writes what they leave.

    tiledb_interop.py build/release/tiledb_tool CACHE_FOLDER [--versions 3,22] [--cases dense_,groups] [--keep DIR | --at s3://bucket/folder]

The libraries come from PyPI once, into CACHE_FOLDER; what cannot be had is skipped with a message. Each runs in a process of
its own, so that a crash of theirs is an answer like others. Exit code 1 when something reads as it should not; known_fault
holds what is known to be wrong with a release.
"""
import argparse
import collections
import concurrent.futures
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import tiledb_peers
from tiledb_cases import Case, cases
from tiledb_faults import HANGS, known_fault
from tiledb_model import Model, normal, rows

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT_S = 60
PRIVATE = ("keep", "below", "means")


class Peer:
    """A process that answers requests; one that dies or hangs is started again."""

    def __init__(self, name, command):
        self.name, self.command, self.process = name, command, None
        self.version = tuple(int(x) for x in name.split(".")) if name != "tegula" else None

    def ask(self, request):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        timer = threading.Timer(TIMEOUT_S, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps({k: v for k, v in request.items() if k not in PRIVATE}).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            timer.cancel()
        if not line:
            status = self.process.wait()
            self.process = None
            return {"error": f"crashed or hung (status {status})"}
        return json.loads(line)

    def close(self):
        if self.process:
            self.process.stdin.close()
            try:
                self.process.wait(TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None


class Wrong(Exception):
    pass


def must(answer):
    if isinstance(answer, dict) and "error" in answer:
        raise Wrong(answer["error"].strip()[:400])
    return answer


def compare(model, read, answer, garbage=False):
    """With garbage, var-length cells that were never written may hold anything: they do before 2.1."""
    want = model.read(read.get("open_at"), read.get("means") or read.get("ranges"), read.get("layout"))
    have = {n: [normal(v) for v in values] for n, values in must(answer)["fields"].items()}
    if not set(want) <= set(have):
        raise Wrong(f"fields {sorted(have)}, not {sorted(want)}")
    if model.sparse:
        names = list(want)
        lost, found = rows(want, names), rows(have, names)
        if lost != found:
            extra = [r for r in found if r not in lost][:2]
            raise Wrong(f"{len(found)} cells, not {len(lost)}; lacks {[r for r in lost if r not in found][:2]}, has {extra}")
        return
    for name, values in want.items():
        if garbage and name in model.var:
            have[name] = [w if w == model.var[name] else h for w, h in zip(values, have[name])]
        if values != have[name]:
            at = next((i for i, (x, y) in enumerate(zip(values, have[name])) if x != y), min(len(values), len(have[name])))
            raise Wrong(f"{name}[{at}] is {have[name][at:at + 2]}, not {values[at:at + 2]} (cells {len(have[name])}, {len(values)})")


def compare_schema(schema, seen):
    """What was asked for, in the words of a library, which may know less (and before 2.1 knows no fill values)."""
    defaults = {"tile_order": "row-major", "cell_order": "row-major", "allows_dups": False}
    for key in ("type", "tile_order", "cell_order", "allows_dups", "current_domain", "enumerations"):
        want = schema.get(key, defaults.get(key))
        if key in seen and want is not None and normal(want) != normal(seen[key]):
            raise Wrong(f"{key} is {seen[key]}, not {want}")
    if schema["type"] == "sparse" and seen["capacity"] != schema["capacity"]:
        raise Wrong(f"capacity is {seen['capacity']}")
    for kind in ("dims", "attrs"):
        for want, have in zip(schema[kind], seen[kind]):
            for key in ("name", "type", "cell_val_num", "domain", "extent", "nullable", "fill", "fill_valid", "enumeration"):
                if key in want and key in have and normal(want[key]) != normal(have[key]):
                    raise Wrong(f"{want['name']}: {key} is {have[key]}, not {want[key]}")
        if len(schema[kind]) != len(seen[kind]):
            raise Wrong(f"{len(seen[kind])} {kind}, not {len(schema[kind])}")


class Trial:
    """One format version: its arrays, and who reads them."""

    def __init__(self, version, tool, libraries, folder, pattern):
        self.version, self.folder, self.pattern = version, folder, pattern
        self.tegula = Peer("tegula", [tool])
        releases = dict.fromkeys([tiledb_peers.RELEASES[version][0], tiledb_peers.LATEST[0]])
        self.peers = [Peer(r, [sys.executable, os.path.join(HERE, "tiledb_capi.py"), libraries[r]]) for r in releases if r in libraries]
        self.count, self.problems, self.known = collections.Counter(), [], collections.Counter()

    def wanted(self, name):
        return any(part in name for part in self.pattern.split(","))

    def step(self, peer, case, request, uri):
        below = request.get("below")
        return must(peer.ask({**request, "uri": os.path.join(uri, below) if below else uri, **({"key": case.key} if case.key else {})}))

    def attempt(self, peer, case, what, action):
        """Does something that may fail; tells whether it went well."""
        hangs = peer.version and known_fault(peer.version, case, what, HANGS)
        if hangs:
            self.known[peer.name, hangs] += 1
            return False
        try:
            action()
        except Wrong as wrong:
            peer.close()                                            # a fault may have left it unfit for more
            reason = peer.version and known_fault(peer.version, case, what)
            if reason:
                self.known[peer.name, reason] += 1
            else:
                self.problems.append(f"version {self.version} {case.name}, {peer.name} {what}: {wrong}")
            return False
        self.count[peer.name, what.split()[0]] += 1
        return True

    def read_all(self, peer, case, model, uri, reads):
        for read in reads:
            answer = self.step(peer, case, {"do": "read", **read}, uri)
            try:
                compare(model, read, answer, peer.version and peer.version < (2, 1))
            except Wrong as wrong:
                raise Wrong(f"{read}: {wrong}" if read else str(wrong)) from None
        if peer is self.tegula:
            damage = self.step(peer, case, {"do": "verify"}, uri)
            if damage:
                raise Wrong(f"verify finds {damage[:2]}")
        else:
            if not any(s["do"] in ("evolve", "upgrade") for s in case.steps):
                compare_schema(case.schema, answer["schema"])
        if case.metadata is not None and self.step(peer, case, {"do": "metadata"}, uri) != case.metadata:
            raise Wrong("other metadata")

    def write(self, case, model, uri):
        self.step(self.tegula, case, {"do": "create", "version": case.created_as or self.version, "schema": case.schema, "at": 10}, uri)
        for request in case.steps:
            self.step(self.tegula, case, request, uri)
            if "below" not in request:
                model.apply(request)

    def go_on(self, peer, case, model, uri):
        """libtiledb writes, consolidates and vacuums; what it leaves reads the same, and tegula can write again."""
        reads = case.reads[:1]
        steps = [case.more]
        for part in case.parts:
            steps += [dict(do="consolidate", mode=part)] + [dict(do="vacuum", mode=part)] * (peer.version >= (2, 0))
        if peer.version >= (2, 8) and self.version >= 12 and len(case.parts) == 1:
            steps += [dict(do=do, mode=part) for part in ("fragment_meta", "commits") for do in ("consolidate", "vacuum")]
        for request in steps:
            self.step(peer, case, request, uri)
            model.apply(request)
            self.read_all(self.tegula, case, model, uri, reads)
        again = dict(case.more, at=95)
        again["fields"] = {n: v if n in model.dims else v[::-1] for n, v in again["fields"].items()}
        # Releases before 2.0 write by the clock, so that only now comes after them.
        self.step(self.tegula, case, dict(again, at=95 if peer.version >= (2, 0) else 0), uri)
        model.apply(again)
        self.read_all(self.tegula, case, model, uri, reads)
        self.read_all(peer, case, model, uri, reads)

    def groups(self, peer):
        """A group that tegula makes and libtiledb changes."""
        uri = os.path.join(self.folder, str(self.version), f"group-{peer.name}")
        array = dict(type="dense", dims=[dict(name="x", type="int32", domain=[0, 9], extent=5)], attrs=[dict(name="a", type="int32")])
        put = {"n": dict(type="INT32", values=[1, 2]), "title": dict(type="STRING_UTF8", values="mosaïque"), "gone": dict(type="UINT8", values=[1])}

        def expect(members, metadata):
            for reader in (self.tegula, peer):
                answer = must(reader.ask({"do": "group", "uri": uri}))
                have = sorted([m["name"], m["type"]] for m in answer["members"])
                if have != sorted(members) or answer["metadata"] != metadata:
                    raise Wrong(f"{reader.name} finds {have} and {answer['metadata']}")

        def change(who, **what):
            must(who.ask({"do": "change_group", "uri": uri, **what}))
            time.sleep(0.01)                                        # changes stand a millisecond apart, and libtiledb sees none that lie ahead

        change(self.tegula, create=True, put=put)
        for name in ("one", "two", "three"):
            must(self.tegula.ask({"do": "create", "uri": f"{uri}/{name}", "version": self.version, "schema": array}))
        must(self.tegula.ask({"do": "change_group", "uri": uri + "/sub", "create": True}))
        change(self.tegula, add=[dict(uri=uri + "/one", name="first"), dict(uri=uri + "/two", name="far", absolute=True), dict(uri=uri + "/sub", name="sub")])
        expect([["first", "array"], ["far", "array"], ["sub", "group"]], put)
        change(self.tegula, drop=["far"], remove=["gone"])
        del put["gone"]
        expect([["first", "array"], ["sub", "group"]], put)
        change(peer, add=[dict(uri="three", name="third")], put={"n": dict(type="FLOAT64", values=[0.5])})
        put["n"] = dict(type="FLOAT64", values=[0.5])
        expect([["first", "array"], ["sub", "group"], ["third", "array"]], put)
        change(peer, drop=["first"])
        expect([["sub", "group"], ["third", "array"]], put)
        change(self.tegula, add=[dict(uri=uri + "/two", name="again")], drop=["third"])
        expect([["again", "array"], ["sub", "group"]], put)

    def copied(self, case, model, uri, to):
        """The array once more, and its model: in a bucket it is written again."""
        if "://" not in uri:
            shutil.copytree(uri, to)
            return copy.deepcopy(model)
        again = Model(case.schema)
        self.write(case, again, to)
        return again

    def run(self):
        for case in cases(self.version):
            if not self.wanted(case.name):
                continue
            uri, model = os.path.join(self.folder, str(self.version), case.name), Model(case.schema)
            if "://" not in uri:
                os.makedirs(os.path.dirname(uri), exist_ok=True)
            if not self.attempt(self.tegula, case, "writes", lambda: self.write(case, model, uri)):
                continue
            for peer in (self.tegula, *self.peers):
                self.attempt(peer, case, "reads", lambda: self.read_all(peer, case, model, uri, case.reads))
            for peer in self.peers if case.more else []:
                self.attempt(peer, case, "continues", lambda: self.go_on(peer, case, self.copied(case, model, uri, f"{uri}-{peer.name}"), f"{uri}-{peer.name}"))
        if self.version >= 18 and self.wanted("groups"):         # older releases know no changes of groups, only whole lists
            for peer in self.peers:
                self.attempt(peer, Case("groups", {}, []), "continues", lambda: self.groups(peer))
        for peer in (self.tegula, *self.peers):
            peer.close()
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("cache")
    parser.add_argument("--versions", help="3,10,22")
    parser.add_argument("--cases", default="", help="only those whose names contain one of them")
    parser.add_argument("--keep", help="where the arrays go and stay")
    parser.add_argument("--at", help="a URI below which they go: tegula takes what the environment says about the store, libtiledb the settings in TILEDB_STORE_CONFIG (JSON)")
    options = parser.parse_args()
    libraries = tiledb_peers.libraries(options.cache)
    versions = [int(v) for v in options.versions.split(",")] if options.versions else list(tiledb_peers.RELEASES)
    folder = options.at or options.keep or tempfile.mkdtemp(prefix="tegula-tiledb-interop-")
    count, known, problems = collections.Counter(), collections.Counter(), []
    try:
        trials = [Trial(v, os.path.abspath(options.tool), libraries, folder, options.cases) for v in versions]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for trial in pool.map(Trial.run, trials):
                n = trial.count
                line = ", ".join(f"{p.name} reads {n[p.name, 'reads']} and continues {n[p.name, 'continues']}" for p in trial.peers)
                print(f"version {trial.version}: tegula writes {n['tegula', 'writes']} arrays and reads {n['tegula', 'reads']}{', ' if line else ''}{line}", flush=True)
                for problem in trial.problems:
                    print("  " + problem)
                count, known, problems = count + n, known + trial.known, problems + trial.problems
    finally:
        if not options.keep and not options.at:
            shutil.rmtree(folder, ignore_errors=True)
    for (release, reason), times in sorted(known.items()):
        print(f"known fault of {release}, {times} times: {reason}")
    by = collections.Counter()
    for (peer, what), times in count.items():
        by["tegula" if peer == "tegula" else "the last release" if peer == tiledb_peers.LATEST[0] else "each version's release", what] += times
    for (peer, what), times in sorted(by.items()):
        print(f"{peer}: {what} {times}")
    print(f"{len(problems)} problems")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
