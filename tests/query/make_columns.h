// Columns written out as lists, for tables of tests.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/endian.h"
#include "query/columns/field.h"
#include "query/columns/gather.h"
#include "tegula/columns.h"

namespace tegula::testing {

template <class T>
Column numbers(std::string name, Datatype type, const std::vector<T>& values, std::vector<int> valid = {}) {
  Column column;
  column.name = std::move(name);
  column.type = std::move(type);
  column.data.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(column.data.data(), values.data(), column.data.size());
  column.nullable = !valid.empty();
  for (const int v : valid) column.validity.push_back(std::byte(v != 0));
  return column;
}

// No value is null; the column is nullable when there is one.
inline Column texts(std::string name, Datatype type, const std::vector<std::optional<std::string>>& values) {
  Column column;
  column.name = std::move(name);
  column.type = std::move(type);
  column.values_per_cell = kVar;
  column.offsets.push_back(0);
  for (const auto& value : values) {
    if (!value) column.nullable = true;
    const ByteView bytes = value ? bytes_of(*value) : ByteView();
    column.data.insert(column.data.end(), bytes.begin(), bytes.end());
    column.offsets.push_back(column.data.size());
  }
  if (column.nullable)
    for (const auto& value : values) column.validity.push_back(std::byte(value.has_value()));
  return column;
}

inline FieldInfo info(const Column& column, const Enumeration* enumeration = nullptr) {
  return {column.name, column.type, column.values_per_cell, column.nullable, false, enumeration};
}

inline std::vector<FieldInfo> infos(const Batch& batch) {
  std::vector<FieldInfo> out;
  for (const Column& column : batch.columns) out.push_back(info(column));
  return out;
}

// The cells of a column of int64; {-999} when there is none of that name.
inline std::vector<std::int64_t> integers(const Batch& batch, std::string_view name) {
  std::vector<std::int64_t> out;
  const Column* column = batch.column(name);
  if (!column) return {-999};
  for (std::size_t i = 0; i < column->cells(); ++i) out.push_back(load<std::int64_t>(column->cell(i).data()));
  return out;
}

}  // namespace tegula::testing
