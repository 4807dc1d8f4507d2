#!/usr/bin/env python3
"""Makes the Arrow files of this folder with pyarrow (pip install pyarrow; made with 26.0): one small table in the forms that
readers must tell apart. The tests know the values: keep the two together."""
import datetime
import os

import pyarrow as pa

HERE = os.path.dirname(os.path.abspath(__file__))

cities = pa.array(["Oslo", "Lima", None, "Oslo", "Paris", "Lima"])
plain = pa.table({
    "n": pa.array([1, 2, 3, None, 5, 6], pa.int16()),
    "x": pa.array([0.5, float("nan"), float("inf"), -0.0, 2.5, 3.5], pa.float64()),
    "city": cities,
    "flag": pa.array([True, False, True, None, False, True]),
    "day": pa.array([datetime.date(2024, 5, 31), datetime.date(1969, 12, 31), None] * 2, pa.date32()),
    "at": pa.array([0, 1000, -1, None, 5, 6], pa.timestamp("ms")),
    "raw": pa.array([b"\x00\xff", b"", b"abc", None, b"d", b"e"]),
    "pair": pa.array([[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]], pa.list_(pa.int32(), 2)),
})
large = pa.table({
    "text": pa.array(["a", "", "mosaïque", None], pa.large_string()),
    "raw": pa.array([b"\x01", None, b"", b"\x02\x03"], pa.large_binary()),
    "lists": pa.array([[1], [], [2, 3], [4]], pa.large_list(pa.int64())),
    "date": pa.array([0, 86400000, None, -86400000], pa.date64()),
})
# Long enough for a codec to be used.
long = pa.table({"n": pa.array(range(300), pa.int32()), "t": pa.array([f"text {i % 7}" for i in range(300)])})
coded = pa.table({"city": cities.dictionary_encode(), "small": pa.array([3.5, 1.5, 3.5, 3.5, 1.5, 1.5]).dictionary_encode()})


def write(name, tables, stream=False, **options):
    options = pa.ipc.IpcWriteOptions(**options)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(os.path.join(HERE, name), tables[0].schema, options=options) as out:
        for table in tables:
            out.write(table)


write("plain.arrow", [plain])
write("batches.arrows", [plain.slice(0, 2), plain.slice(2)], stream=True)  # offsets that do not start at 0
write("large.arrow", [large])
write("lz4.arrow", [long], compression="lz4")
write("zstd.arrow", [long], compression="zstd")
write("dictionary.arrow", [coded])
write("dictionary_zstd.arrows", [coded], stream=True, compression="zstd")
grown = [pa.table({"city": pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(words))})
         for codes, words in (([0, 1], ["a", "b"]), ([2, 0], ["a", "b", "c"]))]
write("dictionary_delta.arrows", grown, stream=True, emit_dictionary_deltas=True)
write("decimal.arrow", [pa.table({"money": pa.array([1, 2], pa.decimal128(10, 2))})])
write("zone.arrow", [pa.table({"t": pa.array([1, 2], pa.timestamp("s", "Europe/Berlin"))})])
write("utc.arrow", [pa.table({"t": pa.array([1, 2], pa.timestamp("s", "UTC"))})])
write("struct.arrow", [pa.table({"pair": pa.array([{"a": 1, "b": 2}])})])
