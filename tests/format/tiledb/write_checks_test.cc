// What a write or a new schema refuses, and orders, strides and statistics of what it takes.
#include <gtest/gtest.h>

#include "format/tiledb/read/opened_array.h"
#include "reader_support.h"
#include "support/expect_error.h"
#include "write_support.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

Schema line(bool sparse, std::vector<Attribute> attributes = {attribute("a", TypeId::int32)}) {
  return make_schema(sparse, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                     std::move(attributes));
}

template <class T>
Column column(std::string name, const Datatype& type, const std::vector<T>& values) {
  Column c;
  c.name = std::move(name);
  c.type = type;
  for (const T value : values) ByteWriter(c.data).put(value);
  return c;
}

Batch cells(const std::vector<std::int64_t>& x, const std::vector<std::int32_t>& a) {
  Batch batch;
  batch.cells = x.size();
  batch.columns = {column("x", TypeId::int64, x), column("a", TypeId::int32, a)};
  return batch;
}

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
  create_array(store, line(true), {})->write(cells({1}, {2}));
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

TEST(SparseWriteRefuses, BadCoordinates) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = create_array(store, line(true), {});
  EXPECT_ERROR(invalid_argument, "cell 1: coordinate 100 of dimension 'x'", array->write(cells({5, 100}, {1, 2})));
  EXPECT_ERROR(invalid_argument, "coordinate -1", array->write(cells({-1}, {1})));
  EXPECT_ERROR(invalid_argument, "same place (5)", array->write(cells({5, 7, 5}, {1, 2, 3})));
  WriteOptions global;
  global.order = Order::global;
  EXPECT_ERROR(invalid_argument, "not in global order", array->write(cells({7, 5}, {1, 2}), global));
  EXPECT_ERROR(invalid_argument, "no values for attribute 'a'", [&] {
    Batch batch = cells({5}, {1});
    batch.columns.pop_back();
    array->write(batch);
  }());
  EXPECT_ERROR(invalid_argument, "no field 'b'", [&] {
    Batch batch = cells({5}, {1});
    batch.columns.push_back(column<int>("b", TypeId::int32, {1}));
    array->write(batch);
  }());
  EXPECT_ERROR(invalid_argument, "found 1 of int64", [&] {
    Batch batch = cells({5}, {1});
    batch.columns[1] = column<std::int64_t>("a", TypeId::int64, {1});
    array->write(batch);
  }());
  EXPECT_TRUE(store->list(kFragmentsFolder).empty());
  EXPECT_TRUE(store->list(kCommitsFolder).empty());
  array->write(cells({5, 7}, {1, 2}), global);
  EXPECT_EQ(ask(*array, {}).cells, 2u);

  const std::shared_ptr<Array> floats = create_array(
      make_memory_store(),
      make_schema(true, {dimension("x", TypeId::float64, 0.0, 1.0, 0.5)}, {attribute("a", TypeId::int32)}), {});
  Batch batch;
  batch.cells = 1;
  batch.columns = {column<double>("x", TypeId::float64, {std::nan("")}), column<int>("a", TypeId::int32, {1})};
  EXPECT_ERROR(invalid_argument, "coordinate nan", floats->write(batch));

  Schema current = line(true);
  current.current_domain = {{{std::int64_t{10}, std::int64_t{20}}}};
  EXPECT_ERROR(invalid_argument, "current domain [10, 20]",
               create_array(make_memory_store(), current, {})->write(cells({21}, {1})));
}

TEST(DenseWrite, TakesStridedMemoryOfAnyOrder) {
  const std::shared_ptr<Array> array =
      create_array(make_memory_store(),
                   make_schema(false,
                               {dimension("y", TypeId::int32, std::int64_t{1}, std::int64_t{10}, std::int64_t{4}),
                                dimension("x", TypeId::int32, std::int64_t{1}, std::int64_t{10}, std::int64_t{3})},
                               {attribute("a", TypeId::int32)}),
                   {});
  std::vector<std::int32_t> memory(6 * 14);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(i);
  const auto* data = reinterpret_cast<const std::byte*>(memory.data());
  // Every second column of a table of 14, upside down.
  array->write(parse_selection("[2:8, 1:8]"), "a", {data + 5 * 14 * 4, {6, 7}, {-14 * 4, 2 * 4}});
  Query query;
  query.select = parse_selection("[2:8, 1:8]");
  std::vector<std::int32_t> expected;
  for (int y = 5; y >= 0; --y)
    for (int x = 0; x < 7; ++x) expected.push_back(y * 14 + 2 * x);
  EXPECT_EQ(values<std::int32_t>(ask(*array, query).columns[0]), expected);

  // An integer drops its axis; a reversed slice turns the values.
  array->write(parse_selection("[3, 5:2:-1]"), "a", {data, {3}, {4}});
  query.select = parse_selection("[3, 3:6]");
  EXPECT_EQ(values<std::int32_t>(ask(*array, query).columns[0]), (std::vector<std::int32_t>{2, 1, 0}));
  EXPECT_ERROR(unsupported, "leaves out cells", array->write(parse_selection("[::2, 0]"), "a", {data, {5}, {4}}));
  EXPECT_ERROR(invalid_argument, "another shape", array->write(parse_selection("[0:2, 0]"), "a", {data, {5}, {4}}));
  EXPECT_ERROR(invalid_argument, "no attribute 'b'", array->write(parse_selection("[0, 0]"), "b", {data, {}, {}}));
}

