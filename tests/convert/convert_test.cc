#include "convert/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/endian.h"
#include "convert/blocks.h"
#include "convert/compare.h"
#include "convert/filters.h"
#include "format/open.h"
#include "model/strided.h"
#include "store/memory.h"
#include "tegula/error.h"

namespace tegula {
namespace {

Column column_of(Datatype type, std::string_view bytes, std::uint32_t values_per_cell = 1) {
  Column column;
  column.type = std::move(type);
  column.values_per_cell = values_per_cell;
  column.data = copy_of(bytes_of(bytes));
  if (column.var()) column.offsets = {0, bytes.size()};
  return column;
}

template <class T>
std::string le(T value) {
  std::string out(sizeof(T), '\0');
  store_le(out.data(), value);
  return out;
}

Datatype big(TypeId id) {
  Datatype type(id);
  type.big_endian = true;
  return type;
}

TEST(EqualCells, ComparesValuesNotEncodings) {
  using std::string;
  struct Row {
    const char* name;
    Column left, right;
    bool equal;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Row rows[] = {
      {"widths", column_of(TypeId::int32, le(3)), column_of(TypeId::int64, le(std::int64_t{3})), true},
      {"byte order", column_of(big(TypeId::int32), string("\0\0\0\3", 4)), column_of(TypeId::int32, le(3)), true},
      {"sign", column_of(TypeId::int64, le(std::int64_t{-1})), column_of(TypeId::uint64, le(~std::uint64_t{0})), false},
      {"whole float", column_of(TypeId::float64, le(3.0)), column_of(TypeId::int8, "\3"), true},
      {"rounded float", column_of(TypeId::float64, le(0x1p53)),
       column_of(TypeId::int64, le((std::int64_t{1} << 53) + 1)), false},
      {"nan", column_of(TypeId::float64, le(nan)), column_of(TypeId::float64, le(nan)), true},
      {"nan and number", column_of(TypeId::float64, le(nan)), column_of(TypeId::int32, le(0)), false},
      {"padded text", column_of(Datatype(TypeId::bytes, 5), string("ab\0\0\0", 5)), column_of(TypeId::utf8, "ab", kVar),
       true},
      {"unicode", column_of(Datatype(TypeId::unicode, 8), le(std::uint32_t{0xE9}) + le(std::uint32_t{0})),
       column_of(TypeId::utf8, "\xC3\xA9", kVar), true},
      {"other text", column_of(TypeId::utf8, "ab", kVar), column_of(TypeId::utf8, "ac", kVar), false},
      {"number of values", column_of(TypeId::uint8, "ab", 2), column_of(TypeId::uint8, "abc", 3), false},
  };
  for (const Row& row : rows) EXPECT_EQ(equal_cells(row.left, 0, row.right, 0), row.equal) << row.name;
}

TEST(EqualCells, NullsEqualOnlyNulls) {
  Column null = column_of(TypeId::int32, le(3)), valid = null;
  null.nullable = valid.nullable = true;
  null.validity = {std::byte{0}};
  valid.validity = {std::byte{1}};
  EXPECT_TRUE(equal_cells(null, 0, null, 0));
  EXPECT_FALSE(equal_cells(null, 0, valid, 0));
}

TEST(Blocks, CoverEveryCellOnceInWholeChunks) {
  for (const std::uint64_t cells : {1u, 7u, 24u, 1000u}) {
    const std::vector<std::uint64_t> shape{5, 7, 3}, chunks{2, 3, 3};
    const Blocks blocks(shape, chunks, cells);
    std::vector<int> seen(5 * 7 * 3, 0);
    for (std::uint64_t i = 0; i < blocks.count(); ++i) {
      const auto start = blocks.start(i), extent = blocks.extent(i);
      for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_EQ(start[axis] % chunks[axis], 0u);
      for (std::uint64_t a = 0; a < extent[0]; ++a)
        for (std::uint64_t b = 0; b < extent[1]; ++b)
          for (std::uint64_t c = 0; c < extent[2]; ++c) ++seen[((start[0] + a) * 7 + start[1] + b) * 3 + start[2] + c];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 5 * 7 * 3) << cells;
  }
  EXPECT_EQ(Blocks({0, 4}, std::vector<std::uint64_t>{2, 2}, 10).count(), 0u);
  EXPECT_EQ(Blocks({}, std::vector<std::uint64_t>{}, 10).count(), 1u);
}

TEST(Filters, NamesOptionsAsTheFormatDoes) {
  using Options = std::vector<std::pair<std::string, Value>>;
  struct Row {
    const char *text, *format;
    std::vector<Filter> filters;
  };
  const Row rows[] = {
      {"none", "zarr2", {}},
      {"zstd:5", "tiledb", {{"zstd", Options{{"level", std::int64_t{5}}}}}},
      {"byteshuffle, zstd:level=3", "tiledb", {{"byteshuffle", {}}, {"zstd", Options{{"level", std::int64_t{3}}}}}},
      {"blosc:lz4:5:shuffle",
       "bcolz",
       {{"blosc",
         Options{{"cname", std::string("lz4")}, {"level", std::int64_t{5}}, {"shuffle", std::string("shuffle")}}}}},
      {"blosc:lz4:5:shuffle",
       "zarr2",
       {{"blosc", Options{{"cname", std::string("lz4")}, {"clevel", std::int64_t{5}}, {"shuffle", std::int64_t{1}}}}}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(parse_filters(row.text, row.format), row.filters) << row.text << " " << row.format;
  EXPECT_THROW(parse_filters("zstd:5:6", "tiledb"), Error);
  EXPECT_THROW(parse_filters("zstd,,lz4", "tiledb"), Error);
}

std::shared_ptr<Array> grid(std::string format) {
  Schema schema;
  schema.format = std::move(format);
  for (const char* name : {"dim_0", "dim_1"}) {
    Dimension d;
    d.name = name;
    d.type = TypeId::uint64;
    d.domain = {std::uint64_t{0}, std::uint64_t{4}};
    d.tile = std::uint64_t{2};
    schema.dimensions.push_back(d);
  }
  Attribute a;
  a.type = TypeId::int32;
  a.fill = Bytes(4, std::byte{0});
  schema.attributes.push_back(a);
  const std::shared_ptr<Array> array = create(make_memory_store(), schema);
  std::vector<std::int32_t> values(25);
  for (int i = 0; i < 25; ++i) values[static_cast<std::size_t>(i)] = i * i;
  const std::vector<std::uint64_t> shape{5, 5};
  array->write({}, "", {reinterpret_cast<const std::byte*>(values.data()), shape, contiguous_strides(shape, 4)});
  return array;
}

TEST(Convert, KeepsValuesBetweenAllPairs) {
  for (const char* from : {"tiledb", "bcolz", "zarr0", "zarr1", "zarr2", "zarr3"}) {
    const std::shared_ptr<Array> source = grid(from);
    for (const char* to : {"tiledb", "bcolz", "zarr0", "zarr1", "zarr2", "zarr3"}) {
      ConvertOptions options;
      options.target.format = to;
      Work work;
      work.memory = 256;  // several blocks
      const std::shared_ptr<Array> copy = convert(*source, make_memory_store(), options, work);
      const Comparison report = compare(*source, *copy, {});
      EXPECT_TRUE(report.same()) << from << " to " << to << ": " << report.different;
      EXPECT_EQ(report.cells, 25u);
    }
  }
}

TEST(Convert, RefusesToLoseUnlessToldTo) {
  Schema schema;
  schema.format = "tiledb";
  Dimension d;
  d.name = "x";
  d.type = TypeId::int32;
  d.domain = {std::int64_t{1}, std::int64_t{4}};
  d.tile = std::int64_t{2};
  schema.dimensions = {d};
  Attribute a;
  a.name = "v";
  a.type = TypeId::int32;
  a.nullable = true;
  a.fill = Bytes(4, std::byte{0});
  schema.attributes = {a};
  const std::shared_ptr<Array> source = create(make_memory_store(), schema);
  ConvertOptions options;
  options.target.format = "zarr3";
  const std::shared_ptr<Store> store = make_memory_store();
  try {
    convert(*source, store, options, {});
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(error.what()).find("nulls of 'v'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("does not start at 0"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(store->list("").empty());
  options.lossy = true;
  EXPECT_EQ(convert(*source, store, options, {})->schema().shape(), std::vector<std::uint64_t>{4});
}

}  // namespace
}  // namespace tegula
