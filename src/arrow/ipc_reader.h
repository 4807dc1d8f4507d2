// Cells from Arrow IPC: the stream form and the file form (Feather 2).
// https://arrow.apache.org/docs/format/Columnar.html
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tegula/columns.h"

namespace tegula {

// Reads record batch by record batch. Numbers, booleans, dates, timestamps, durations, text, binary, and lists of
// numbers, each possibly null; booleans take a byte, text comes as utf8 and binary as blob of any length. Buffers may
// be compressed (lz4, zstd); dictionaries become the values that they stand for. Throws corrupt with the offset for
// damage, and unsupported for other types, naming the field.
class ArrowReader {
 public:
  using Read = std::function<void(std::uint64_t offset, MutableBytes into)>;  // what lies inside of the file

  ArrowReader(Read read, std::uint64_t size, std::string name);
  ~ArrowReader();

  // The fields, as columns without cells.
  const Batch& like() const;
  std::optional<Batch> next();  // no value at the end

 private:
  class State;
  std::unique_ptr<State> state_;
};

// All record batches of a file in memory as one.
Batch read_arrow(ByteView file, const std::string& name);

}  // namespace tegula
