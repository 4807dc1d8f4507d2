"""Where a libtiledb release may fail with an array of the interop test. Each entry was met when that release was asked; that it
fails in the same way on an array that it wrote itself was not shown for every one, so an entry says what was seen, not whose
fault it is. Whatever no entry names, a release must read and go on with; the releases outside of an entry's range are the
reason to look for the fault in the release."""
import collections

Fault = collections.namedtuple("Fault", "first last what reason applies")


def dense(case):
    return case.schema.get("type") == "dense"


def has_var(case):
    return any(a["cell_val_num"] == "var" for a in case.schema.get("attrs", []))


def ragged(case):
    """The domain ends inside of a tile."""
    return any("extent" in d and (d["domain"][1] - d["domain"][0] + 1) % d["extent"] for d in case.schema["dims"])


def narrow(case):
    return case.name in ("dense_dim_int8", "dense_dim_int16")


FAULTS = [
    Fault((1, 6), (1, 7), "continues", "dense arrays whose domain ends inside of a tile cannot be consolidated", lambda c: dense(c) and ragged(c)),
    Fault((2, 0), (2, 0), "continues", "consolidation stores garbage in var-length cells that nobody wrote", lambda c: dense(c) and has_var(c)),
    Fault((2, 2), (2, 2), "continues", "nullable attributes cannot be consolidated", lambda c: any(a["nullable"] for a in c.schema.get("attrs", []))),
    Fault((2, 8), (2, 17), "reads", "dense var-length attributes are read wrongly in another order than that of the cells",
          lambda c: dense(c) and has_var(c) and c.schema.get("cell_order") == "col-major"),
    Fault((2, 8), (2, 14), "any", "dense arrays with an attribute added later crash the reader", lambda c: c.name == "dense_evolved"),
    Fault((2, 10), (2, 10), "any", "so do sparse ones", lambda c: c.name == "sparse_evolved"),
    Fault((2, 8), (2, 14), "reads", "run lengths and dictionaries of nullable text are refused", lambda c: c.name.endswith("_text_null")),
    Fault((2, 4), (2, 19), "continues", "fragments of versions 3 and 4, which have no commit files, cannot be vacuumed", lambda c: c.created_as in (3, 4)),
    Fault((2, 12), (2, 12), "reads", "webp came with 2.13, in the same format version", lambda c: c.name == "filter_webp"),
    Fault((2, 25), (2, 25), "continues", "dense arrays with a current domain that ends inside of a tile cannot be consolidated", lambda c: c.name == "current_domain"),
]


# These never end, so nobody asks.
HANGS = [Fault((2, 3), (2, 9), "reads", "reads of dense arrays over int8 and int16 dimensions never end", narrow)]


def known_fault(release, case, what, faults=FAULTS):
    """Why that release may fail to do that with the array, or None."""
    for fault in faults:
        n = len(fault.first)
        if fault.first <= release[:n] <= fault.last and fault.what in (what, "any") and fault.applies(case):
            return fault.reason
