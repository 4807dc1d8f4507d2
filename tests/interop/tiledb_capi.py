#!/usr/bin/env python3
"""Any libtiledb from 1.6 to 2.30, asked through its C API: libtiledb's half of tiledb_interop.py.

    tiledb_capi.py LIBRARY

takes one JSON request a line and answers each with one line, {"error": text} where the library refuses. Schemas, cells
and metadata have the form of tests/corpus/README.md; tiledb_tool takes the same requests. Functions that a release lacks
are looked up with `has`; where two releases differ, the older way stands beside the newer one.
"""
import ctypes as C
import json
import os
import struct
import sys

u8, u32, u64, i32, vp, cp, ref = C.c_uint8, C.c_uint32, C.c_uint64, C.c_int32, C.c_void_p, C.c_char_p, C.byref
VAR = 0xFFFFFFFF
READ, WRITE = 0, 1
COMPLETED, INCOMPLETE = 1, 3
SMALL = {"sm.consolidation.buffer_size": "1000000", "sm.consolidation.total_buffer_size": "100000000"}  # the default is to fill gigabytes
LAYOUTS = ["row-major", "col-major", "global", "unordered", "hilbert"]


class Refused(Exception):
    pass


class Type:
    """One datatype: its number in the C API, bytes per value, struct format; text and raw types have none."""

    def __init__(self, name, number, size, code):
        self.name, self.number, self.size = name, number, size
        self.text, self.code = code == "t", None if code == "t" else code

    def values(self, raw):
        return list(struct.unpack(f"<{len(raw) // self.size}{self.code}", raw))

    def cell(self, raw, single):
        """The JSON of one cell."""
        if self.text:
            try:
                text = raw.decode("utf-8")
                return text if text.isprintable() else {"hex": raw.hex()}
            except UnicodeDecodeError:
                return {"hex": raw.hex()}
        if not self.code:
            return {"hex": raw.hex()}
        values = [plain(x) for x in self.values(raw)]
        return values[0] if single else values

    def bytes(self, value):
        """The stored form of one cell given as JSON."""
        if isinstance(value, dict):
            return bytes.fromhex(value["hex"])
        if not self.code:
            return value.encode()
        values = value if isinstance(value, list) else [value]
        return struct.pack(f"<{len(values)}{self.code}", *(float(x) if self.code in "fd" else x for x in values))


def plain(x):
    if isinstance(x, float) and (x != x or x in (float("inf"), float("-inf"))):
        return "nan" if x != x else "inf" if x > 0 else "-inf"
    return x


_rows = [("int32", 4, "i"), ("int64", 8, "q"), ("float32", 4, "f"), ("float64", 8, "d"), ("char", 1, "t"), ("int8", 1, "b"), ("uint8", 1, "B"),
         ("int16", 2, "h"), ("uint16", 2, "H"), ("uint32", 4, "I"), ("uint64", 8, "Q"), ("string_ascii", 1, "t"), ("string_utf8", 1, "t"),
         ("string_utf16", 2, None), ("string_utf32", 4, None), ("string_ucs2", 2, None), ("string_ucs4", 4, None), ("any", 1, None)]
_rows += [("datetime_" + unit, 8, "q") for unit in "year month week day hr min sec ms us ns ps fs as".split()]
_rows += [("time_" + unit, 8, "q") for unit in "hr min sec ms us ns ps fs as".split()]
_rows += [("blob", 1, None), ("bool", 1, "B"), ("geom_wkb", 1, None), ("geom_wkt", 1, "t")]
TYPES = {name: Type(name, i, size, code) for i, (name, size, code) in enumerate(_rows)}
BY_NUMBER = {t.number: t for t in TYPES.values()}


