// New arrays: what a schema must be, and what is made of it.
#include <gtest/gtest.h>

#include "format/tiledb/line_support.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

TEST(CreateRefuses, WhatLibtiledbRefuses) {
  struct Row {
    std::string part;
    Schema schema;
  };
  std::vector<Row> rows;
  const auto add = [&](std::string part, Schema schema, const std::function<void(Schema&)>& change) {
    change(schema);
    rows.push_back({std::move(part), std::move(schema)});
  };
  add("at least one dimension", line(false), [](Schema& s) { s.dimensions.clear(); });
  add("at least one attribute", line(false), [](Schema& s) { s.attributes.clear(); });
  add("two fields", line(false), [](Schema& s) { s.attributes[0].name = "x"; });
  add("start with '__'", line(false), [](Schema& s) { s.attributes[0].name = "__a"; });
  add("capacity", line(true), [](Schema& s) { s.capacity = 0; });
  add("tile order", line(true), [](Schema& s) { s.tile_order = Order::hilbert; });
  add("Hilbert", line(false), [](Schema& s) { s.cell_order = Order::hilbert; });
  add("no duplicates", line(false), [](Schema& s) { s.allows_duplicates = true; });
  add("cannot be a float", line(false),
      [](Schema& s) { s.dimensions = {dimension("x", TypeId::float64, 0.0, 1.0, 0.5)}; });
  add("of text", line(false), [](Schema& s) { s.dimensions = {text_dimension("x")}; });
  add("of one type", line(false), [](Schema& s) {
    s.dimensions.push_back(dimension("y", TypeId::int32, std::int64_t{0}, std::int64_t{9}, std::int64_t{1}));
  });
  add("cannot be of type", line(true), [](Schema& s) { s.dimensions[0].type = TypeId::boolean; });
  add("the domain [5, 4]", line(true), [](Schema& s) { s.dimensions[0].domain = {std::int64_t{5}, std::int64_t{4}}; });
  add("larger than the domain", line(true), [](Schema& s) { s.dimensions[0].tile = std::int64_t{101}; });
  add("tile extent of 0", line(true), [](Schema& s) { s.dimensions[0].tile = std::int64_t{0}; });
  add("reaches past", line(true), [](Schema& s) {
    s.dimensions = {dimension("x", TypeId::uint64, std::uint64_t{0}, std::uint64_t{UINT64_MAX - 1}, std::uint64_t{10})};
  });
  add("type can count", line(true), [](Schema& s) {
    s.dimensions = {dimension("x", TypeId::uint64, std::uint64_t{0}, std::uint64_t{UINT64_MAX}, std::uint64_t{10})};
  });
  add("type can count", line(false), [](Schema& s) {
    s.dimensions = {dimension("x", TypeId::int8, std::int64_t{-128}, std::int64_t{127}, std::int64_t{16})};
  });
  add("must come first", line(true, {attribute("s", TypeId::ascii, kVar, false, {filter("zstd"), filter("rle")})}),
      [](Schema&) {});
  add("dictionary", line(true, {attribute("a", TypeId::int32, 1, false, {filter("dictionary")})}), [](Schema&) {});
  add("webp", line(true, {attribute("a", TypeId::int32)}), [](Schema& s) {
    s.dimensions.push_back(s.dimensions[0]);
    s.dimensions[1].name = "y";
    s.attributes[0].filters = {filter("webp")};
  });
  add("lacks", line(true), [](Schema& s) { s.attributes[0].enumeration = "e"; });
  add("no codes", line(true), [](Schema& s) {
    s.attributes[0].type = TypeId::int8;
    s.attributes[0].enumeration = "e";
    Enumeration e{"e", TypeId::uint16, 1, false, {}, {}};
    for (std::uint16_t i = 0; i < 200; ++i) ByteWriter(e.data).put(i);
    s.enumerations = {e};
  });
  add("current domain", line(true), [](Schema& s) { s.current_domain = {{{std::int64_t{0}, std::int64_t{100}}}}; });
  for (const Row& row : rows) {
    SCOPED_TRACE(row.part);
    const std::shared_ptr<Store> store = make_memory_store();
    EXPECT_ERROR(invalid_argument, row.part, create_array(store, row.schema, {}));
    EXPECT_TRUE(store->list("").empty());
  }
  EXPECT_ERROR(unsupported, "cannot work on",
               create_array(make_memory_store(),
                            line(true, {attribute("f", TypeId::float64, 1, false, {filter("double_delta")})}), {}));
  CreateOptions old;
  old.format_version = 2;
  EXPECT_ERROR(unsupported, "3 to 22", create_array(make_memory_store(), line(true), old));
}

