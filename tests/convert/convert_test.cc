#include "convert/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/endian.h"
#include "convert/blocks.h"
#include "convert/compare.h"
#include "convert/equal_cells.h"
#include "convert/filters.h"
#include "convert/resume_note.h"
#include "format/registry/registry.h"
#include "model/strided.h"
#include "stops.h"
#include "store/memory/memory_store.h"
#include "store/wrap/failing_store.h"
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
      const auto [start, extent] = blocks.box(i);
      for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_EQ(start[axis] % chunks[axis], 0u);
      for (std::uint64_t a = 0; a < extent[0]; ++a)
        for (std::uint64_t b = 0; b < extent[1]; ++b)
          for (std::uint64_t c = 0; c < extent[2]; ++c) ++seen[((start[0] + a) * 7 + start[1] + b) * 3 + start[2] + c];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 5 * 7 * 3) << cells;
  }
  EXPECT_EQ(Blocks(std::vector<std::uint64_t>{0, 4}, std::vector<std::uint64_t>{2, 2}, 10).count(), 0u);
  EXPECT_EQ(Blocks(CellBox{}, std::vector<std::uint64_t>{}, 10).count(), 1u);
}

TEST(Blocks, OfABoxEndWhereChunksEnd) {
  const std::uint64_t far = std::uint64_t{1} << 62;
  const Blocks blocks(CellBox{{far + 5, 3}, {10, 4}}, std::vector<std::uint64_t>{4, 100}, 20);
  std::vector<CellBox> boxes;
  for (std::uint64_t i = 0; i < blocks.count(); ++i) boxes.push_back(blocks.box(i));
  EXPECT_EQ(boxes, (std::vector<CellBox>{{{far + 5, 3}, {3, 4}}, {{far + 8, 3}, {4, 4}}, {{far + 12, 3}, {3, 4}}}));
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
  a.filters = default_filters(schema.format, a.type);
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
      const std::shared_ptr<Array> copy = convert(*source, make_memory_store(), options, work).array;
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
  EXPECT_EQ(convert(*source, store, options, {}).array->schema().shape(), std::vector<std::uint64_t>{4});
}

// A sparse array or a table of many rows, for copies in several pieces.
std::shared_ptr<Array> rows_of(const std::string& format, bool nullable) {
  Schema schema;
  schema.format = format;
  schema.sparse = format == "tiledb";
  schema.table = !schema.sparse;
  Dimension d;
  d.name = schema.sparse ? "x" : "row";
  d.type = TypeId::uint64;
  if (schema.sparse) d.domain = {std::uint64_t{0}, std::uint64_t{999}};
  if (schema.sparse) d.tile = std::uint64_t{10};
  schema.dimensions = {d};
  schema.capacity = 4;
  Attribute a;
  a.name = "v";
  a.type = TypeId::int32;
  a.nullable = nullable;
  a.fill = copy_of(bytes_of(le(-7)));
  schema.attributes = {a};
  const std::shared_ptr<Array> array = create(make_memory_store(), schema);
  Batch batch;
  batch.cells = 60;
  Column x = column_of(TypeId::uint64, ""), v = column_of(TypeId::int32, "");
  x.name = "x";
  v.name = "v";
  v.nullable = nullable;
  std::string places, values;
  for (std::uint64_t i = 0; i < batch.cells; ++i) {
    places += le(i * 7);
    values += le(static_cast<std::int32_t>(i));
    if (nullable) v.validity.push_back(i % 5 ? std::byte{1} : std::byte{0});
  }
  x.data = copy_of(bytes_of(places));
  v.data = copy_of(bytes_of(values));
  if (schema.sparse) {
    batch.columns = {x, v};
    array->write(batch);
  } else {
    batch.columns = {v};
    array->append(batch);
  }
  return array;
}

