"""The arrays of the TileDB interop test. cases(version) lists those that a format version has."""
import dataclasses
import itertools
import zlib

from tiledb_capi import TYPES
from tiledb_model import Values

KEY = "0123456789abcdef0123456789abcdef"
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float32", "float64"]


@dataclasses.dataclass
class Case:
    name: str
    schema: dict
    steps: list                     # what tegula does after creating it
    reads: list = dataclasses.field(default_factory=lambda: [{}])
    more: dict = None               # a write with which libtiledb goes on
    key: str = None
    created_as: int = None          # format version of the schema, when it is not the one asked for
    metadata: dict = None           # what it must hold
    parts: tuple = ("fragments",)   # what libtiledb consolidates and vacuums when it goes on


def since(type):
    """The format version of the first release asked here that has it: 2.19 shares version 21 with 2.21, which brought geometries."""
    prefix = type.split("_")[0]
    return {"datetime": 4, "time": 9, "blob": 11, "bool": 14, "geom": 22}.get(prefix, 3)


def types(version):
    return [t for t in TYPES if since(t) <= version]


def seed(name):
    return zlib.crc32(name.encode())


def dim(name, type="int32", domain=(0, 9), extent=4, **more):
    if type == "string_ascii":
        return dict(name=name, type=type, cell_val_num="var", **more)
    return dict(name=name, type=type, domain=list(domain), **({"extent": extent} if extent else {}), **more)


def attr(name, type="int32", per_cell=1, nullable=False, filters=None, **more):
    out = dict(name=name, type=type, cell_val_num=per_cell, nullable=nullable, **more)
    return out if filters is None else dict(out, filters=filters)


def chain(*names):
    """"zstd", or a dict with options."""
    return [n if isinstance(n, dict) else {"type": n} for n in names]


GRID = (dim("y", domain=(-3, 7), extent=4), dim("x", domain=(1, 14), extent=5))
PLANE = (dim("row", "int64", (-500, 500), 100), dim("col", "int64", (0, 900), 250))


# ---- dense
def box_write(schema, ranges, at, values, layout=None):
    cells = 1
    for d in schema["dims"]:
        low, high = ranges.get(d["name"], d["domain"])
        cells *= high - low + 1
    return dict(do="write", at=at, ranges=ranges, fields={a["name"]: values.column(a, cells) for a in schema["attrs"]}, **({"layout": layout} if layout else {}))


def dense(name, attrs, dims=GRID, boxes=({"y": [-2, 5], "x": [3, 12]},), reads=({},), calm=False, more_box=None, layout=None, **options):
    """A dense array written box after box, at 10, 20, ..."""
    schema = dict(type="dense", dims=list(dims), attrs=attrs, **{k: options.pop(k) for k in list(options) if k in SCHEMA_KEYS})
    values = Values(seed(name), calm)
    steps = [box_write(schema, box, 10 * (i + 1), values, layout) for i, box in enumerate(boxes)]
    values.lengths = [1, 4]         # 1.6 and 1.7 write no empty cells
    more = box_write(schema, more_box, 90, values) if more_box else None
    return Case(name, schema, steps, list(reads), more, **options)


SCHEMA_KEYS = {"cell_order", "tile_order", "capacity", "allows_dups", "coords_filters", "offsets_filters", "validity_filters", "enumerations", "labels", "current_domain"}


# ---- sparse
def place(d, values):
    if d["type"] == "string_ascii":
        return {"hex": bytes(values.random.choice(b"abcz") for _ in range(values.random.randrange(1, 12))).hex()}
    low, high = d["domain"]
    return values.random.randrange(int(low) * 4, int(high) * 4) * 0.25 if TYPES[d["type"]].code in "fd" else values.random.randint(low, high)


