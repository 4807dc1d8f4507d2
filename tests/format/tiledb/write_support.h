// What the tests of writing share: a table of schemas, cells that suit any of them, and reading all back.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/endian.h"
#include "format/tiledb/array.h"
#include "format/tiledb/create.h"
#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/disk/nd_range.h"
#include "format/tiledb/disk/with_type.h"
#include "model/strided.h"
#include "store/memory/memory_store.h"
#include "tegula/array.h"

namespace tegula::tiledb::writing {

inline Dimension dimension(std::string name, Datatype type, Value low, Value high, Value tile = {}) {
  Dimension d;
  d.name = std::move(name);
  d.type = std::move(type);
  d.domain = {std::move(low), std::move(high)};
  d.tile = std::move(tile);
  return d;
}

inline Dimension text_dimension(std::string name) {
  Dimension d;
  d.name = std::move(name);
  d.type = TypeId::ascii;
  d.values_per_cell = kVar;
  return d;
}

inline Attribute attribute(std::string name, Datatype type, std::uint32_t values = 1, bool nullable = false,
                           std::vector<Filter> filters = {}) {
  Attribute a;
  a.name = std::move(name);
  a.type = std::move(type);
  a.values_per_cell = values;
  a.nullable = nullable;
  a.filters = std::move(filters);
  return a;
}

inline Schema make_schema(bool sparse, std::vector<Dimension> dimensions, std::vector<Attribute> attributes) {
  Schema schema;
  schema.format = "tiledb";
  schema.sparse = sparse;
  schema.dimensions = std::move(dimensions);
  schema.attributes = std::move(attributes);
  return schema;
}

inline Datatype dates(TimeUnit unit) {
  Datatype type(TypeId::datetime);
  type.unit = unit;
  return type;
}

// A schema, the versions that have it, and the box of a dense write or the number of sparse cells.
struct Case {
  std::string name;
  std::uint32_t since;
  Schema schema;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> box = {};  // first and count along each dimension
  std::uint64_t cells = 0;
};

inline Filter filter(std::string name) { return {std::move(name), {}}; }

inline std::vector<Case> cases() {
  const std::int64_t i0 = 0;
  std::vector<Case> all;
  const auto dense = [&](std::string name, std::uint32_t since, std::vector<Attribute> attributes,
                         std::function<void(Schema&)> change = {}) {
    Schema schema = make_schema(false,
                                {dimension("y", TypeId::int32, std::int64_t{-3}, std::int64_t{16}, std::int64_t{6}),
                                 dimension("x", TypeId::int32, i0, std::int64_t{29}, std::int64_t{7})},
                                std::move(attributes));
    if (change) change(schema);
    all.push_back({std::move(name), since, std::move(schema), {{2, 15}, {5, 20}}, 0});
  };
  const auto sparse = [&](std::string name, std::uint32_t since, std::vector<Dimension> dimensions,
                          std::vector<Attribute> attributes, std::function<void(Schema&)> change = {}) {
    Schema schema = make_schema(true, std::move(dimensions), std::move(attributes));
    schema.capacity = 64;
    if (change) change(schema);
    all.push_back({std::move(name), since, std::move(schema), {}, 500});
  };
  const Dimension row = dimension("row", TypeId::int64, std::int64_t{-500}, std::int64_t{500}, std::int64_t{100});
  const Dimension col = dimension("col", TypeId::int64, std::int64_t{0}, std::int64_t{900}, std::int64_t{250});

  dense("dense_numbers", 3, {attribute("a", TypeId::int32), attribute("f", TypeId::float64)});
  dense("dense_col", 3, {attribute("a", TypeId::uint16)}, [](Schema& s) { s.tile_order = s.cell_order = Order::col; });
  dense("dense_mixed_order", 3, {attribute("a", TypeId::uint8)}, [](Schema& s) { s.cell_order = Order::col; });
  dense("dense_var", 3, {attribute("s", TypeId::ascii, kVar), attribute("v", TypeId::int16, kVar)});
  dense("dense_multi", 3, {attribute("m", TypeId::float32, 3)});
  dense("dense_nullable", 7,
        {attribute("a", TypeId::int64, 1, true), attribute("s", TypeId::utf8, kVar, true),
         attribute("c", TypeId::ascii, 4, true)});
  dense("dense_unfiltered", 3, {attribute("a", TypeId::int32, 1, false, {filter("none")})},
        [](Schema& s) { s.offsets_filters = {filter("none")}; });
  dense("dense_dates", 4, {attribute("d", dates(TimeUnit::day))}, [](Schema& s) {
    s.dimensions = {dimension("t", dates(TimeUnit::hour), std::int64_t{1000}, std::int64_t{1400}, std::int64_t{24}),
                    dimension("u", dates(TimeUnit::hour), std::int64_t{0}, std::int64_t{40}, std::int64_t{9})};
  });
  dense("dense_default_tiles", 3, {attribute("a", TypeId::int32)}, [](Schema& s) {
    for (Dimension& d : s.dimensions) d.tile = {};
  });
  for (const char* name : {"gzip", "zstd", "lz4", "rle", "bzip2", "double_delta", "bit_width_reduction", "bitshuffle",
                           "byteshuffle", "positive_delta", "checksum_md5", "checksum_sha256", "xor", "delta"}) {
    const std::string_view filter_name = name;
    const std::uint32_t since = filter_name.starts_with("checksum") ? 5
                                : filter_name == "xor"              ? 16
                                : filter_name == "delta"            ? 19
                                                                    : 3;
    if (filter_name == "positive_delta") {
      sparse("filter_positive_delta", since, {row}, {attribute("a", TypeId::uint32)}, [&](Schema& s) {
        s.dimensions[0].tile = std::int64_t{1001};
        s.coords_filters = {filter("positive_delta"), filter("zstd")};
      });
      continue;
    }
    dense("filter_" + std::string(name), since, {attribute("a", TypeId::int32, 1, false, {filter(name)})});
  }
  dense("filter_chain", 3,
        {attribute("a", TypeId::uint32, 1, false,
                   {filter("bit_width_reduction"), filter("bitshuffle"), filter("gzip")})});
  dense("filter_scale", 20,
        {attribute("f", TypeId::float64, 1, false,
                   {{"scale_float", {{"factor", 0.5}, {"offset", 1.0}, {"byte_width", std::uint64_t{4}}}},
                    filter("byteshuffle"),
                    filter("zstd")})});
  dense("text_rle", 3, {attribute("s", TypeId::ascii, kVar, false, {filter("rle")})});
  dense("text_dictionary", 13, {attribute("s", TypeId::ascii, kVar, false, {filter("dictionary"), filter("zstd")})});
  dense("text_dictionary_utf8", 17, {attribute("s", TypeId::utf8, kVar, true, {filter("dictionary")})});

  sparse("sparse_numbers", 3, {row, col}, {attribute("a", TypeId::int32), attribute("f", TypeId::float32)});
  sparse("sparse_col", 3, {row, col}, {attribute("a", TypeId::int8)},
         [](Schema& s) { s.tile_order = s.cell_order = Order::col; });
  sparse("sparse_float", 3,
         {dimension("x", TypeId::float64, -10.0, 10.0, 2.5), dimension("y", TypeId::float64, 0.0, 1.0, 0.25)},
         {attribute("s", TypeId::ascii, kVar)});
  sparse("sparse_text", 5, {text_dimension("id"), row}, {attribute("a", TypeId::uint64)});
  sparse("sparse_duplicates", 5,
         {dimension("x", TypeId::uint8, std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{10})},
         {attribute("a", TypeId::int32)}, [](Schema& s) { s.allows_duplicates = true; });
  sparse("sparse_nullable", 7, {row},
         {attribute("a", TypeId::float64, 1, true), attribute("s", TypeId::ascii, kVar, true)});
  sparse("sparse_hilbert", 9, {row, col}, {attribute("a", TypeId::int32)},
         [](Schema& s) { s.cell_order = Order::hilbert; });
  sparse("sparse_text_rle", 5, {text_dimension("id")}, {attribute("a", TypeId::int32)},
         [](Schema& s) { s.dimensions[0].filters = {filter("rle")}; });
  sparse("sparse_default_tile", 3, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{1'000'000})},
         {attribute("a", TypeId::int32)});
  sparse("sparse_bool", 14, {row}, {attribute("b", TypeId::boolean, 1, true)});
  sparse("sparse_current_domain", 22, {row}, {attribute("a", TypeId::int32)},
         [](Schema& s) { s.current_domain = {{{std::int64_t{-500}, std::int64_t{499}}}}; });
  sparse("sparse_enumeration", 20, {row}, {attribute("e", TypeId::uint8)}, [](Schema& s) {
    Enumeration e{"colors", TypeId::utf8, kVar, true, copy_of(bytes_of("redgreenblue")), {0, 3, 8}};
    s.enumerations = {e};
    s.attributes[0].enumeration = "colors";
  });
  return all;
}