TEST(CreateRefuses, WhatOldAndNewReleasesReadDifferently) {
  CreateOptions options;
  options.format_version = 16;
  const Schema schema =
      line(false, {attribute("f", TypeId::float64, 1, false, {filter("xor"), filter("byteshuffle")})});
  EXPECT_ERROR(unsupported, "version 20", create_array(make_memory_store(), schema, options));
}

TEST(CreateRefuses, WhatAVersionLacksAndNamesTheFirstThatHasIt) {
  const auto with = [](auto change) {
    Schema schema = line(true);
    change(schema);
    return schema;
  };
  const auto of_type = [](Datatype type) { return line(true, {attribute("a", std::move(type))}); };
  const auto filtered = [](const char* name, Datatype type = TypeId::int32, std::uint32_t values = 1) {
    return line(true, {attribute("a", std::move(type), values, false, {filter(name)})});
  };
  const struct {
    std::uint32_t since;
    Schema schema;
  } table[] = {
      {4, of_type(dates(TimeUnit::day))},
      {5, with([](Schema& s) { s.dimensions = {text_dimension("x")}; })},
      {5, with([](Schema& s) { s.allows_duplicates = true; })},
      {5, filtered("checksum_md5")},
      {6, with([](Schema& s) { s.attributes[0].fill = Bytes(4, std::byte{7}); })},
      {7, line(true, {attribute("a", TypeId::int32, 1, true)})},
      {9, with([](Schema& s) {
         s.cell_order = Order::hilbert;
         s.dimensions[0].tile = {};
       })},
      {11, of_type(TypeId::blob)},
      {13, filtered("dictionary", TypeId::ascii, kVar)},
      {14, of_type(TypeId::boolean)},
      {16, filtered("xor")},
      {19, filtered("delta")},
      {20, with([](Schema& s) {
         s.attributes[0].enumeration = "e";
         Enumeration e{"e", TypeId::uint16, 1, false, {}, {}};
         ByteWriter(e.data).put(std::uint16_t{1});
         s.enumerations = {e};
       })},
      {21, line(true, {attribute("a", TypeId::wkb, kVar)})},
      {22, with([](Schema& s) { s.current_domain = {{{std::int64_t{0}, std::int64_t{9}}}}; })},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.since);
    CreateOptions options;
    options.format_version = row.since - 1;
    EXPECT_ERROR(unsupported, fmt::format("from format version {} on", row.since),
                 create_array(make_memory_store(), row.schema, options));
    options.format_version = row.since;
    EXPECT_NO_THROW(create_array(make_memory_store(), row.schema, options));
  }
}

TEST(Create, ReplacesOnlyWhenAsked) {
  const std::shared_ptr<Store> store = make_memory_store();
  create_array(store, line(true), {})->write(cells_with({1}, {2}));
  EXPECT_ERROR(invalid_argument, "already a TileDB array", create_array(store, line(true), {}));
  CreateOptions options;
  options.overwrite = true;
  EXPECT_EQ(ask(*create_array(store, line(true), options), {}).cells, 0u);
  const std::shared_ptr<Store> other = make_memory_store();
  other->put_text("notes.txt", "mine");
  EXPECT_ERROR(invalid_argument, "something else", create_array(other, line(true), options));
}

TEST(Create, ChoosesTilesOfAboutAMegabyte) {
  const Schema schema = make_schema(false,
                                    {dimension("y", TypeId::uint32, std::uint64_t{0}, std::uint64_t{99'999}),
                                     dimension("x", TypeId::uint32, std::uint64_t{0}, std::uint64_t{99}),
                                     dimension("z", TypeId::uint32, std::uint64_t{0}, std::uint64_t{UINT32_MAX - 1})},
                                    {attribute("a", TypeId::float64)});
  const std::shared_ptr<Array> array = create_array(make_memory_store(), schema, {});
  const std::vector<std::uint64_t> chunks = array->schema().chunks();
  const std::uint64_t bytes = 8 * cell_count(chunks);
  EXPECT_GE(bytes, 1u << 19);
  EXPECT_LE(bytes, 1u << 20);
  EXPECT_EQ(array->schema().attributes[0].filters.size(), 2u);
  EXPECT_EQ(array->schema().attributes[0].filters[0].name, "byteshuffle");
}

}  // namespace
}  // namespace tegula::tiledb
