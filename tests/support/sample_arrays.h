// Small arrays of every family, each a few chunks or fragments, the same every time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/endian.h"
#include "format/registry/registry.h"
#include "query/columns/gather.h"
#include "store/store.h"
#include "tegula/array.h"
#include "tegula/tiledb.h"

namespace tegula::testing {

// One thread, so that the calls of an operation come in the same order every time.
inline Work one_thread() {
  Work work;
  work.threads = 1;
  return work;
}

inline WriteOptions written_at(std::uint64_t time) {
  WriteOptions options;
  options.at = time;
  options.work = one_thread();
  return options;
}

struct SampleArray {
  std::string name;
  Schema schema;
  std::uint64_t cells = 0;  // of a write
};
inline void PrintTo(const SampleArray& sample, std::ostream* out) { *out << sample.name; }

inline Attribute sample_attribute(const std::string& name, TypeId type, std::uint32_t values = 1) {
  Attribute attribute;
  attribute.name = name;
  attribute.type = type;
  attribute.values_per_cell = values;
  attribute.fill = Bytes(attribute.cell_size(), std::byte{0xEE});
  return attribute;
}

inline Schema sample_schema(const std::string& format, std::uint64_t cells, std::uint64_t tile,
                            std::vector<Attribute> attributes) {
  Schema schema;
  schema.format = format;
  Dimension dimension;
  dimension.name = "x";
  dimension.type = TypeId::uint64;
  if (cells) dimension.domain = {std::uint64_t{0}, cells - 1};
  dimension.tile = tile;
  schema.dimensions = {dimension};
  schema.attributes = std::move(attributes);
  return schema;
}

inline std::vector<SampleArray> sample_arrays() {
  const auto two = [] {
    return std::vector{sample_attribute("a", TypeId::int32), sample_attribute("s", TypeId::ascii, kVar)};
  };
  const auto number = [](const char* name) { return std::vector{sample_attribute(name, TypeId::int32)}; };
  std::vector<SampleArray> all;
  const auto add = [&](const char* name, Schema schema, std::uint64_t cells) {
    all.push_back({name, std::move(schema), cells});
  };
  add("tiledb_dense", sample_schema("tiledb", 40, 10, two()), 40);
  Schema sparse = sample_schema("tiledb", 1000, 100, two());
  sparse.sparse = true;
  sparse.capacity = 8;
  add("tiledb_sparse", sparse, 24);
  sparse.allows_duplicates = true;
  add("tiledb_duplicates", sparse, 24);
  add("bcolz_carray", sample_schema("bcolz", 0, 8, number("")), 40);
  Schema table =
      sample_schema("bcolz", 0, 8, {sample_attribute("a", TypeId::int32), sample_attribute("b", TypeId::float64)});
  table.table = true;
  add("bcolz_table", table, 40);
  add("zarr1", sample_schema("zarr1", 40, 10, number("")), 40);
  add("zarr2", sample_schema("zarr2", 40, 10, number("")), 40);
  add("zarr3", sample_schema("zarr3", 40, 10, number("")), 40);
  Schema sharded = sample_schema("zarr3", 40, 20, number(""));
  sharded.attributes[0].filters = {{"sharding", {{"chunk_shape", std::string("[5]")}}}};
  add("zarr3_sharded", sharded, 40);
  return all;
}

// Cells of the attributes, and for sparse arrays the coordinates first, first + step, ... `seed` makes other values;
// none is a fill value.
inline Batch sample_cells(const Schema& schema, std::uint64_t cells, std::uint64_t seed, std::uint64_t first = 0,
                          std::uint64_t step = 1) {
  Batch batch;
  batch.cells = cells;
  if (schema.sparse) {
    Column column = empty_column(field_info(schema.dimensions[0]));
    column.data.resize(8 * cells);
    for (std::uint64_t i = 0; i < cells; ++i) store_le(column.data.data() + 8 * i, first + i * step);
    batch.columns.push_back(std::move(column));
  }
  for (const Attribute& attribute : schema.attributes) {
    Column column = empty_column(field_info(attribute, schema));
    for (std::uint64_t i = 0; i < cells; ++i) {
      const std::uint64_t value = 1 + i + 1000 * seed;
      if (column.var()) {
        const std::string text = std::to_string(value) + std::string(i % 3, '.');
        column.data.insert(column.data.end(), bytes_of(text).begin(), bytes_of(text).end());
        column.offsets.push_back(column.data.size());
        continue;
      }
      Bytes cell(attribute.cell_size());
      if (attribute.type.id == TypeId::float64)
        store_le(cell.data(), static_cast<double>(value));
      else
        store_le(cell.data(), static_cast<std::int32_t>(value));
      column.data.insert(column.data.end(), cell.begin(), cell.end());
    }
    batch.columns.push_back(std::move(column));
  }
  return batch;
}

inline Selection sample_box(std::uint64_t first, std::uint64_t count) {
  return {{Slice{static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count), 1}}, false};
}

inline std::map<std::string, std::optional<MetaValue>> sample_metadata(const std::string& key, char letter) {
  MetaValue value{TypeId::utf8, 1, Bytes(1, static_cast<std::byte>(letter)), false};
  return {{key, value}};
}

// Three writes, or three appends, and metadata. Of TileDB, at the times 110, 120 and 130: names with times of as many
// digits have the order of the times.
inline void make_sample(const SampleArray& sample, const std::shared_ptr<Store>& store) {
  CreateOptions options;
  options.work = one_thread();
  if (sample.schema.format == "tiledb") options.at = 101;
  const std::shared_ptr<Array> array = create(store, sample.schema, options);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const bool tiledb = sample.schema.format == "tiledb";
    const WriteOptions at = written_at(tiledb ? 110 + 10 * i : 0);
    if (sample.schema.sparse) {
      array->write(sample_cells(sample.schema, sample.cells, i, 10 * i, 3), at);
    } else if (tiledb) {
      array->write(sample_box(5 * i, 20), sample_cells(sample.schema, 20, i), at);
    } else if (sample.schema.format == "bcolz") {
      array->append(sample_cells(sample.schema, i == 2 ? 14 : 13, i), at);
    } else {
      array->write(sample_box(13 * i, i == 2 ? 14 : 13), sample_cells(sample.schema, i == 2 ? 14 : 13, i), at);
    }
    array->update_metadata(sample_metadata(std::string(1, static_cast<char>('k' + i)), 'v'), at);
  }
}

}  // namespace tegula::testing
