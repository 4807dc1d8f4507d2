// What the tests of small one-dimensional arrays share: x from 0 to 99, in tiles of 10.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb::writing {

inline Schema line(bool sparse = true, std::vector<Attribute> attributes = {attribute("a", TypeId::int32)}) {
  return make_schema(sparse, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                     std::move(attributes));
}

inline std::shared_ptr<Array> make(const std::shared_ptr<Store>& store, const Schema& schema = line(),
                                   std::uint32_t version = 22) {
  CreateOptions options;
  options.at = 1;
  options.format_version = version;
  return create_array(store, schema, options);
}

inline WriteOptions at(std::uint64_t time) {
  WriteOptions options;
  options.at = time;
  return options;
}

template <class T>
Column column(std::string name, const Datatype& type, const std::vector<T>& values) {
  Column c;
  c.name = std::move(name);
  c.type = type;
  for (const T value : values) ByteWriter(c.data).put(value);
  return c;
}

inline Batch cells_with(const std::vector<std::int64_t>& x, const std::vector<std::int32_t>& a) {
  Batch batch;
  batch.cells = x.size();
  batch.columns = {column("x", TypeId::int64, x), column("a", TypeId::int32, a)};
  return batch;
}

// Cells x = first .. first + count with a = x; `more` adds columns.
inline Batch cells(std::int64_t first, std::int32_t count, std::vector<Column> more = {}) {
  std::vector<std::int64_t> x;
  std::vector<std::int32_t> a;
  for (std::int32_t i = 0; i < count; ++i) {
    x.push_back(first + i);
    a.push_back(static_cast<std::int32_t>(first + i));
  }
  Batch batch = cells_with(x, a);
  for (Column& column : more) batch.columns.push_back(std::move(column));
  return batch;
}

inline std::vector<std::int64_t> places(const Array& array) {
  return values<std::int64_t>(*ask(array, {}).column("x"));
}

}  // namespace tegula::tiledb::writing
