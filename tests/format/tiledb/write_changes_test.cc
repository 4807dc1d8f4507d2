// Evolution, upgrades, deletes: what readers see before and after.
#include <gtest/gtest.h>

#include "reader_support.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"
#include "tegula/tiledb.h"
#include "write_support.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

Schema line(bool sparse = true) {
  return make_schema(sparse, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                     {attribute("a", TypeId::int32)});
}

std::shared_ptr<Array> make(const std::shared_ptr<Store>& store, Schema schema = line(), std::uint32_t version = 22) {
  CreateOptions options;
  options.at = 1;
  options.format_version = version;
  return create_array(store, schema, options);
}

WriteOptions at(std::uint64_t time) {
  WriteOptions options;
  options.at = time;
  return options;
}

// Cells x = first .. first + count with a = x; `more` adds columns.
Batch cells(std::int64_t first, std::int32_t count, std::vector<Column> more = {}) {
  Batch batch;
  batch.cells = static_cast<std::uint64_t>(count);
  Column x, a;
  x.name = "x";
  x.type = TypeId::int64;
  a.name = "a";
  a.type = TypeId::int32;
  for (std::int32_t i = 0; i < count; ++i) {
    ByteWriter(x.data).put(first + i);
    ByteWriter(a.data).put(static_cast<std::int32_t>(first + i));
  }
  batch.columns = {x, a};
  for (Column& column : more) batch.columns.push_back(std::move(column));
  return batch;
}

Column bytes(std::string name, const std::vector<std::uint8_t>& values) {
  Column column;
  column.name = std::move(name);
  column.type = TypeId::uint8;
  for (const std::uint8_t value : values) ByteWriter(column.data).put(value);
  return column;
}

std::vector<std::int64_t> places(const Array& array) { return values<std::int64_t>(*ask(array, {}).column("x")); }

Enumeration colors(std::string_view data, std::vector<std::uint64_t> offsets) {
  return {"colors", TypeId::utf8, kVar, false, copy_of(bytes_of(data)), std::move(offsets)};
}

TEST(Evolve, AddsAndDropsAttributes) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = make(store);
  array->write(cells(0, 2), at(10));
  const Schema& before = array->schema();
  Attribute b = attribute("b", TypeId::uint8);
  b.enumeration = "colors";
  evolve(*array, {.add_attributes = {b}, .add_enumerations = {colors("redblue", {0, 3})}}, at(20));
  EXPECT_EQ(before.attributes.size(), 1u);
  ASSERT_EQ(array->schema().attributes.size(), 2u);
  EXPECT_ERROR(invalid_argument, "no values for attribute 'b'", array->write(cells(5, 1), at(30)));
  array->write(cells(5, 1, {bytes("b", {1})}), at(30));
  // Fragments from before show the fill value.
  EXPECT_EQ(values<std::uint8_t>(*ask(*array, {}).column("b")), (std::vector<std::uint8_t>{255, 255, 1}));

  evolve(*array, {.extend_enumerations = {colors("redbluegreen", {0, 3, 7})}}, at(40));
  EXPECT_EQ(array->schema().enumerations.at(0).count(), 3u);
  EXPECT_ERROR(invalid_argument, "behind those it has",
               evolve(*array, {.extend_enumerations = {colors("bluered", {0, 4})}}, at(41)));
  evolve(*array, {.drop_attributes = {"b"}, .drop_enumerations = {"colors"}}, at(50));
  EXPECT_EQ(array->schema().attributes.size(), 1u);
  EXPECT_EQ(places(*array), (std::vector<std::int64_t>{0, 1, 5}));
  EXPECT_ERROR(invalid_argument, "another kind",
               evolve(*array, {.add_attributes = {attribute("b", TypeId::int64)}}, at(60)));
  EXPECT_ERROR(invalid_argument, "no attribute 'q'", evolve(*array, {.drop_attributes = {"q"}}, at(60)));
  EXPECT_ERROR(invalid_argument, "two fields",
               evolve(*array, {.add_attributes = {attribute("x", TypeId::int64)}}, at(60)));
  EXPECT_ERROR(invalid_argument, "choose a later one",
               evolve(*array, {.add_attributes = {attribute("c", TypeId::int64)}}, at(5)));

  OpenOptions past;
  past.at = {0, 35};
  EXPECT_EQ(WritableArray(store, past).schema().enumerations.at(0).count(), 2u);
}

