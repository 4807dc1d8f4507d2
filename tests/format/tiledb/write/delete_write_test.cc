// Deletes of cells and of fragments: what readers see before and after.
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
  EXPECT_EQ(places(TiledbArray(store, past)).size(), 6u);
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
      TiledbArray failing(failing_store(store, plan), {});
      failing.delete_fragments(20, 40);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
    }
    const std::vector<std::int64_t> seen = places(TiledbArray(store, {}));
    // Whatever was left, the next try ends it.
    TiledbArray again(store, {});
    again.delete_fragments(20, 40);
    EXPECT_EQ(places(TiledbArray(store, {})), (std::vector<std::int64_t>{1}));
    for (const Part part : {Part::commits, Part::fragments}) {
      consolidate(again, {.part = Part::commits});
      vacuum(again, {.part = part});
    }
    EXPECT_EQ(places(TiledbArray(store, {})), (std::vector<std::int64_t>{1}));
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
  EXPECT_EQ(places(TiledbArray(store, {})), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(delete_fragments(*array, 10, 10).size(), 1u);
  EXPECT_EQ(places(*array), (std::vector<std::int64_t>{2}));
}

}  // namespace
}  // namespace tegula::tiledb
