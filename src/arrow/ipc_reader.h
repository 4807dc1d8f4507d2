// Cells from Arrow IPC: the stream form and the file form (Feather 2).
// https://arrow.apache.org/docs/format/Columnar.html
#pragma once

#include <string>

#include "tegula/columns.h"

namespace tegula {

// All record batches as one. Numbers, booleans, dates, timestamps, durations, text, binary, and lists of numbers, each
// possibly null; booleans take a byte, text comes as utf8 and binary as blob of any length. Buffers may be compressed
// (lz4, zstd); dictionaries become the values that they stand for. Throws corrupt with the offset for damage, and
// unsupported for other types, naming the field.
Batch read_arrow(ByteView file, const std::string& name);

}  // namespace tegula