TEST(Evolve, ExpandsTheCurrentDomain) {
  Schema schema = line();
  schema.current_domain = {{{std::int64_t{10}, std::int64_t{20}}}};
  const std::shared_ptr<Array> array = make(make_memory_store(), schema);
  EXPECT_ERROR(invalid_argument, "only grows",
               evolve(*array, {.current_domain = {{{std::int64_t{11}, std::int64_t{30}}}}}, at(20)));
  evolve(*array, {.current_domain = {{{std::int64_t{10}, std::int64_t{30}}}}}, at(20));
  array->write(cells(30, 1), at(30));
  EXPECT_EQ(places(*array), (std::vector<std::int64_t>{30}));
}

TEST(Evolve, NeedsVersionTen) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = make(store, line(), 9);
  array->write(cells(0, 2), at(10));
  EXPECT_ERROR(unsupported, "version 10", evolve(*array, {.add_attributes = {attribute("b", TypeId::uint8)}}, at(20)));
}

TEST(Upgrade, RaisesTheVersionOfWhatFollows) {
  for (const std::uint32_t version : {3u, 5u, 9u, 12u}) {
    SCOPED_TRACE(version);
    const std::shared_ptr<Array> array = make(make_memory_store(), line(), version);
    array->write(cells(0, 2), at(10));
    upgrade(*array, 22, at(20));
    EXPECT_EQ(array->schema().format_version, 22u);
    array->write(cells(5, 1), at(30));
    EXPECT_EQ(places(*array), (std::vector<std::int64_t>{0, 1, 5}));
    EXPECT_EQ(array->info().fragments.at(0).version, version);
    EXPECT_EQ(array->info().fragments.at(1).version, 22u);
    EXPECT_ERROR(invalid_argument, "already", upgrade(*array, 22, at(40)));
  }
}

TEST(Delete, TakesEffectFromItsTimeOn) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = make(store);
  array->write(cells(0, 6), at(10));
  delete_cells(*array, "a >= 2 and a < 5", at(20));
  EXPECT_EQ(places(*array), (std::vector<std::int64_t>{0, 1, 5}));
  array->write(cells(3, 1), at(30));
  EXPECT_EQ(places(*array), (std::vector<std::int64_t>{0, 1, 3, 5}));
  delete_cells(*array, "a in (0, 5)", at(40));
  EXPECT_EQ(places(*array), (std::vector<std::int64_t>{1, 3}));
  OpenOptions past;
  past.at = {0, 15};
  EXPECT_EQ(places(WritableArray(store, past)).size(), 6u);
  EXPECT_ERROR(invalid_argument, "needs a condition", delete_cells(*array, "", at(50)));
  EXPECT_ERROR(unsupported, "version 16", delete_cells(*make(make_memory_store(), line(), 15), "a > 1", at(50)));
  EXPECT_ERROR(unsupported, "only sparse", delete_cells(*make(make_memory_store(), line(false)), "a > 1", at(50)));
}

TEST(Delete, RefusesWhatLibtiledbGetsWrong) {
  Schema schema = line();
  schema.attributes.push_back(attribute("n", TypeId::uint8, 1, true));
  const std::shared_ptr<Array> array = make(make_memory_store(), schema);
  Column n = bytes("n", {1, 2, 3});
  n.nullable = true;
  n.validity = {std::byte{1}, std::byte{0}, std::byte{1}};
  array->write(cells(0, 3, {n}), at(10));
  EXPECT_ERROR(unsupported, "also deletes its nulls", delete_cells(*array, "n > 2", at(20)));
  EXPECT_ERROR(unsupported, "is null", delete_cells(*array, "n == null", at(20), true));
  EXPECT_EQ(places(*array).size(), 3u);
  delete_cells(*array, "n > 2", at(20), true);
  EXPECT_EQ(places(*array), (std::vector<std::int64_t>{0}));
  evolve(*array, {.add_attributes = {attribute("b", TypeId::uint8)}}, at(30));
  EXPECT_ERROR(unsupported, "would remove all of it", delete_cells(*array, "b == 1", at(40)));
}

TEST(DeleteFragments, RemovesThoseInTheTimeRange) {
  for (const std::uint32_t version : {4u, 7u, 22u}) {
    SCOPED_TRACE(version);
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<Array> array = make(store, line(), version);
    for (const std::int64_t i : {1, 2, 3, 4}) array->write(cells(i, 1), at(static_cast<std::uint64_t>(10 * i)));
    EXPECT_EQ(delete_fragments(*array, 20, 30).size(), 2u);
    EXPECT_EQ(places(*array), (std::vector<std::int64_t>{1, 4}));
    EXPECT_TRUE(array->verify().empty());
    EXPECT_TRUE(delete_fragments(*array, 20, 30).empty());
  }
}

