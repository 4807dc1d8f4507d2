// One handle of an array: what stays valid, what is freed, and what its threads see.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "format/tiledb/line_support.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

std::shared_ptr<Store> create_line() {
  const std::shared_ptr<Store> store = make_memory_store();
  make(store);
  return store;
}

// schema() is a reference: it stays good, and says what it said, whatever is written.
TEST(TiledbArray, SchemasStayWhereTheyAre) {
  const std::shared_ptr<Array> array = create_array(make_memory_store(), line(false), {});
  const Schema& before = array->schema();
  for (int i = 0; i < 5; ++i) {
    array->write(parse_selection("[0:3]"), random_cells(before, 3, 1));
    ask(*array, {});
    EXPECT_EQ(&before, &array->schema());
  }
  Evolution changes;
  changes.add_attributes = {attribute("b", TypeId::int8)};
  evolve(*array, changes);
  EXPECT_EQ(array->schema().attributes.size(), 2u);
  EXPECT_EQ(before.attributes.size(), 1u);
  EXPECT_EQ(before.attributes[0].name, "a");
}

// Writes and evolutions free snapshots that are no longer referenced.
TEST(TiledbArray, FreesSnapshotsThatNobodyHolds) {
  TiledbArray array(create_line(), {});
  std::vector<std::weak_ptr<const Snapshot>> snapshots{array.snapshot()};
  std::vector<std::weak_ptr<const Schema>> schemas{array.snapshot()->shared_model()};
  for (int i = 0; i < 3; ++i) {
    array.evolve({.add_attributes = {attribute(fmt::format("b{}", i), TypeId::int8)}},
                 at(static_cast<std::uint64_t>(10 * (i + 2))));
    snapshots.emplace_back(array.snapshot());
    schemas.emplace_back(array.snapshot()->shared_model());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(snapshots[i].expired()) << i;
    EXPECT_TRUE(schemas[i].expired()) << i;
  }
  EXPECT_FALSE(snapshots.back().expired());
}

TEST(TiledbArray, AQueryGoesOnWithTheSnapshotItBeganWith) {
  const std::shared_ptr<Array> array = create_array(make_memory_store(), line(), {});
  array->write(cells(0, 5));
  const std::unique_ptr<BatchStream> stream = array->query({});
  array->write(cells(50, 5));
  EXPECT_EQ(collect(*stream).cells, 5u);
  EXPECT_EQ(ask(*array, {}).cells, 10u);
}

// Readers, a writer and an evolution on one handle.
TEST(TiledbArray, OneHandleIsSharedByReadersAndAWriter) {
  const std::shared_ptr<Array> array = create_array(make_memory_store(), line(), {});
  array->write(cells(0, 1));
  std::atomic<bool> done = false;
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      std::uint64_t seen = 0;
      while (!done) {
        Query query;
        query.fields = {"x", "a"};
        const std::uint64_t now = ask(*array, query).cells;
        EXPECT_GE(now, seen);  // what was seen once stays
        seen = now;
        EXPECT_FALSE(array->schema().attributes.empty());
        array->metadata();
      }
    });
  for (std::int64_t i = 1; i < 20; ++i) array->write(cells(i, 1));
  evolve(*array, {.add_attributes = {attribute("b", TypeId::int8)}});
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(array->schema().attributes.size(), 2u);
  EXPECT_EQ(ask(*array, {}).cells, 20u);
}

}  // namespace
}  // namespace tegula::tiledb