// Stopped at any change of the target, the same conversion goes on and ends as if nothing had happened.
TEST(Convert, GoesOnWhereItWasStopped) {
  struct Row {
    std::shared_ptr<Array> source;
    const char* to;
  };
  const Row rows[] = {{grid("zarr2"), "tiledb"},         {grid("tiledb"), "zarr3"},
                      {grid("bcolz"), "zarr2"},          {grid("zarr2"), "bcolz"},
                      {grid("zarr2"), "zarr3"},          {rows_of("tiledb", false), "tiledb"},
                      {rows_of("bcolz", false), "bcolz"}};
  for (const Row& row : rows) {
    ConvertOptions options;
    options.target.format = row.to;
    options.source_name = "source";
    Work work;
    work.memory = 512;
    EXPECT_GE(stop_at_every_change(*row.source, options, work).resumed, 3u) << row.to;
  }
}

TEST(Convert, DoesNotGoOnWithAnotherConversion) {
  const std::shared_ptr<Array> source = grid("zarr2");
  ConvertOptions options;
  options.target.format = "tiledb";
  Work work;
  work.memory = 256;
  std::shared_ptr<Store> store;
  for (std::uint64_t at = 0; !store || !read_note(*store); ++at) {
    ASSERT_LT(at, 100u);
    store = make_memory_store();
    const auto plan = std::make_shared<FaultPlan>();
    plan->at = at;
    EXPECT_THROW(convert(*source, failing_store(store, plan), options, work), Error);
  }
  options.target.chunks = {3, 3};
  EXPECT_THROW(convert(*source, store, options, work), Error);
  options.create.overwrite = true;
  EXPECT_FALSE(convert(*source, store, options, work).resumed);
  EXPECT_TRUE(compare(*source, *open(store), {}).same());
}

TEST(Convert, PassesEncodedChunksThroughWhereTheyFit) {
  struct Row {
    const char *from, *to;
    std::vector<std::uint64_t> chunks;
    std::uint64_t passed;
  };
  const Row rows[] = {{"zarr2", "zarr2", {}, 9}, {"zarr2", "zarr3", {}, 9},     {"zarr0", "zarr2", {}, 9},
                      {"zarr1", "zarr2", {}, 9}, {"zarr3", "zarr2", {}, 9},     {"zarr2", "zarr0", {}, 9},
                      {"zarr3", "zarr3", {}, 9}, {"zarr2", "zarr2", {3, 2}, 0}, {"zarr2", "tiledb", {}, 0},
                      {"zarr0", "zarr3", {}, 9}, {"zarr0", "zarr1", {}, 9},     {"zarr1", "zarr0", {}, 9}};
  for (const Row& row : rows) {
    const std::shared_ptr<Array> source = grid(row.from);
    ConvertOptions options;
    options.target.format = row.to;
    options.target.chunks = row.chunks;
    const Converted made = convert(*source, make_memory_store(), options, {});
    EXPECT_EQ(made.passed, row.passed) << row.from << " to " << row.to;
    EXPECT_TRUE(compare(*source, *made.array, {}).same()) << row.from << " to " << row.to;
  }
}

TEST(Convert, OtherFiltersAreNotPassedThrough) {
  const std::shared_ptr<Array> source = grid("zarr2");
  ConvertOptions options;
  options.target.filters = parse_filters("zstd:3", "zarr2");
  const Converted made = convert(*source, make_memory_store(), options, {});
  EXPECT_EQ(made.passed, 0u);
  EXPECT_TRUE(compare(*source, *made.array, {}).same());
}

TEST(CompareCopy, TakesAnnouncedLossesForGranted) {
  const std::shared_ptr<Array> source = rows_of("tiledb", true);
  ConvertOptions options;
  options.target.format = "bcolz";
  options.lossy = true;
  const Target target = plan_target(*source, options.target);
  const std::shared_ptr<Store> store = make_memory_store();
  const Converted made = convert(*source, store, options, {});
  EXPECT_FALSE(compare(*source, *made.array, {}).same());
  const Comparison copied = compare_copy(*source, target, *open(store), {});
  EXPECT_TRUE(copied.same()) << copied.different;
  EXPECT_EQ(copied.cells, 120u);

  // Anything else than the announced losses is found.
  const std::string other = le(99);
  const std::vector<std::uint64_t> one{1};
  open(store)->write(parse_selection("[3:4]"), "v",
                     {reinterpret_cast<const std::byte*>(other.data()), one, contiguous_strides(one, 4)});
  EXPECT_EQ(compare_copy(*source, target, *open(store), {}).different, 1u);
}

}  // namespace
}  // namespace tegula
