"""What an array must hold after a list of requests, worked out from scratch, and values to put into it."""
import itertools
import random

from tiledb_capi import TYPES


def default_fill(type, per_cell):
    """What libtiledb shows where nothing was written."""
    t, n = TYPES[type], 1 if per_cell == "var" else per_cell
    if t.name == "char":
        return {"hex": "80" * n}
    if not t.code:
        return {"hex": "00" * t.size * n}
    one = 0 if t.name == "bool" else "nan" if t.code in "fd" else -(1 << 8 * t.size - 1) if t.code.islower() else (1 << 8 * t.size) - 1
    return one if per_cell == 1 else [one] * n


def normal(value):
    """One form for what can be written in two: text and its bytes."""
    if isinstance(value, dict) and value.keys() == {"hex"}:
        return "x" + value["hex"]
    if isinstance(value, str):
        return value if value in ("nan", "inf", "-inf") else "x" + value.encode().hex()
    if isinstance(value, list):
        return [normal(v) for v in value]
    return value


def rows(fields, names):
    """The cells in an order that does not depend on how they came."""
    return sorted(zip(*(fields[n] for n in names)), key=repr)


class Values:
    """Cells of any type, the same for the same seed. `calm` ones are small and do not fall, as the delta filters want them."""

    def __init__(self, seed, calm=False):
        self.random, self.calm, self.last = random.Random(seed), calm, 0
        self.lengths = [0, 1, 2, 5, 17]

    def one(self, t):
        r = self.random
        if self.calm and t.code:
            self.last = min(self.last + r.randrange(2), 120)
            value = self.last
            return value * 0.5 if t.code in "fd" else value % 2 if t.name == "bool" else value
        if t.name == "bool":
            return r.randrange(2)
        if t.code in ("f", "d"):
            return r.choice([r.randrange(-4000, 4000) * 0.25, r.randrange(100) * 1.0, "nan", "inf", "-inf", 0.0])
        if t.code:
            bits = 8 * t.size
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if t.code.islower() else (0, (1 << bits) - 1)
            return r.choice([low, high, r.randrange(100), r.randrange(100), r.randrange(low, high + 1)])
        return r.choice("abcdefgh").encode().ljust(t.size, b"\0")

    def cell(self, type, per_cell=1, nullable=False):
        t, r = TYPES[type], self.random
        if nullable and r.random() < 0.3:
            return None
        n = r.choice(self.lengths) if per_cell == "var" else per_cell
        if t.code:
            values = [self.one(t) for _ in range(n)]
            return values[0] if per_cell == 1 else values
        if t.name == "string_utf8" and per_cell == "var" and n:
            return r.choice(["mosaïque", "木", "🧩", "plain", "a" * n])
        return {"hex": b"".join(self.one(t) for _ in range(n)).hex()}

    def column(self, field, count):
        self.last = 0
        return [self.cell(field["type"], field.get("cell_val_num", 1), field.get("nullable", False)) for _ in range(count)]


def axis(low, high):
    return range(low, high + 1)


class Model:
    def __init__(self, schema):
        self.schema, self.events = schema, []
        self.dims = [d["name"] for d in schema["dims"]]
        self.sparse = schema["type"] == "sparse"
        self.var = {a["name"]: normal(default_fill(a["type"], "var")) for a in schema["attrs"] if a.get("cell_val_num") == "var"}

    def apply(self, request):
        """A request that tiledb_tool or tiledb_capi was given; `keep`, a function of a cell, tells what a delete means."""
        do = request["do"]
        if do == "write":
            self.events.append((request["at"], "write", self.cells(request)))
        elif do == "delete":
            self.events.append((request["at"], "delete", request["keep"]))
        elif do == "evolve":
            self.events.append((request["at"], "evolve", request))
        elif do == "delete_fragments":
            first, last = request["times"]
            self.events = [e for e in self.events if e[1] != "write" or not first <= e[0] <= last]

    def cells(self, request):
        fields = {n: [normal(v) for v in values] for n, values in request["fields"].items()}
        if self.sparse:
            places = list(zip(*(fields[d] for d in self.dims)))
        else:
            places = self.box(request.get("ranges", {}), request.get("layout"))
        names = [n for n in fields if n not in self.dims]
        assert all(len(fields[n]) == len(places) for n in names), "a write of another size than its box"
        return [(place, {n: fields[n][i] for n in names}) for i, place in enumerate(places)]

    def box(self, ranges, layout=None):
        axes = [axis(*(ranges.get(d["name"]) or d["domain"])) for d in self.schema["dims"]]
        if layout == "col-major":
            return [place[::-1] for place in itertools.product(*axes[::-1])]
        return list(itertools.product(*axes))

    def read(self, open_at=None, ranges=None, layout=None):
        """field -> values, in an order of its own for sparse arrays."""
        attrs, found = list(self.schema["attrs"]), []
        first, last = open_at or (0, 1 << 63)
        for at, kind, what in sorted(self.events, key=lambda e: e[0]):
            if at > last:
                break
            if kind == "evolve":
                attrs = [a for a in attrs if a["name"] not in what.get("drop", [])] + what.get("add", [])
                found = [(p, {n: v for n, v in c.items() if n not in what.get("drop", [])}) for p, c in found]
            elif kind == "delete":
                found = [(p, c) for p, c in found if what({**dict(zip(self.dims, p)), **c})]
            elif at >= first:
                if not self.schema.get("allows_dups"):
                    new = {p for p, _ in what}
                    found = [(p, c) for p, c in found if p not in new]
                found += what
        # A nullable attribute shows null where nothing was written, unless its fill value is valid.
        fill = {a["name"]: None if a.get("nullable") and not a.get("fill_valid") else
                normal(a.get("fill", default_fill(a["type"], a.get("cell_val_num", 1)))) for a in attrs}
        if self.sparse:
            inside = [(p, c) for p, c in found if all(self.within(x, (ranges or {}).get(d)) for d, x in zip(self.dims, p))]
            out = {d: [p[i] for p, _ in inside] for i, d in enumerate(self.dims)}
        else:
            at_place = dict(found)
            inside, out = [(p, at_place.get(p, {})) for p in self.box(ranges or {}, layout)], {}
        for name in fill:
            out[name] = [c.get(name, fill[name]) for _, c in inside]
        return out

    @staticmethod
    def within(x, bounds):
        return bounds is None or normal(bounds[0]) <= x <= normal(bounds[1])
