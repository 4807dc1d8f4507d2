// Small carrays and tables in memory, for the tests of this room.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/bcolz/driver.h"
#include "model/strided.h"
#include "store/memory/memory_store.h"
#include "tegula/array.h"
#include "tegula/error.h"

namespace tegula::bcolz {

inline Dimension rows_dimension(std::uint64_t rows, std::uint64_t chunklen) {
  Dimension out{"row", TypeId::uint64, 1, {}, {}, {}};
  if (rows) out.domain = {std::uint64_t{0}, rows - 1};
  if (chunklen) out.tile = chunklen;
  return out;
}

inline Attribute attribute(std::string name, const char* dtype, std::uint32_t values = 1) {
  Attribute out;
  out.name = std::move(name);
  out.type = datatype_from_numpy(dtype);
  out.values_per_cell = values;
  return out;
}

inline Schema carray_schema(const char* dtype, std::uint64_t chunklen, const std::vector<std::uint64_t>& shape = {0}) {
  Schema out;
  out.format = "bcolz";
  out.dimensions = {rows_dimension(shape[0], chunklen)};
  for (std::size_t a = 1; a < shape.size(); ++a) out.dimensions.push_back(rows_dimension(shape[a], 0));
  out.attributes = {attribute("", dtype)};
  return out;
}

inline Schema table_schema(std::uint64_t chunklen) {
  Schema out;
  out.format = "bcolz";
  out.table = true;
  out.dimensions = {rows_dimension(0, chunklen)};
  out.attributes = {attribute("k", "int32"), attribute("f", "float64"), attribute("v", "int16", 3)};
  return out;
}

inline std::shared_ptr<Array> create(std::shared_ptr<Store> store, const Schema& schema) {
  return kBcolzDriver.create(std::move(store), schema, {});
}
inline std::shared_ptr<Array> open(std::shared_ptr<Store> store) { return kBcolzDriver.open(std::move(store), {}); }

template <class T>
Bytes bytes_from(const std::vector<T>& values) {
  return copy_of(std::as_bytes(std::span(values)));
}

template <class T>
Column column(std::string name, const char* dtype, const std::vector<T>& values) {
  Column out;
  out.name = std::move(name);
  out.type = datatype_from_numpy(dtype);
  out.data = bytes_from(values);
  return out;
}

// Rows first .. first + count of the table that table_schema() makes.
inline Batch table_rows(int first, int count) {
  std::vector<std::int32_t> k;
  std::vector<double> f;
  std::vector<std::int16_t> v;
  for (int i = first; i < first + count; ++i) {
    k.push_back(i % 10);
    f.push_back(i * 0.5);
    for (int j = 0; j < 3; ++j) v.push_back(static_cast<std::int16_t>(i * 3 + j));
  }
  Batch out;
  out.columns = {column("k", "int32", k), column("f", "float64", f), column("v", "int16", v)};
  out.columns[2].values_per_cell = 3;
  out.cells = static_cast<std::uint64_t>(count);
  return out;
}

inline Bytes read(const Array& array, const Selection& selection, const std::string& field = "") {
  const std::vector<std::uint64_t> shape = resolve(selection, array.schema().shape()).shape();
  const std::uint64_t item = array.schema().attribute(field)->cell_size();
  Bytes out(cell_count(shape) * item);
  array.read(selection, field, {out.data(), shape, contiguous_strides(shape, item)});
  return out;
}
inline Bytes read(const Array& array, const char* selection, const std::string& field = "") {
  return read(array, parse_selection(selection), field);
}

template <class T>
std::vector<T> values_of(const Array& array, const char* selection = "[...]", const std::string& field = "") {
  const Bytes bytes = read(array, selection, field);
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

// Everything that a reader can see: the fields, one after the other, and the shape.
inline std::string all_of(const Array& array) {
  std::string out;
  for (const std::uint64_t extent : array.schema().shape()) out += std::to_string(extent) + " ";
  for (const Attribute& a : array.schema().attributes)
    out += a.name + ":" + std::string(text_of(read(array, "[...]", a.name)));
  return out;
}

}  // namespace tegula::bcolz
