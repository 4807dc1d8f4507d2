// Schema evolution and upgrades: what readers see before and after.
#include <gtest/gtest.h>

#include "format/tiledb/line_support.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

Column bytes(std::string name, const std::vector<std::uint8_t>& values) {
  Column column;
  column.name = std::move(name);
  column.type = TypeId::uint8;
  for (const std::uint8_t value : values) ByteWriter(column.data).put(value);
  return column;
}

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
  EXPECT_ERROR(invalid_argument, "another type",
               evolve(*array, {.add_attributes = {attribute("b", TypeId::int64)}}, at(60)));
  EXPECT_ERROR(invalid_argument, "no attribute 'q'", evolve(*array, {.drop_attributes = {"q"}}, at(60)));
  EXPECT_ERROR(invalid_argument, "two fields",
               evolve(*array, {.add_attributes = {attribute("x", TypeId::int64)}}, at(60)));
  EXPECT_ERROR(invalid_argument, "choose a later one",
               evolve(*array, {.add_attributes = {attribute("c", TypeId::int64)}}, at(5)));

  OpenOptions past;
  past.at = {0, 35};
  EXPECT_EQ(TiledbArray(store, past).schema().enumerations.at(0).count(), 2u);
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

TEST(Evolve, StopsLeaveTheOldSchemaOrTheNew) {
  Attribute b = attribute("b", TypeId::uint8);
  b.enumeration = "colors";
  const Evolution changes{.add_attributes = {b}, .add_enumerations = {colors("redblue", {0, 3})}};
  const auto count = std::make_shared<FaultPlan>();
  const auto run = [&](const std::shared_ptr<FaultPlan>& plan) {
    const std::shared_ptr<Store> store = make_memory_store();
    make(store)->write(cells(0, 2), at(10));
    try {
      TiledbArray array(failing_store(store, plan), {});
      array.evolve(changes, at(20));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
    }
    const TiledbArray array(store, {});
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
