// Cells in memory, column by column, much as Arrow holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/datatype.h"
#include "tegula/schema.h"

namespace tegula {

// The cells of one field. Cells of a fixed size follow one another in `data`; a cell of variable size takes the bytes
// from offsets[i] to offsets[i + 1].
struct Column {
  std::string name;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool nullable = false;
  Bytes data;
  Buffer<std::uint64_t> offsets;  // kVar only: cells + 1 byte offsets
  Bytes validity;                 // nullable only: one byte per cell, 0 is null

  bool var() const { return values_per_cell == kVar; }
  std::uint64_t cell_size() const { return var() ? 0 : values_per_cell * type.full_size(); }
  std::size_t cells() const { return var() ? (offsets.empty() ? 0 : offsets.size() - 1) : data.size() / cell_size(); }
  bool valid(std::size_t i) const { return !nullable || validity[i] != std::byte{0}; }
  ByteView cell(std::size_t i) const;
  std::uint64_t bytes() const { return data.size() + offsets.size() * 8 + validity.size(); }
};

// Cells of several fields; all columns have `cells` cells. `shape` is set for dense results, whose cells are in C
// order.
struct Batch {
  std::vector<Column> columns;
  std::uint64_t cells = 0;
  std::optional<std::vector<std::uint64_t>> shape;

  const Column* column(std::string_view name) const;  // null when absent
};

// Memory of the caller that receives an N-d result: the address of element 0, and strides in bytes, which may be
// negative.
struct StridedBuffer {
  std::byte* data = nullptr;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
};

// The same for reading.
struct StridedView {
  const std::byte* data = nullptr;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
};

}  // namespace tegula