TEST(DenseWrite, TakesBatchesInRowColAndGlobalOrder) {
  for (const Order cell_order : {Order::row, Order::col}) {
    Schema schema = make_schema(false,
                                {dimension("y", TypeId::int32, std::int64_t{0}, std::int64_t{9}, std::int64_t{4}),
                                 dimension("x", TypeId::int32, std::int64_t{0}, std::int64_t{9}, std::int64_t{3})},
                                {attribute("a", TypeId::int32), attribute("s", TypeId::ascii, kVar)});
    schema.cell_order = cell_order;
    for (const Order order : {Order::row, Order::col, Order::global}) {
      const std::shared_ptr<Array> array = create_array(make_memory_store(), schema, {});
      // Read in an order what was written in that order: the same.
      Batch batch = random_cells(schema, 7 * 5, 3);
      WriteOptions options;
      options.order = order;
      const Selection box = parse_selection("[2:9, 1:6]");
      array->write(box, batch, options);
      Query query;
      query.ranges = {{"y", {{std::int64_t{2}, std::int64_t{8}}}}, {"x", {{std::int64_t{1}, std::int64_t{5}}}}};
      query.order = order;
      const Batch found = ask(*array, query);
      EXPECT_EQ(values<std::int32_t>(*found.column("a")), values<std::int32_t>(*batch.column("a")));
      EXPECT_EQ(texts(*found.column("s")), texts(*batch.column("s")));
    }
  }
}

TEST(DenseWrite, LaterOnesWinAndUnwrittenCellsAreFill) {
  const std::shared_ptr<Array> array = create_array(make_memory_store(), line(false), {});
  const std::int32_t old[] = {1, 2, 3, 4}, fresh[] = {7, 8};
  array->write(parse_selection("[8:12]"), "a", {reinterpret_cast<const std::byte*>(old), {4}, {4}});
  array->write(parse_selection("[9:11]"), "a", {reinterpret_cast<const std::byte*>(fresh), {2}, {4}});
  Query query;
  query.select = parse_selection("[7:13]");
  EXPECT_EQ(values<std::int32_t>(ask(*array, query).columns[0]),
            (std::vector<std::int32_t>{INT32_MIN, 1, 7, 8, 4, INT32_MIN}));
}

TEST(Write, KeepsItsTimes) {
  const std::shared_ptr<Store> store = make_memory_store();
  CreateOptions create;
  create.at = 1;
  const std::shared_ptr<Array> array = create_array(store, line(true), create);
  for (const std::uint64_t time : {10, 20, 20}) {
    WriteOptions options;
    options.at = time;
    array->write(cells({5}, {static_cast<std::int32_t>(array->info().fragments.size())}), options);
  }
  // Of two writes at the same time the later one wins.
  EXPECT_EQ(values<std::int32_t>(*ask(*array, {}).column("a")), (std::vector<std::int32_t>{2}));
  OpenOptions past;
  past.at = {0, 10};
  EXPECT_EQ(values<std::int32_t>(*ask(WritableArray(store, past), {}).column("a")), (std::vector<std::int32_t>{0}));
}

TEST(Write, StoresStatisticsOfCellsThatCount) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = create_array(
      store, line(false, {attribute("a", TypeId::int32, 1, true), attribute("s", TypeId::ascii, kVar)}), {});
  Batch batch;
  batch.cells = 4;
  batch.columns = {column<std::int32_t>("a", TypeId::int32, {5, -7, 100, 9}),
                   column<char>("s", TypeId::ascii, {'q', 'b', 'c'})};
  batch.columns[0].nullable = true;
  for (const int valid : {1, 1, 0, 1}) batch.columns[0].validity.push_back(std::byte(valid));
  batch.columns[1].values_per_cell = kVar;
  batch.columns[1].offsets = {0, 1, 1, 3, 3};
  array->write(parse_selection("[8:12]"), batch);
  const OpenedArray opened = open_array(store, {});
  const Fragment& fragment = *opened.fragments.at(0);
  const auto number = [](ByteView bytes) { return load_le<std::int32_t>(bytes.data()); };
  EXPECT_EQ(number(fragment.mins(0).at(0)), -7);
  EXPECT_EQ(number(fragment.maxs(0).at(0)), 5);
  EXPECT_EQ(number(fragment.mins(0).at(1)), 9);
  EXPECT_EQ(fragment.sums(0)[0], static_cast<std::uint64_t>(-2));
  EXPECT_EQ(fragment.null_counts(0)[0], 0u);
  EXPECT_EQ(fragment.null_counts(0)[1], 1u);
  EXPECT_EQ(text_of(fragment.mins(1).at(0)), "");
  EXPECT_EQ(text_of(fragment.maxs(1).at(0)), "q");
  EXPECT_EQ(number(fragment.statistics().at(0).max), 9);
  EXPECT_EQ(fragment.statistics().at(0).sum, 7u);
  EXPECT_EQ(fragment.statistics().at(0).null_count, 1u);
  EXPECT_EQ(text_of(fragment.statistics().at(1).max), "q");
}

TEST(Metadata, IsPutAndRemoved) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = create_array(store, line(true), {});
  const MetaValue one{TypeId::int64, 1, Bytes(8, std::byte{1}), false}, none{TypeId::utf8, 0, {}, false};
  array->update_metadata({{"a", one}, {"b", none}});
  EXPECT_EQ(array->metadata().at("a").data, one.data);
  EXPECT_EQ(array->metadata().at("b").count, 0u);
  array->update_metadata({{"a", std::nullopt}, {"c", one}});
  EXPECT_FALSE(array->metadata().contains("a"));
  EXPECT_EQ(array->metadata().size(), 2u);
  EXPECT_ERROR(invalid_argument, "cannot be empty", array->update_metadata({{"", one}}));
  CreateOptions old;
  old.format_version = 3;
  EXPECT_ERROR(unsupported, "version 4",
               create_array(make_memory_store(), line(true), old)->update_metadata({{"a", one}}));
}

}  // namespace
}  // namespace tegula::tiledb
