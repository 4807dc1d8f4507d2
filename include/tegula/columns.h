// Values in memory: one buffer per field, in Arrow's spirit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/datatype.h"
#include "tegula/schema.h"

namespace tegula {

// A column of cells. Fixed cells lie one after the other in `data`; variable ones at offsets[i]..offsets[i+1].
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

// Cells of several fields, row by row. `shape` is set for dense results, whose cells are in C order of it.
struct Batch {
  std::vector<Column> columns;
  std::uint64_t cells = 0;
  std::optional<std::vector<std::uint64_t>> shape;

  const Column* column(std::string_view name) const;  // null when absent
};

// A place in a caller's memory for an N-d result: address of element 0 and byte strides, which may be negative.
struct StridedBuffer {
  std::byte* data = nullptr;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
};

// The same, to read from.
struct StridedView {
  const std::byte* data = nullptr;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
};

}  // namespace tegula