def cell_write(schema, count, at, values, known):
    """Cells at places of their own, some of them places that earlier writes (known) have used."""
    places = list(values.random.sample(known, min(len(known), count // 4)))
    taken = {repr(p) for p in places}
    while len(places) < count:
        p = tuple(place(d, values) for d in schema["dims"])
        if repr(p) not in taken or schema.get("allows_dups"):
            places.append(p)
            taken.add(repr(p))
    known += [p for p in places if p not in known]
    fields = {d["name"]: [p[i] for p in places] for i, d in enumerate(schema["dims"])}
    return dict(do="write", at=at, fields={**fields, **{a["name"]: values.column(a, count) for a in schema["attrs"]}})


def sparse(name, attrs, dims=PLANE, cells=(90,), reads=({},), calm=False, go_on=False, **options):
    """A sparse array with so many cells written at 10, 20, ..."""
    schema = dict(type="sparse", dims=list(dims), attrs=attrs, **{k: options.pop(k) for k in list(options) if k in SCHEMA_KEYS})
    schema.setdefault("capacity", 20)
    values, known = Values(seed(name), calm), []
    steps = [cell_write(schema, count, 10 * (i + 1), values, known) for i, count in enumerate(cells)]
    values.lengths = [1, 4]
    more = cell_write(schema, 15, 90, values, known) if go_on else None
    return Case(name, schema, steps, list(reads), more, **options)


# ---- the table
def of_types(version):
    """Every datatype as an attribute: one value, several, any number, null."""
    fixed = [t for t in types(version) if t != "any"]
    for make, kind in ((dense, "dense"), (sparse, "sparse")):
        yield make(f"{kind}_types", [attr("a_" + t, t) for t in fixed])
        yield make(f"{kind}_types_several", [attr("a_" + t, t, 3) for t in fixed])
        yield make(f"{kind}_types_var", [attr("a_" + t, t, "var") for t in types(version)])
        if version >= 7:
            yield make(f"{kind}_types_null", [attr("a_" + t, t, 1, True) for t in fixed])
            yield make(f"{kind}_types_null_var", [attr("a_" + t, t, "var", True) for t in types(version)])
    dates = [t for t in ("datetime_day", "datetime_ns", "time_ns") if t in types(version)]
    for t in INTEGERS + dates:
        low = 0 if t.startswith("u") else -20
        yield dense(f"dense_dim_{t}", [attr("a", "uint16")], [dim("x", t, (low, low + 60), 7)], [{"x": [low + 3, low + 40]}])
    for t in INTEGERS + dates + FLOATS:
        low = 0 if t.startswith("u") else -20
        yield sparse(f"sparse_dim_{t}", [attr("a", "uint16")], [dim("x", t, (low, low + 100), 25)], (30,))


def of_orders(version):
    for tile, cell in itertools.product(("row-major", "col-major"), repeat=2):
        orders = dict(tile_order=tile, cell_order=cell)
        label = f"{tile[:3]}_{cell[:3]}"
        yield dense(f"dense_{label}", [attr("a"), attr("s", "string_ascii", "var")], **orders)
        yield dense(f"dense_{label}_written_col", [attr("a")], layout="col-major", **orders)
        yield sparse(f"sparse_{label}", [attr("a"), attr("s", "string_ascii", "var")], **orders)
    yield dense("dense_3d", [attr("a", "int16")], [dim(n, "uint8", (0, 8), 3) for n in "xyz"], [{"x": [1, 7], "y": [0, 4], "z": [2, 8]}])
    yield sparse("sparse_3d", [attr("a", "int16")], [dim(n, "int32", (0, 200), 40) for n in "xyz"])
    if version >= 9:
        yield sparse("hilbert", [attr("a")], cell_order="hilbert")
        yield sparse("hilbert_float", [attr("a")], [dim("x", "float64", (-10, 10), None), dim("y", "float64", (0, 100), None)], cell_order="hilbert")
        yield sparse("hilbert_text", [attr("a")], [dim("k", "string_ascii"), dim("y", "int32", (0, 100), None)], cell_order="hilbert")


def of_writes(version):
    """Boxes that cut tiles, fragments over fragments, times."""
    yield dense("dense_one_cell", [attr("a")], boxes=[{"y": [2, 2], "x": [9, 9]}])
    yield dense("dense_whole", [attr("a"), attr("b", "float64")], boxes=[{}])
    times = [dict(open_at=[0, t]) for t in (5, 10, 25)[version < 6:]]      # old releases answer with nothing before the first write
    boxes = [{"y": [-3, 2], "x": [1, 8]}, {"y": [0, 5], "x": [6, 11]}, {"y": [-1, 0], "x": [2, 14]}]
    yield dense("dense_fragments", [attr("a"), attr("s", "string_utf8", "var")], boxes=boxes, reads=[{}, *times, {"ranges": {"y": [-2, 3], "x": [4, 9]}}],
                more_box={"y": [1, 6], "x": [2, 3]})
    yield sparse("sparse_fragments", [attr("a"), attr("s", "string_utf8", "var")], cells=(40, 30, 20),
                 reads=[{}, *times, {"ranges": {"row": [-200, 250], "col": [100, 700]}}], go_on=True)
    yield dense("dense_aligned", [attr("a"), attr("b", "float32")], [dim("y", "int32", (1, 8), 4), dim("x", "int32", (1, 10), 5)], [{"y": [2, 7], "x": [3, 9]}, {"y": [4, 5], "x": [1, 10]}],
                more_box={"y": [7, 8], "x": [4, 7]})
    yield dense("dense_large_tile", [attr("a", "uint32"), attr("s", "string_ascii", "var")], [dim("x", "int32", (0, 19999), 20000)], [{"x": [5, 19000]}])
    yield sparse("sparse_large_tile", [attr("a", "int64")], [dim("x", "int64", (0, 10**6), 10**5)], (9000,), capacity=10000)
    yield sparse("sparse_no_extent", [attr("a")], [dim("x", "int64", (0, 10**6), None)])
    if version >= 5:
        yield sparse("text_dimension", [attr("a")], [dim("k", "string_ascii")], (30, 20), reads=[{}, {"ranges": {"k": ["b", "cz"]}}], go_on=True)
        yield sparse("mixed_dimensions", [attr("a")], [dim("k", "string_ascii"), dim("x", "float32", (0, 50), 10), dim("y", "uint8", (0, 99), 10)], (40,))
        yield sparse("duplicates", [attr("a")], [dim("x", "int32", (0, 20), 5)], (40, 30), allows_dups=True, go_on=True)
    if version >= 6:
        yield dense("fill_values", [attr("i", fill=7), attr("f", "float32", fill=1.5), attr("c", "char", 2, fill="zz"), attr("s", "string_ascii", "var", fill="none"),
                                    attr("v", "int16", "var", fill=[1, 2])])
    if version >= 7:
        yield dense("nullable_fill", [attr("i", "int32", 1, True, fill=7, fill_valid=True), attr("s", "string_ascii", "var", True, fill="none", fill_valid=False)])
        yield dense("nullable", [attr("i", "int32", 1, True), attr("s", "string_utf8", "var", True)], boxes=boxes[:2], more_box={"y": [1, 6], "x": [2, 3]})
        yield sparse("nullable_sparse", [attr("i", "float64", 1, True), attr("s", "string_utf8", "var", True)], cells=(40, 30), go_on=True)
    names = ["plain", "with space", "ünïcode"] + (["a/b", "c:d*e?", "<x>|y"] if version >= 8 else [])
    yield dense("names", [attr(n) for n in names])
    yield dense("encrypted_dense", [attr("a"), attr("s", "string_ascii", "var")], key=KEY, more_box={"y": [1, 6], "x": [2, 3]})
    yield sparse("encrypted_sparse", [attr("a"), attr("s", "string_ascii", "var")], cells=(40, 30), key=KEY, go_on=True)
    yield streamed(dense("streamed_dense", [attr("a"), attr("s", "string_ascii", "var")]), 17)
    yield streamed(in_order(sparse("streamed_sparse", [attr("a"), attr("s", "string_ascii", "var")], [dim("x", "int64", (0, 10**6), 10**5)])), 13)


def streamed(case, pieces):
    case.steps[0]["pieces"] = pieces
    return case


def in_order(case):
    """One dimension: the cells in global order."""
    case.steps[0]["fields"]["x"].sort()
    case.steps[0]["layout"] = "global"
    return case


COMPRESSORS = ["gzip", "zstd", "lz4", "bzip2", "rle"]
LINE = (dim("x", "int32", (0, 95), 16),)
ALL_OF_LINE = [{"x": [0, 95]}]


def of_filters(version):
    def numbers(pipeline, names):
        return [attr("a_" + t, t, filters=pipeline) for t in names]

    for name in ["none", *COMPRESSORS, "bitshuffle", "byteshuffle", *(["checksum_md5", "checksum_sha256"] if version >= 5 else [])]:
        f = chain(name)
        null = [attr("n", "int32", 1, True, filters=f)] if version >= 7 else []
        text = [attr("s", "string_utf8" if name == "rle" and version < 17 else "string_ascii", "var", filters=f)]
        yield dense(f"filter_{name}", numbers(f, ["int32", "uint8", "float64", "int16"]) + text + null, offsets_filters=f)
        others = dict(validity_filters=f) if version >= 7 else {}
        yield sparse(f"filter_{name}_coords", [attr("a", filters=f), attr("v", "int32", "var", filters=f)] + null, coords_filters=f, offsets_filters=f, **others)
    for name, level in (("gzip", 9), ("zstd", 19), ("zstd", -5), ("bzip2", 1), ("lz4", 1)):
        yield dense(f"filter_{name}_level_{level}", numbers(chain({"type": name, "level": level}), ["int32"]))
    # Dates pass untouched through bit width reduction and positive delta before version 20.
    dates = ["datetime_ns"] if version >= 4 else []
    for name in ["double_delta", "bit_width_reduction", "positive_delta"] + (["delta"] if version >= 19 else []):
        f = chain(name)
        yield dense(f"filter_{name}", numbers(f, INTEGERS + dates), LINE, ALL_OF_LINE, calm=True)
        yield in_order(sparse(f"filter_{name}_coords", [attr("a", "uint64", filters=f)], [dim("x", "int64", (0, 1000), 100)], (40,), calm=True, coords_filters=f))
    yield dense("filter_windows", numbers(chain({"type": "bit_width_reduction", "window": 64}), ["uint32"]) + numbers(chain({"type": "positive_delta", "window": 32}), ["int64"]),
                LINE, ALL_OF_LINE, calm=True)
    yield dense("filter_chain_shuffle", numbers(chain("bit_width_reduction", "bitshuffle", "zstd"), ["uint32"]) + numbers(chain("byteshuffle", "lz4"), ["float32"])
                + numbers(chain("double_delta", "bit_width_reduction", "gzip"), ["int64"]), LINE, ALL_OF_LINE, calm=True)
    yield dense("filter_chain_large", numbers(chain("byteshuffle", "zstd"), ["float64"]) + numbers(chain("bit_width_reduction", "bzip2"), ["int32"]),
                [dim("x", "int32", (0, 19999), 20000)], [{"x": [0, 19999]}], calm=True)
    if version >= 5:
        yield dense("filter_chain_checksum", numbers(chain("checksum_md5", "zstd", "checksum_sha256"), ["int32"]), key=KEY)
        yield sparse("filter_dimensions", [attr("a")], [dim("x", "int64", (0, 900), 100, filters=chain("double_delta", "zstd")), dim("y", "int32", (0, 900), 100, filters=chain("gzip"))],
                     calm=True)
        yield sparse("filter_rle_text_dimension", [attr("a")], [dim("k", "string_ascii", filters=chain("rle"))])
    for name, first, types_since in (("rle", 12, (12, 17)), ("dictionary", 13, (13, 17))):
        if version >= first:
            texts = [t for t, v in zip(("string_ascii", "string_utf8"), types_since) if version >= v]
            for tail in ((), ("zstd",)):
                f = chain(name, *tail)
                label = "_".join((name, *tail))
                yield dense(f"filter_{label}_text", [attr(t, t, "var", filters=f) for t in texts])
                yield dense(f"filter_{label}_text_null", [attr(t, t, "var", True, filters=f) for t in texts])
                yield sparse(f"filter_{label}_text_sparse", [attr(t, t, "var", filters=f) for t in texts], [dim("k", "string_ascii", filters=f)])
    if version >= 15:
        scale = {"type": "scale_float", "factor": 0.5, "offset": 1.0, "byte_width": 4}
        yield dense("filter_scale_float", numbers(chain(scale), FLOATS), LINE, ALL_OF_LINE, calm=True)
    if version >= 16:
        yield dense("filter_xor", numbers(chain("xor"), INTEGERS + FLOATS))
        yield dense("filter_xor_zstd", numbers(chain("xor", "zstd"), ["int32", "float64"]))
        pixels = {"type": "webp", "lossless": 1, "format": "rgb", "quality": 100.0}
        yield dense("filter_webp", [attr("px", "uint8", filters=chain(pixels))], [dim("y", "uint32", (1, 8), 4), dim("x", "uint32", (1, 30), 15)], [{}])
    if version >= 20:
        scale8 = {"type": "scale_float", "factor": 0.25, "offset": 0.0, "byte_width": 8}
        yield dense("filter_typed_chain", numbers(chain(scale8, "byteshuffle", "zstd"), FLOATS) + numbers(chain("xor", "bitshuffle", "lz4"), ["int32"])
                    + [attr("d", "float32", filters=chain({"type": "double_delta", "reinterpret": "int32"}, "zstd"))], LINE, ALL_OF_LINE, calm=True)


def of_changes(version):
    """Arrays that tegula has gone on with: metadata, evolution, deletes, upgrades, consolidation."""
    if version >= 4:
        values = {"i": dict(type="INT32", values=[1, 2, -3]), "f": dict(type="FLOAT64", values=[0.5]), "t": dict(type="STRING_UTF8", values="mosaïque"), "gone": dict(type="INT32", values=[9]),
                  "late": dict(type="UINT8", values=[255])}
        case = dense("metadata", [attr("a")], more_box={"y": [1, 6], "x": [2, 3]}, parts=("fragments", "array_meta"))
        case.steps += [dict(do="put_metadata", at=20, put={k: values[k] for k in ("i", "f", "gone")}), dict(do="put_metadata", at=30, put={k: values[k] for k in ("t", "late")}, remove=["gone"])]
        case.metadata = {k: v for k, v in values.items() if k != "gone"}
        yield case
    if version >= 10:
        for make in (dense, sparse):
            yield evolved(make, version)
        for old in sorted({3, 7, version - 1}):
            yield upgraded(old, version)
    if version >= 16:
        yield deleted("deleted")
        yield deleted("deleted_twice", again=True)
    yield from consolidated(version)
    case = sparse("fragments_deleted", [attr("a")], cells=(20, 20, 20))
    case.steps.append(dict(do="delete_fragments", times=[15, 25]))
    yield case
    if version >= 18:
        yield labelled()
    if version >= 20:
        colors = {"colors": dict(type="string_utf8", cell_val_num="var", ordered=False, values=["red", "green", "木"]),
                  "sizes": dict(type="int32", cell_val_num=1, ordered=True, values=[36, 38, 40])}
        attrs = [attr("c", "uint8", enumeration="colors"), attr("s", "int16", 1, True, enumeration="sizes")]
        yield codes(dense("enumerations", attrs, enumerations=colors, more_box={"y": [1, 6], "x": [2, 3]}))
        case = codes(sparse("enumerations_extended", attrs, enumerations=colors, go_on=True))
        longer = {"colors": dict(colors["colors"], values=["red", "green", "木", "blue"])}
        case.steps.append(dict(do="evolve", at=50, enumerations=longer))
        yield case
    if version >= 22:
        current = {"current_domain": {"y": [-3, 4], "x": [1, 12]}}
        yield dense("current_domain", [attr("a")], boxes=[{"y": [-2, 3], "x": [3, 12]}], reads=[{"ranges": {"y": [-3, 4], "x": [1, 12]}}], more_box={"y": [-3, -3], "x": [1, 5]}, **current)
        case = sparse("current_domain_expanded", [attr("a")], [dim("x", "int64", (0, 1000), 100), dim("k", "string_ascii")], current_domain={"x": [0, 1000], "k": ["a", "zzzz"]}, go_on=True)
        case.steps.append(dict(do="evolve", at=50, current_domain={"x": [0, 1000], "k": ["A", "zzzzz"]}))
        yield case


def consolidated(version):
    """Consolidated by tegula; vacuumed as well. Cells of sparse arrays keep their times from version 15 on."""
    def steps(parts, vacuum):
        parts = parts[:1] if version < 12 else parts
        return [dict(do="consolidate", mode=part) for part in parts] + [dict(do="vacuum", mode=part) for part in parts if vacuum and version >= 5]

    boxes = [{"y": [1, 6], "x": [2, 8]}, {"y": [5, 8], "x": [1, 10]}, {"y": [3, 4], "x": [9, 9]}]
    for label, vacuum in (("consolidated", False), ("vacuumed", True)):
        # Commits are consolidated only where they are vacuumed too: otherwise a vacuum of fragments by 2.8 to 2.15 leaves the marks of those it removes,
        # and no libtiledb opens the array again.
        merges = steps(["fragments", "fragment_meta", "commits"] if vacuum else ["fragments", "fragment_meta"], vacuum)
        case = dense(f"dense_{label}", [attr("a"), attr("s", "string_utf8", "var")], [dim("y", "int32", (1, 8), 4), dim("x", "int32", (1, 10), 5)], boxes, more_box={"y": [7, 8], "x": [4, 7]})
        case.steps += merges
        yield case
        case = sparse(f"sparse_{label}", [attr("a"), attr("s", "string_utf8", "var")], cells=(40, 30, 20), go_on=True)
        if version >= 15:
            case.reads += [{"open_at": [0, 10]}, {"open_at": [0, 25]}]
        case.steps += merges
        yield case
        if version >= 12:
            case = sparse(f"commits_{label}", [attr("a")], cells=(20, 20, 20)) if version < 16 else deleted(f"commits_{label}", again=True)
            case.steps += steps(["fragment_meta", "commits"], vacuum)
            case.more = None        # nor can any libtiledb consolidate commits a second time when the first held a delete
            yield case
        if version >= 16:
            for purge in (False, True):
                case = deleted(f"deleted_{label}" + "_purged" * purge, again=True)
                case.reads = case.reads[:1]
                case.steps += [dict(m, purge=purge) if m["do"] == "consolidate" else m for m in steps(["fragments", "fragment_meta"], vacuum)]
                yield case


def codes(case):
    """Values of enumerations are numbers of their values."""
    for step in [*case.steps, *([case.more] if case.more else [])]:
        for name, values in step["fields"].items():
            if name in ("c", "s"):
                step["fields"][name] = [v if v is None else abs(v) % 3 for v in values]
    return case


def evolved(make, version):
    name = f"{make.__name__}_evolved"
    added = [attr("b", "float32"), attr("t", "string_utf8", "var", True)]
    case = make(name, [attr("a"), attr("gone", "int16")], **(dict(boxes=[{"y": [-2, 3], "x": [3, 9]}]) if make is dense else dict(cells=(40,))))
    case.steps.append(dict(do="evolve", at=50, add=added, drop=["gone"]))
    later, values = dict(case.schema, attrs=[case.schema["attrs"][0], *added]), Values(seed(name + " later"))
    if make is dense:
        case.steps.append(box_write(later, {"y": [1, 6], "x": [7, 12]}, 60, values))
        case.more = box_write(later, {"y": [5, 7], "x": [1, 4]}, 90, values)
    else:
        case.steps.append(cell_write(later, 30, 60, values, []))
        case.more = cell_write(later, 15, 90, values, [])
    case.reads = [{}, {"open_at": [0, 40]}] if version >= 21 else [{}]     # before, libtiledb shows the last schema at any time
    return case


def upgraded(old, version):
    case = sparse(f"upgraded_from_{old}", [attr("a"), attr("s", "string_ascii", "var")], cells=(40, 30), go_on=True, created_as=old)
    case.steps.insert(1, dict(do="upgrade", version=version, at=15))
    return case


def deleted(name, again=False):
    case = sparse(name, [attr("a"), attr("s", "string_ascii", "var")], cells=(40, 30), go_on=True, reads=[{}, {"open_at": [0, 12]}, {"open_at": [0, 22]}])
    case.steps.insert(1, dict(do="delete", at=15, where="a > 50", keep=lambda cell: cell["a"] <= 50))
    if again:
        case.steps.append(dict(do="delete", at=21, where="row < 0 and a != 7", keep=lambda cell: not (cell["row"] < 0 and cell["a"] != 7)))
    return case


def labelled():
    labels = [dict(name="height", dim=0, type="float64", cell_val_num=1, order="increasing"), dict(name="day", dim=1, type="string_ascii", cell_val_num="var", order="decreasing")]
    case = dense("labels", [attr("a")], [dim("y", "int32", (0, 9), 4), dim("x", "int32", (0, 5), 3)], [{}], labels=labels)
    heights, days = [0.5 * i for i in range(10)], list("fedcba")
    case.steps += [dict(do="write", below="__labels/l0", at=10, fields={"label": heights}), dict(do="write", below="__labels/l1", at=10, fields={"label": days})]
    case.reads.append({"label_ranges": {"height": [1.0, 2.5], "day": ["c", "e"]}, "means": {"y": [2, 5], "x": [1, 3]}})
    return case


def cases(version):
    for group in (of_types, of_orders, of_writes, of_filters, of_changes):
        yield from group(version)