// Cells of a field, the same for the same seed. Text repeats, so that it compresses; integers are small.
inline Column random_column(std::string name, const Datatype& type, std::uint32_t values, bool nullable,
                            std::uint64_t cells, std::mt19937_64& random) {
  Column column;
  column.name = std::move(name);
  column.type = type;
  column.values_per_cell = values;
  column.nullable = nullable;
  ByteWriter out(column.data);
  const auto value = [&] {
    const std::uint64_t v = random() % 100;
    if (type.id == TypeId::boolean) return out.put(static_cast<std::uint8_t>(v & 1));
    if (!is_number(type)) {
      for (std::uint32_t i = 0; i < type.size; ++i) out.put(static_cast<std::uint8_t>(i == 0 ? 'a' + v % 26 : 0));
      return;
    }
    with_number(type, [&]<class T>(T) { out.put(static_cast<T>(std::is_floating_point_v<T> ? v * 0.5 : v)); });
  };
  if (values == kVar) {
    column.offsets.push_back(0);
    for (std::uint64_t i = 0; i < cells; ++i) {
      const std::uint64_t n = random() % 4;
      for (std::uint64_t k = 0; k < n; ++k) value();
      column.offsets.push_back(column.data.size());
    }
  } else {
    for (std::uint64_t i = 0; i < cells * values; ++i) value();
  }
  if (nullable)
    for (std::uint64_t i = 0; i < cells; ++i) column.validity.push_back(std::byte{random() % 3 != 0});
  return column;
}

