// Dense domains of more cells than anybody can walk.
#include "convert/written_boxes.h"

#include <gtest/gtest.h>

#include "format/tiledb/array.h"
#include "samples.h"
#include "stops.h"
#include "tegula/tiledb.h"

namespace tegula {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 61;

TEST(JoinBoxes, BoxesThatShareNoChunkStayApart) {
  struct Row {
    const char* name;
    std::vector<CellBox> boxes, joined;
  };
  const std::uint64_t far = 1 << 30;
  const Row rows[] = {
      {"nothing", {}, {}},
      {"rows", {{{20, 0}, {10, 5}}, {{0, 0}, {10, 5}}, {{10, 0}, {10, 5}}}, {{{0, 0}, {30, 5}}}},
      {"overlap", {{{0, 0}, {4, 4}}, {{2, 2}, {4, 4}}}, {{{0, 0}, {6, 6}}}},
      {"near", {{{0, 0}, {4, 4}}, {{100, 100}, {4, 4}}}, {{{0, 0}, {104, 104}}}},
      {"far", {{{far, far}, {4, 4}}, {{0, 0}, {4, 4}}}, {{{0, 0}, {4, 4}}, {{far, far}, {4, 4}}}},
      {"in one chunk",
       {{{far, 0}, {2, 4}}, {{far + 6, 0}, {2, 4}}, {{0, 0}, {1, 1}}},
       {{{0, 0}, {1, 1}}, {{far, 0}, {8, 4}}}},
      {"one that grows meets another",
       {{{0, 0}, {1, 1}}, {{far, 20}, {9, 1}}, {{far, 0}, {9, 1}}, {{far + 8, 0}, {1, 30}}},
       {{{0, 0}, {1, 1}}, {{far, 0}, {9, 30}}}},
  };
  for (const Row& row : rows) EXPECT_EQ(join_boxes(row.boxes, {8, 8}), row.joined) << row.name;
}

Schema endless(std::size_t dimensions) {
  Schema schema;
  schema.format = "tiledb";
  for (const char* name : {"x", "y"})
    if (schema.dimensions.size() < dimensions) schema.dimensions.push_back(dimension(name, 2 * kFar - 1, 10));
  schema.attributes = {attribute("v", TypeId::int32)};
  schema.attributes[0].fill = Bytes(4, std::byte{7});
  return schema;
}

Selection from(std::int64_t first, std::int64_t count, std::size_t dimensions) {
  Selection out;
  for (std::size_t i = 0; i < dimensions; ++i) out.axes.push_back(Slice{first, first + count, 1});
  return out;
}

// A few cells at the start and a few far away.
std::shared_ptr<Array> far_apart(std::size_t dimensions) {
  const std::shared_ptr<Array> array = create(make_memory_store(), endless(dimensions));
  const std::uint64_t cells = dimensions == 1 ? 25 : 625;
  array->write(from(3, 25, dimensions), cells_for(array->schema(), cells));
  array->write(from(kFar, 25, dimensions), cells_for(array->schema(), cells, 9));
  return array;
}

TEST(EndlessDomains, OnlyWhatWasWrittenIsCopied) {
  for (const std::size_t dimensions : {1u, 2u})
    for (const char* format : {"tiledb", "zarr2", "zarr3"}) {
      SCOPED_TRACE(testing::Message() << format << ", dimensions " << dimensions);
      const std::shared_ptr<Array> source = far_apart(dimensions);
      for (const std::vector<std::uint64_t>& chunks :
           {std::vector<std::uint64_t>{}, std::vector<std::uint64_t>(dimensions, 16)}) {
        ConvertOptions options;
        options.target.format = format;
        options.target.chunks = chunks;
        options.lossy = true;
        const Converted made = convert(*source, make_memory_store(), options, {});
        const Comparison report = compare(*source, *made.array, {});
        EXPECT_TRUE(report.same()) << report.different;
        EXPECT_GE(report.cells, dimensions == 1 ? 50u : 1250u);
        EXPECT_LE(report.cells, 4000u);
        EXPECT_TRUE(compare_copy(*source, plan_target(*source, options.target), *made.array, {}).same());
        EXPECT_TRUE(made.array->verify().empty());
        EXPECT_EQ(made.array->info().fragments.size(), options.target.format == "tiledb" ? 2u : 0u);
        // And back.
        options.target.format = "tiledb";
        EXPECT_TRUE(compare(*source, *convert(*made.array, make_memory_store(), options, {}).array, {}).same());
      }
    }
}

// As TileDB-Py makes them for tables: rows count from 0, and the domain begins as far below as there are numbers.
TEST(EndlessDomains, MayBeginFarBelowTheFirstCell) {
  for (const std::int64_t tile : {4, 7}) {
    Schema schema = endless(1);
    schema.dimensions[0].domain = {INT64_MIN, INT64_MAX - 7};
    schema.dimensions[0].tile = std::int64_t{4};
    const std::shared_ptr<Array> source = create(make_memory_store(), schema);
    WriteOptions options;
    const auto stream = tiledb::tiledb_array(*source).write_box_stream({std::uint64_t{1} << 63}, {9}, options);
    stream->write(cells_for(schema, 9));
    stream->commit();
    ConvertOptions copy;
    copy.target.chunks = {static_cast<std::uint64_t>(tile)};
    const Converted made = convert(*source, make_memory_store(), copy, {});
    EXPECT_EQ(made.passed, tile == 4 ? 3u : 0u);
    EXPECT_EQ(made.array->info().non_empty_domain, (std::vector<Range>{{std::int64_t{0}, std::int64_t{8}}}));
    const Comparison report = compare(*source, *made.array, {});
    EXPECT_TRUE(report.same());
    EXPECT_EQ(report.cells, 9u);
  }
}

TEST(EndlessDomains, WhatOneSideHasMoreIsFound) {
  const std::shared_ptr<Array> source = far_apart(1), other = far_apart(1);
  EXPECT_TRUE(compare(*source, *other, {}).same());
  other->write(from(2 * kFar - 30, 5, 1), cells_for(other->schema(), 5, 100));
  const Comparison more = compare(*source, *other, {});
  EXPECT_EQ(more.different, 5u);
  ASSERT_FALSE(more.first.empty());
  EXPECT_EQ(more.first[0].index, std::vector<std::uint64_t>{static_cast<std::uint64_t>(2 * kFar - 30)});

  Schema schema = endless(1);
  schema.attributes[0].fill = Bytes(4, std::byte{8});
  const Comparison fills = compare(*create(make_memory_store(), schema), *create(make_memory_store(), endless(1)), {});
  EXPECT_EQ(fills.different, 0u);
  ASSERT_EQ(fills.schema.size(), 1u);
  EXPECT_NE(fills.schema[0].find("fill"), std::string::npos) << fills.schema[0];
}

TEST(EndlessDomains, GoOnWhereTheyWereStopped) {
  for (const char* format : {"tiledb", "zarr3"}) {
    ConvertOptions options;
    options.target.format = format;
    options.lossy = true;
    options.source_name = "source";
    Work work;
    work.memory = 256;
    EXPECT_GE(stop_at_every_change(*far_apart(1), options, work).resumed, 3u) << format;
  }
}

TEST(EndlessDomains, AreRefusedWhereEveryCellCounts) {
  ConvertOptions options;
  options.target.format = "bcolz";
  options.lossy = true;
  const std::shared_ptr<Store> store = make_memory_store();
  try {
    convert(*far_apart(1), store, options, {});
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_NE(std::string(error.what()).find("cells"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(store->list("").empty());
}

TEST(SmallDomains, AreWholeInZarr) {
  Schema schema = endless(1);
  schema.dimensions = {dimension("x", 99, 10)};
  const std::shared_ptr<Array> source = create(make_memory_store(), schema);
  source->write(from(33, 4, 1), cells_for(schema, 4));
  ConvertOptions options;
  options.target.format = "zarr3";
  EXPECT_EQ(convert(*source, make_memory_store(), options, {}).array->info().chunks_present, 10u);
  options.target.format = "tiledb";
  EXPECT_EQ(convert(*source, make_memory_store(), options, {}).array->info().non_empty_domain,
            source->info().non_empty_domain);
}

}  // namespace
}  // namespace tegula
