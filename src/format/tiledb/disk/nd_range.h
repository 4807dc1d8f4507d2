// Ranges per dimension: non-empty domains, minimum bounding rectangles, current domains.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/cursor.h"
#include "tegula/bytes.h"
#include "tegula/schema.h"

namespace tegula::tiledb {

// What reading a range needs to know of its dimension.
struct DimensionType {
  Datatype type;
  bool var = false;
  std::uint32_t size() const { return type.size; }
};

// Signed integers and dates become int64, unsigned ones uint64, floats double, everything else text. `bytes` holds one
// value.
Value value_from_bytes(const Datatype& type, ByteView bytes);
// Appends; throws invalid_argument when the value does not fit the type.
void value_to_bytes(const Datatype& type, const Value& value, Bytes& out);

using NdRange = std::vector<Range>;

NdRange decode_nd_range(Cursor& in, std::span<const DimensionType> dimensions);
void encode_nd_range(const NdRange& range, std::span<const DimensionType> dimensions, Bytes& out);

// Many rectangles. Their bounds are kept by dimension as raw values, so that a search is a loop over numbers.
class MbrTable {
 public:
  MbrTable() = default;
  explicit MbrTable(std::span<const DimensionType> dimensions);
  std::uint64_t count() const { return count_; }
  std::size_t dimensions() const { return columns_.size(); }
  const Datatype& type(std::size_t dimension) const { return columns_[dimension].type.type; }
  bool var(std::size_t dimension) const { return columns_[dimension].type.var; }
  ByteView low(std::size_t dimension, std::uint64_t i) const;
  ByteView high(std::size_t dimension, std::uint64_t i) const;
  // Fixed dimensions: lo, hi, lo, hi ... of all rectangles.
  ByteView pairs(std::size_t dimension) const { return columns_[dimension].values; }
  NdRange range(std::uint64_t i) const;

  void decode(Cursor& in, std::uint64_t count);  // appends
  void encode(Bytes& out) const;
  // Appends the hull of [begin, end) of another table.
  void add_hull(const MbrTable& other, std::uint64_t begin, std::uint64_t end);
  // Appends one rectangle.
  void add(std::span<const ByteView> low, std::span<const ByteView> high);

 private:
  struct ColumnData {
    DimensionType type;
    Bytes values;
    std::vector<std::uint64_t> ends;  // var: of each low and high in `values`
  };
  void append(std::size_t dimension, ByteView low, ByteView high);
  std::uint64_t count_ = 0;
  std::vector<ColumnData> columns_;
};

// Returns -1, 0 or 1. Compares numbers by value, and text by unsigned bytes, where a prefix comes first.
int compare_values(const Datatype& type, bool var, ByteView a, ByteView b);

}  // namespace tegula::tiledb