// Different coordinates spread over the first dimension's domain, in random order.
inline std::vector<Column> random_coordinates(const Schema& schema, std::uint64_t cells, std::mt19937_64& random) {
  std::vector<std::uint64_t> numbers(cells);
  for (std::uint64_t i = 0; i < cells; ++i) numbers[i] = i;
  if (!schema.allows_duplicates) std::shuffle(numbers.begin(), numbers.end(), random);
  std::vector<Column> columns;
  for (std::size_t d = 0; d < schema.dimensions.size(); ++d) {
    const Dimension& dim = schema.dimensions[d];
    Column column;
    column.name = dim.name;
    column.type = dim.type;
    column.values_per_cell = dim.values_per_cell;
    if (column.var()) column.offsets.push_back(0);
    for (const std::uint64_t n : numbers) {
      if (column.var()) {
        const std::string text = std::string(1 + n % 7, 'k') + std::to_string(n);
        column.data.insert(column.data.end(), bytes_of(text).begin(), bytes_of(text).end());
        column.offsets.push_back(column.data.size());
        continue;
      }
      Bytes bounds;
      value_to_bytes(dim.type, dim.domain.low, bounds);
      value_to_bytes(dim.type, dim.domain.high, bounds);
      with_number(dim.type, [&]<class T>(T) {
        const T low = load_le<T>(bounds.data()), high = load_le<T>(bounds.data() + sizeof(T));
        const double part = d == 0 ? static_cast<double>(n) / static_cast<double>(cells)
                                   : static_cast<double>(random() % 1000) / 1000.0;
        const T v =
            static_cast<T>(static_cast<double>(low) + part * (static_cast<double>(high) - static_cast<double>(low)));
        ByteWriter(column.data).put(v);
      });
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// Sparse: dimensions and attributes. Dense: attributes.
inline Batch random_cells(const Schema& schema, std::uint64_t cells, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Batch batch;
  batch.cells = cells;
  if (schema.sparse) batch.columns = random_coordinates(schema, cells, random);
  for (const Attribute& a : schema.attributes) {
    Column column = random_column(a.name, a.type, a.values_per_cell, a.nullable, cells, random);
    if (!a.enumeration.empty())
      for (std::byte& code : column.data) code = std::byte{static_cast<std::uint8_t>(static_cast<unsigned>(code) % 3)};
    batch.columns.push_back(std::move(column));
  }
  return batch;
}

inline Selection box_selection(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& box) {
  Selection selection;
  for (const auto& [first, count] : box)
    selection.axes.emplace_back(Slice{static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count), 1});
  return selection;
}

inline std::uint64_t box_cells(const Case& c) {
  std::uint64_t cells = 1;
  for (const auto& [first, count] : c.box) cells *= count;
  return c.schema.sparse ? c.cells : cells;
}

// Creates the array of a case and writes its cells.
inline std::shared_ptr<Array> write_case(std::shared_ptr<Store> store, const Case& c, std::uint32_t version,
                                         const Bytes& key = {}) {
  CreateOptions options;
  options.format_version = version;
  options.key = key;
  const std::shared_ptr<Array> array = create_array(std::move(store), c.schema, options);
  const Batch cells = random_cells(c.schema, box_cells(c), 7);
  if (c.schema.sparse)
    array->write(cells);
  else
    array->write(box_selection(c.box), cells);
  return array;
}

}  // namespace tegula::tiledb::writing