class Field:
    """A dimension, attribute or label as a query sees it; per_cell is a number or "var"."""

    def __init__(self, name, type, per_cell=1, nullable=False):
        self.name, self.type, self.per_cell, self.nullable = name, type, per_cell, nullable

    @property
    def var(self):
        return self.per_cell == "var"

    @property
    def cell_bytes(self):
        return self.type.size * (1 if self.var else self.per_cell)

    def decode(self, data, offsets=(), valid=None):
        if self.var:
            cells = [data[a:b] for a, b in zip(offsets, [*offsets[1:], len(data)])]
        else:
            cells = [data[i:i + self.cell_bytes] for i in range(0, len(data), self.cell_bytes)]
        return [None if valid is not None and not valid[i] else self.type.cell(c, self.per_cell == 1) for i, c in enumerate(cells)]

    def encode(self, values):
        data, offsets, valid = bytearray(), [], bytearray()
        for v in values:
            offsets.append(len(data))
            valid.append(v is not None)
            raw = b"" if v is None else self.type.bytes(v)
            data += raw if self.var else raw.ljust(self.cell_bytes, b"\0")
        return bytes(data), TYPES["uint64"].bytes(offsets), bytes(valid)


class Library:
    def __init__(self, path):
        self.lib = C.CDLL(path, mode=C.RTLD_GLOBAL)
        parts = [i32(), i32(), i32()]
        self.lib.tiledb_version(*map(ref, parts))
        self.version = tuple(x.value for x in parts)
        self.kept, self.contexts = [], {}

    def use(self, key):
        """The context for that encryption key or none; old releases take the key with each call."""
        self.key = key
        self.key_calls = bool(key) and self.has("tiledb_array_open_with_key")
        self.kept.clear()                                           # buffers of the last request
        if key not in self.contexts:
            context = vp()
            if self.lib.tiledb_ctx_alloc(self.config(), ref(context)):
                raise Refused("tiledb_ctx_alloc failed")
            self.contexts[key] = context
        self.ctx = self.contexts[key]

    def config(self, more=None):
        # Many threads for dense writes: from 2.7 on libtiledb mixes up the tile minima of var-length text when a write needs
        # several batches of tiles, and a batch is as long as there are threads.
        settings = {"sm.num_tbb_threads": "2"} if self.version < (2, 1) else {"sm.compute_concurrency_level": "10", "sm.io_concurrency_level": "1", "config.logging_level": "0"}
        if self.key and not self.key_calls:
            settings.update({"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": self.key})
        config, error = vp(), vp()
        self.lib.tiledb_config_alloc(ref(config), ref(error))
        store = json.loads(os.environ.get("TILEDB_STORE_CONFIG", "{}"))   # where arrays are that are not in folders
        for name, value in {**settings, **store, **(more or {})}.items():
            self.lib.tiledb_config_set(config, cp(name.encode()), cp(str(value).encode()), ref(error))
        return config

    def has(self, function):
        return hasattr(self.lib, function)

    def call(self, function, *args):
        if not self.has(function):
            raise Refused(f"{function}: not in libtiledb {'.'.join(map(str, self.version))}")
        f = getattr(self.lib, function)
        f.restype = i32
        if f(self.ctx, *[cp(a.encode()) if isinstance(a, str) else a for a in args]):
            error, message = vp(), cp()
            self.lib.tiledb_ctx_get_last_error(self.ctx, ref(error))
            if error:
                self.lib.tiledb_error_message(error, ref(message))
            raise Refused(f"{function}: {(message.value or b'no message').decode('utf-8', 'replace')}")

    def get(self, function, ctype, *args):
        """The value behind the last argument of a getter."""
        out = ctype()
        self.call(function, *args, ref(out))
        return out if ctype is vp else out.value

    def new(self, function, *args):
        return self.get(function, vp, *args)

    def buffer(self, raw):
        b = C.create_string_buffer(bytes(raw), max(len(raw), 1))
        self.kept.append(b)
        return b

    def name_of(self, function, handle):
        p = cp()
        self.call(function, handle, ref(p))
        return (p.value or b"").decode()

    def string(self, handle):
        p, n = vp(), C.c_size_t()
        self.lib.tiledb_string_view(handle, ref(p), ref(n))
        return C.string_at(p, n.value).decode() if n.value else ""

    # ---- arrays and their schemas
    def open(self, uri, mode=READ, at=None):
        array = self.new("tiledb_array_alloc", uri)
        key = [u32(1), self.buffer(self.key.encode()), u32(len(self.key))] if self.key_calls else []
        suffix = "_with_key" if key else ""
        if at is not None and self.has("tiledb_array_set_open_timestamp_end"):
            self.call("tiledb_array_set_open_timestamp_start", array, u64(at[0]))
            self.call("tiledb_array_set_open_timestamp_end", array, u64(at[1]))
        elif at is not None:
            self.call("tiledb_array_open_at" + suffix, array, u32(mode), *key, u64(at[1]))
            return array
        self.call("tiledb_array_open" + suffix, array, u32(mode), *key)
        return array

    def close(self, array):
        self.call("tiledb_array_close", array)
        self.lib.tiledb_array_free(ref(array))

    def schema(self, array):
        """The schema in the form of case.json, without filters; what a release cannot tell is left out."""
        h = self.new("tiledb_array_get_schema", array)
        s = {"type": "sparse" if self.get("tiledb_array_schema_get_array_type", u32, h) else "dense",
             "cell_order": LAYOUTS[self.get("tiledb_array_schema_get_cell_order", u32, h)],
             "tile_order": LAYOUTS[self.get("tiledb_array_schema_get_tile_order", u32, h)],
             "capacity": self.get("tiledb_array_schema_get_capacity", u64, h)}
        if self.has("tiledb_array_schema_get_allows_dups"):
            s["allows_dups"] = bool(self.get("tiledb_array_schema_get_allows_dups", i32, h))
        domain = self.new("tiledb_array_schema_get_domain", h)
        s["dims"] = [self.dimension(self.new("tiledb_domain_get_dimension_from_index", domain, u32(i))) for i in range(self.get("tiledb_domain_get_ndim", u32, domain))]
        s["attrs"] = [self.attribute(self.new("tiledb_array_schema_get_attribute_from_index", h, u32(i)))
                      for i in range(self.get("tiledb_array_schema_get_attribute_num", u32, h))]
        enumerations = {a["enumeration"]: self.enumeration(array, a["enumeration"]) for a in s["attrs"] if "enumeration" in a}
        if enumerations:
            s["enumerations"] = enumerations
        if self.has("tiledb_array_schema_get_current_domain"):
            current = self.new("tiledb_array_schema_get_current_domain", h)
            if not self.current_domain("is_empty", u32, current):
                s["current_domain"] = self.rectangle(current, s["dims"])
        return s

    def dimension(self, h):
        t = BY_NUMBER[self.get("tiledb_dimension_get_type", u32, h)]
        n = self.get("tiledb_dimension_get_cell_val_num", u32, h) if self.has("tiledb_dimension_get_cell_val_num") else 1
        d = {"name": self.name_of("tiledb_dimension_get_name", h), "type": t.name, "cell_val_num": "var" if n == VAR else n}
        domain, extent = self.new("tiledb_dimension_get_domain", h), self.new("tiledb_dimension_get_tile_extent", h)
        if domain and n != VAR:
            d["domain"] = t.values(C.string_at(domain, 2 * t.size))
        if extent and n != VAR:
            d["extent"] = t.values(C.string_at(extent, t.size))[0]
        return d

    def attribute(self, h):
        t, n = BY_NUMBER[self.get("tiledb_attribute_get_type", u32, h)], self.get("tiledb_attribute_get_cell_val_num", u32, h)
        d = {"name": self.name_of("tiledb_attribute_get_name", h), "type": t.name, "cell_val_num": "var" if n == VAR else n,
             "nullable": self.has("tiledb_attribute_get_nullable") and bool(self.get("tiledb_attribute_get_nullable", u8, h))}
        value, size, valid = vp(), u64(), u8()
        if d["nullable"]:
            self.call("tiledb_attribute_get_fill_value_nullable", h, ref(value), ref(size), ref(valid))
            d["fill_valid"] = bool(valid.value)
        elif self.has("tiledb_attribute_get_fill_value"):
            self.call("tiledb_attribute_get_fill_value", h, ref(value), ref(size))
        if value:
            d["fill"] = t.cell(C.string_at(value, size.value), n == 1)
        if self.has("tiledb_attribute_get_enumeration_name"):
            name = self.new("tiledb_attribute_get_enumeration_name", h)
            if name:
                d["enumeration"] = self.string(name)
        return d

    def enumeration(self, array, name):
        h = self.new("tiledb_array_get_enumeration", array, name)
        t, n = BY_NUMBER[self.get("tiledb_enumeration_get_type", u32, h)], self.get("tiledb_enumeration_get_cell_val_num", u32, h)
        p, size, offsets = vp(), u64(), []
        if n == VAR:
            self.call("tiledb_enumeration_get_offsets", h, ref(p), ref(size))
            offsets = TYPES["uint64"].values(C.string_at(p, size.value)) if size.value else []
        self.call("tiledb_enumeration_get_data", h, ref(p), ref(size))
        field = Field(name, t, "var" if n == VAR else n)
        return {"type": t.name, "cell_val_num": field.per_cell, "ordered": bool(self.get("tiledb_enumeration_get_ordered", i32, h)),
                "values": field.decode(C.string_at(p, size.value) if size.value else b"", offsets)}

    def current_domain(self, what, ctype, h):
        if self.version >= (2, 26):
            return self.get("tiledb_current_domain_get_" + what, ctype, h)
        out = ctype()                                               # 2.25: these take no context
        if getattr(self.lib, "tiledb_current_domain_get_" + what)(h, ref(out)):
            raise Refused(f"tiledb_current_domain_get_{what}")
        return out if ctype is vp else out.value

    def rectangle(self, current, dims):
        class Range(C.Structure):
            _fields_ = [("low", vp), ("low_size", u64), ("high", vp), ("high_size", u64)]

        box, out = self.current_domain("ndrectangle", vp, current), {}
        for d in dims:
            r = Range()
            self.call("tiledb_ndrectangle_get_range_from_name", box, d["name"], ref(r))
            out[d["name"]] = [TYPES[d["type"]].cell(C.string_at(p, n) if n else b"", d["cell_val_num"] == 1) for p, n in ((r.low, r.low_size), (r.high, r.high_size))]
        return out

    # ---- queries
    def fields(self, s, array, labels=()):
        out = {d["name"]: Field(d["name"], TYPES[d["type"]], d["cell_val_num"], d.get("nullable", False)) for d in s["dims"] + s["attrs"]}
        for name in labels:
            h = self.new("tiledb_array_schema_get_dimension_label_from_name", self.new("tiledb_array_get_schema", array), name)
            n = self.get("tiledb_dimension_label_get_label_cell_val_num", u32, h)
            out[name] = Field(name, BY_NUMBER[self.get("tiledb_dimension_label_get_label_type", u32, h)], "var" if n == VAR else n)
        return out

    def set_ranges(self, array, query, s, fields, ranges, label_ranges):
        ranges = ranges or {}
        if s["type"] == "dense" and not label_ranges:
            ranges = {d["name"]: ranges.get(d["name"]) or s.get("current_domain", {}).get(d["name"]) or d["domain"] for d in s["dims"]}
        elif self.version < (2, 2):                                 # 2.0 and 2.1 find nothing in text dimensions without a range
            ranges = {d["name"]: ranges.get(d["name"]) or d.get("domain") or [" ", "~~~~"] for d in s["dims"]}
        if not ranges and not label_ranges:
            return
        todo = [(i, fields[d["name"]], ranges[d["name"]]) for i, d in enumerate(s["dims"]) if d["name"] in ranges]
        if not self.has("tiledb_subarray_alloc") and len({f.type for _, f, _ in todo}) == 1 and not todo[0][1].var and len(todo) == len(s["dims"]):
            return self.call("tiledb_query_set_subarray", query, self.buffer(b"".join(f.type.bytes(list(r)) for _, f, r in todo)))
        handle, function = (self.new("tiledb_subarray_alloc", array), "tiledb_subarray_add_") if self.has("tiledb_subarray_alloc") else (query, "tiledb_query_add_")
        for i, field, r in todo:
            self.add_range(function + "range", handle, u32(i), field, *r)
        for name, r in label_ranges.items():
            self.add_range(function + "label_range", handle, name, fields[name], *r)
        if handle is not query:
            self.call("tiledb_query_set_subarray_t", query, handle)

    def add_range(self, function, handle, which, field, low, high):
        low, high = field.type.bytes(low), field.type.bytes(high)
        if field.var:
            self.call(function + "_var", handle, which, self.buffer(low), u64(len(low)), self.buffer(high), u64(len(high)))
        else:
            self.call(function, handle, which, self.buffer(low), self.buffer(high), None)

    def attach(self, query, f, data, n, offsets, offsets_n, valid, valid_n):
        """Hands the buffers of one field to a query."""
        self.kept.append((data, n, offsets, offsets_n, valid, valid_n))
        if self.has("tiledb_query_set_data_buffer"):
            self.call("tiledb_query_set_data_buffer", query, f.name, data, ref(n))
            if f.var:
                self.call("tiledb_query_set_offsets_buffer", query, f.name, offsets, ref(offsets_n))
            if f.nullable:
                self.call("tiledb_query_set_validity_buffer", query, f.name, valid, ref(valid_n))
        else:
            args = ([offsets, ref(offsets_n)] if f.var else []) + [data, ref(n)] + ([valid, ref(valid_n)] if f.nullable else [])
            self.call("tiledb_query_set_buffer" + "_var" * f.var + "_nullable" * f.nullable, query, f.name, *args)

    def zipped(self, s):
        """Before 2.0 the coordinates of a sparse array are one field."""
        if s["type"] == "sparse" and self.version < (2, 0):
            return Field("__coords", TYPES[s["dims"][0]["type"]], len(s["dims"]))

    def begin(self, array, mode, request, s):
        labels = request.get("label_ranges", {})
        known = self.fields(s, array, labels)
        query = self.new("tiledb_query_alloc", array, u32(mode))
        layout = request.get("layout") or ("unordered" if s["type"] == "sparse" else "row-major")
        self.call("tiledb_query_set_layout", query, u32(LAYOUTS.index(layout)))
        if mode == READ or s["type"] == "dense":
            self.set_ranges(array, query, s, known, request.get("ranges"), labels)
        return query, known

    def read(self, request):
        array = self.open(request["uri"], READ, request.get("open_at"))
        try:
            s, cells = self.schema(array), 1 << 10
            while True:
                fields = self.read_once(array, s, request, cells)
                if fields is not None:
                    return {"fields": fields, "schema": s}
                cells *= 16
                if cells > 1 << 22:
                    raise Refused("the query stays incomplete")
        finally:
            self.close(array)

    def read_once(self, array, s, request, cells):
        query, known = self.begin(array, READ, request, s)
        dims, coords = [d["name"] for d in s["dims"]], self.zipped(s)
        names = request.get("fields") or (dims if s["type"] == "sparse" else []) + [a["name"] for a in s["attrs"]]
        wanted = [known[n] for n in names if not (coords and n in dims)] + ([coords] if coords else [])
        buffers = []
        for f in wanted:
            size = cells * (16 if f.var else f.cell_bytes)
            b = [C.create_string_buffer(size), u64(size), C.create_string_buffer(8 * cells), u64(8 * cells), C.create_string_buffer(cells), u64(cells)]
            self.attach(query, f, *b)
            buffers.append(b)
        self.call("tiledb_query_submit", query)
        status = self.get("tiledb_query_get_status", u32, query)
        self.lib.tiledb_query_free(ref(query))
        if status == INCOMPLETE:
            return None
        if status != COMPLETED:
            raise Refused(f"query status {status}")
        out = {}
        for f, (data, n, offsets, offsets_n, valid, valid_n) in zip(wanted, buffers):
            values = f.decode(C.string_at(data, n.value), TYPES["uint64"].values(C.string_at(offsets, offsets_n.value)) if f.var else (),
                              C.string_at(valid, valid_n.value) if f.nullable else None)
            if f is coords:
                out.update({d: [v[i] if isinstance(v, list) else v for v in values] for i, d in enumerate(dims)})
            else:
                out[f.name] = values
        return out

    def write(self, request):
        at = request.get("at") if self.version >= (2, 0) else None  # older ones go by the clock
        array = self.open(request["uri"], WRITE, [0, at] if at else None)
        s, cells = self.schema(array), dict(request["fields"])
        query, known = self.begin(array, WRITE, request, s)
        coords = self.zipped(s)
        if coords:
            known["__coords"] = coords
            cells["__coords"] = [list(c) for c in zip(*(cells.pop(d["name"]) for d in s["dims"]))]
        for name, values in cells.items():
            parts = known[name].encode(values)
            self.attach(query, known[name], *[x for p in parts for x in (self.buffer(p), u64(len(p)))])
        self.call("tiledb_query_submit", query)
        self.call("tiledb_query_finalize", query)
        self.lib.tiledb_query_free(ref(query))
        self.close(array)
        return {}

    # ---- the rest
    def metadata_of(self, handle, kind):
        out = {}
        for i in range(self.get(f"tiledb_{kind}_get_metadata_num", u64, handle)):
            key, length, t, n, value = vp(), u32(), u32(), u32(), vp()
            self.call(f"tiledb_{kind}_get_metadata_from_index", handle, u64(i), ref(key), ref(length), ref(t), ref(n), ref(value))
            t = BY_NUMBER[t.value]
            out[C.string_at(key, length.value).decode()] = {"type": t.name.upper(), "values": t.cell(C.string_at(value, n.value * t.size) if value else b"", False)}
        return out

    def metadata(self, request):
        array = self.open(request["uri"], READ, request.get("open_at"))
        try:
            return self.metadata_of(array, "array")
        finally:
            self.close(array)

    def change_metadata(self, handle, kind, request):
        for key, item in request.get("put", {}).items():
            t = TYPES[item["type"].lower()]
            raw = t.bytes(item["values"])
            self.call(f"tiledb_{kind}_put_metadata", handle, key, u32(t.number), u32(max(len(raw) // t.size, 1)), self.buffer(raw) if raw else None)
        for key in request.get("remove", []):
            self.call(f"tiledb_{kind}_delete_metadata", handle, key)

    def put_metadata(self, request):
        at = request.get("at") if self.version >= (2, 0) else None
        array = self.open(request["uri"], WRITE, [0, at] if at else None)
        self.change_metadata(array, "array", request)
        self.close(array)
        return {}

    def consolidate(self, request):
        mode, uri = request.get("mode", "fragments"), request["uri"]
        if mode == "array_meta" and not self.has("tiledb_array_vacuum"):
            self.call("tiledb_array_consolidate_metadata", uri, None)
        elif self.key_calls:
            self.call("tiledb_array_consolidate_with_key", uri, u32(1), self.buffer(self.key.encode()), u32(len(self.key)), self.config({"sm.consolidation.mode": mode, **SMALL}))
        else:
            self.call("tiledb_array_consolidate", uri, self.config({"sm.consolidation.mode": mode, **SMALL}))
        return {}

    def vacuum(self, request):
        self.call("tiledb_array_vacuum", request["uri"], self.config({"sm.vacuum.mode": request.get("mode", "fragments")}))
        return {}

    def group(self, request):
        g, members = self.new("tiledb_group_alloc", request["uri"]), []
        self.call("tiledb_group_open", g, u32(READ))
        for i in range(self.get("tiledb_group_get_member_count", u64, g)):
            t = u32()
            if self.has("tiledb_group_get_member_by_index_v2"):
                uri, name = vp(), vp()
                self.call("tiledb_group_get_member_by_index_v2", g, u64(i), ref(uri), ref(t), ref(name))
                uri, name = self.string(uri), self.string(name) if name else None
            else:
                uri, name = cp(), cp()
                self.call("tiledb_group_get_member_by_index", g, u64(i), ref(uri), ref(t), ref(name))
                uri, name = uri.value.decode(), name.value.decode() if name.value else None
            members.append({"name": name, "uri": uri, "type": {1: "group", 2: "array"}.get(t.value)})
        out = {"members": members, "metadata": self.metadata_of(g, "group")}
        self.call("tiledb_group_close", g)
        return out

    def change_group(self, request):
        uri = request["uri"]
        if request.get("create"):
            self.call("tiledb_group_create", uri)
        g = self.new("tiledb_group_alloc", uri)
        self.call("tiledb_group_open", g, u32(WRITE))
        for member in request.get("add", []):
            self.call("tiledb_group_add_member", g, member["uri"], u8(not member.get("absolute")), member.get("name"))
        for name in request.get("drop", []):
            self.call("tiledb_group_remove_member", g, name)
        self.change_metadata(g, "group", request)
        self.call("tiledb_group_close", g)
        return {}


ACTIONS = ("read", "write", "metadata", "put_metadata", "consolidate", "vacuum", "group", "change_group")


def main():
    library = Library(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] not in ACTIONS:
                raise Refused(f"no action {request['do']}")
            library.use(request.get("key"))
            answer = getattr(library, request["do"])(request)
        except Refused as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