TEST(DeleteFragments, GoTogetherOrStayTogether) {
  const auto count = std::make_shared<FaultPlan>();
  const auto run = [&](const std::shared_ptr<FaultPlan>& plan, bool consolidated) {
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<Array> array = make(store);
    for (const std::int64_t i : {1, 2, 3, 4}) array->write(cells(i, 1), at(static_cast<std::uint64_t>(10 * i)));
    if (consolidated) consolidate(*array, {.part = Part::commits});
    try {
      WritableArray failing(failing_store(store, plan), {});
      failing.delete_fragments(20, 40);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
    }
    const std::vector<std::int64_t> seen = places(WritableArray(store, {}));
    // Whatever was left, the next try ends it.
    WritableArray again(store, {});
    again.delete_fragments(20, 40);
    EXPECT_EQ(places(WritableArray(store, {})), (std::vector<std::int64_t>{1}));
    for (const Part part : {Part::commits, Part::fragments}) {
      consolidate(again, {.part = Part::commits});
      vacuum(again, {.part = part});
    }
    EXPECT_EQ(places(WritableArray(store, {})), (std::vector<std::int64_t>{1}));
    return seen;
  };
  for (const bool consolidated : {false, true}) {
    count->changes = 0;
    EXPECT_EQ(run(count, consolidated), (std::vector<std::int64_t>{1}));
    std::size_t before = 0, after = 0;
    for (std::uint64_t i = 0; i < count->changes; ++i)
      for (const bool done : {false, true}) {
        const auto plan = std::make_shared<FaultPlan>();
        plan->at = i;
        plan->done = done;
        const std::vector<std::int64_t> seen = run(plan, consolidated);
        (seen.size() == 4 ? before : after) += 1;
        EXPECT_TRUE(seen.size() == 4 || seen == (std::vector<std::int64_t>{1})) << i << done;
      }
    EXPECT_GT(before, 0u);
    EXPECT_GT(after, 0u);
  }
}

TEST(DeleteFragments, GoesThroughConsolidatedCommits) {
  const std::shared_ptr<Store> store = make_memory_store();
  const std::shared_ptr<Array> array = make(store);
  std::string lines;
  for (const std::int64_t i : {1, 2}) array->write(cells(i, 1), at(static_cast<std::uint64_t>(10 * i)));
  for (const Entry& entry : store->list(kCommitsFolder)) {
    lines += join(kCommitsFolder, entry.name) + "\n";
    store->remove(join(kCommitsFolder, entry.name));
  }
  store->put_text(join(kCommitsFolder, make_timed_name(10, 20, make_uuid(), 22) + ".con"), lines);
  EXPECT_EQ(places(WritableArray(store, {})), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(delete_fragments(*array, 10, 10).size(), 1u);
  EXPECT_EQ(places(*array), (std::vector<std::int64_t>{2}));
}

TEST(Evolve, StopsLeaveTheOldSchemaOrTheNew) {
  Attribute b = attribute("b", TypeId::uint8);
  b.enumeration = "colors";
  const Evolution changes{.add_attributes = {b}, .add_enumerations = {colors("redblue", {0, 3})}};
  const auto count = std::make_shared<FaultPlan>();
  const auto run = [&](const std::shared_ptr<FaultPlan>& plan) {
    const std::shared_ptr<Store> store = make_memory_store();
    make(store)->write(cells(0, 2), at(10));
    try {
      WritableArray array(failing_store(store, plan), {});
      array.evolve(changes, at(20));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
    }
    const WritableArray array(store, {});
    EXPECT_EQ(places(array), (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(array.schema().attributes.size() - 1, array.schema().enumerations.size());
    return array.schema().attributes.size();
  };
  EXPECT_EQ(run(count), 2u);
  for (std::uint64_t i = 0; i < count->changes; ++i) {
    for (const bool done : {false, true}) {
      const auto plan = std::make_shared<FaultPlan>();
      plan->at = i;
      plan->done = done;
      EXPECT_EQ(run(plan), i + 1 == count->changes && done ? 2u : 1u);
    }
  }
}

}  // namespace
}  // namespace tegula::tiledb
