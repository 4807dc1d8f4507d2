// A stop at every single change leaves the array as it was before or as it is after; many writers at once lose nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "format/tiledb/disk/group_members.h"
#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "store/open/open_store.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

Schema small(bool sparse) {
  return make_schema(sparse, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{99}, std::int64_t{10})},
                     {attribute("a", TypeId::int32, 1, true), attribute("s", TypeId::ascii, kVar)});
}

// What a reader can know of an array.
std::string state(const std::shared_ptr<Store>& store) {
  std::string text;
  try {
    const TiledbArray array(store, {});
    const Batch batch = ask(array, {});
    for (const Column& column : batch.columns) {
      text += column.name + ":";
      for (std::size_t i = 0; i < batch.cells; ++i)
        text += column.nullable && !column.valid(i) ? "null," : fmt::format("{},", text_of(column.cell(i)));
    }
    for (const auto& [key, value] : array.metadata()) text += fmt::format("{}={}", key, text_of(value.data));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) return error.what();
    return "nothing";
  }
  return text;
}

struct Operation {
  std::string name;
  std::function<void(const std::shared_ptr<Store>&)> prepare, change;
};

std::vector<Operation> operations(std::uint32_t version) {
  const auto make = [=](bool sparse) {
    return [=](const std::shared_ptr<Store>& store) {
      CreateOptions options;
      options.format_version = version;
      const std::shared_ptr<Array> array = create_array(store, small(sparse), options);
      if (sparse)
        array->write(random_cells(small(true), 30, 1));
      else
        array->write(parse_selection("[5:35]"), random_cells(small(false), 30, 1));
    };
  };
  std::vector<Operation> all;
  all.push_back({"create", [](const auto&) {},
                 [=](const std::shared_ptr<Store>& store) {
                   CreateOptions options;
                   options.format_version = version;
                   create_array(store, small(true), options);
                 }});
  all.push_back({"sparse write", make(true), [](const std::shared_ptr<Store>& store) {
                   TiledbArray(store, {}).write(random_cells(small(true), 40, 2), WriteOptions{});
                 }});
  all.push_back({"dense write", make(false), [](const std::shared_ptr<Store>& store) {
                   TiledbArray(store, {}).write(parse_selection("[22:47]"), random_cells(small(false), 25, 2),
                                                WriteOptions{});
                 }});
  all.push_back({"sparse stream", make(true), [](const std::shared_ptr<Store>& store) {
                   WriteOptions options;
                   options.order = Order::global;
                   TiledbArray array(store, {});
                   const std::unique_ptr<CellWriter> stream = array.write_stream(std::nullopt, options);
                   for (std::int64_t i = 0; i < 40; ++i) {
                     Batch cell = random_cells(small(true), 1, 3);
                     store_le<std::int64_t>(cell.columns[0].data.data(), 2 * i);
                     stream->write(cell);
                   }
                   stream->commit();
                 }});
  all.push_back({"dense stream", make(false), [](const std::shared_ptr<Store>& store) {
                   TiledbArray array(store, {});
                   const std::unique_ptr<CellWriter> stream = array.write_stream(parse_selection("[22:47]"), {});
                   for (int i = 0; i < 5; ++i) stream->write(random_cells(small(false), 5, 2));
                   stream->commit();
                 }});
  all.push_back({"metadata", make(true), [](const std::shared_ptr<Store>& store) {
                   TiledbArray(store, {}).update_metadata(
                       {{"k", MetaValue{TypeId::utf8, 3, copy_of(bytes_of("abc")), false}}}, WriteOptions{});
                 }});
  return all;
}

TEST(WriteFaults, LeaveBeforeOrAfter) {
  for (const std::uint32_t version : {7u, 11u, 22u}) {
    for (const Operation& operation : operations(version)) {
      SCOPED_TRACE(fmt::format("{} v{}", operation.name, version));
      const std::shared_ptr<Store> whole = make_memory_store();
      operation.prepare(whole);
      const std::string before = state(whole);
      const auto count = std::make_shared<FaultPlan>();
      operation.change(failing_store(whole, count));
      const std::string after = state(whole);
      EXPECT_NE(before, after);
      ASSERT_GT(count->changes.load(), 0u);
      bool seen_before = false, seen_after = false;
      for (std::uint64_t at = 0; at < count->changes; ++at) {
        for (const bool done : {false, true}) {
          const std::shared_ptr<Store> store = make_memory_store();
          operation.prepare(store);
          const auto plan = std::make_shared<FaultPlan>();
          plan->at = at;
          plan->done = done;
          EXPECT_ERROR(io, "", operation.change(failing_store(store, plan)));
          const std::string found = state(store);
          EXPECT_TRUE(found == before || found == after) << "at change " << at << ": " << found;
          seen_before |= found == before;
          seen_after |= found == after;
          // Files that were left behind do not disturb later writes.
          if (found == before) {
            operation.change(store);
            EXPECT_EQ(state(store), after);
          }
        }
      }
      EXPECT_TRUE(seen_before && seen_after);
    }
  }
}

TEST(WriteSyncs, EachFileAndEachFolderOnce) {
  const testing::TempFolder folder;
  std::map<std::string, int, std::less<>> steps;
  std::mutex mutex;
  StoreOptions options;
  options.before_step = [&](std::string_view step, std::string_view) {
    const std::lock_guard lock(mutex);
    ++steps[std::string(step)];
  };
  const std::shared_ptr<Store> store = open_store(folder / "array", options);
  const std::shared_ptr<Array> array = create_array(store, small(true), {});
  steps.clear();
  array->write(random_cells(small(true), 30, 1));
  // The files of x, a (with validity), s (with offsets) and the metadata. The mark is empty.
  EXPECT_EQ(steps["sync"], 6);
  // That of the fragments, of the new one, of the commits.
  EXPECT_EQ(steps["sync folder"], 3);
  EXPECT_EQ(steps["rename"], 7);
}

// A real store: every write, sync, rename and removal.
TEST(WriteFaults, LeaveBeforeOrAfterOnDisk) {
  StoreOptions quick;
  quick.sync = false;
  for (const Operation& operation : operations(22)) {
    SCOPED_TRACE(operation.name);
    bool stopped = true;
    std::set<std::string> seen;
    for (std::uint64_t stop = 0; stopped; ++stop) {
      const testing::TempFolder folder;
      const std::string path = folder / "array";
      operation.prepare(open_store(path, quick));
      const std::string before = state(open_store(path, quick));
      std::atomic<std::uint64_t> at = 0;
      StoreOptions watched;
      watched.before_step = [&](std::string_view, std::string_view) {
        if (at++ >= stop) throw Error(ErrorKind::io, "stopped");
      };
      try {
        operation.change(open_store(path, watched));
        stopped = false;
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::io);
      }
      // Cells are random, but the same each time.
      const std::string found = state(open_store(path, quick));
      seen.insert(found);
      EXPECT_TRUE(stop > 0 || found == before);
    }
    EXPECT_EQ(seen.size(), 2u);
  }
}

TEST(WriteFaults, ARefusedWriteLeavesNoFiles) {
  const std::shared_ptr<Store> store = make_memory_store();
  Schema schema = small(true);
  schema.attributes = {attribute("a", TypeId::int32, 1, false, {filter("positive_delta")})};
  schema.capacity = 10;
  const std::shared_ptr<Array> array = create_array(store, schema, {});
  // Falling values are found out by the filter, when other files are under way.
  EXPECT_ERROR(invalid_argument, "", array->write(random_cells(schema, 40, 2)));
  EXPECT_TRUE(store->list(kFragmentsFolder).empty());
  EXPECT_TRUE(store->list(kCommitsFolder).empty());
}

TEST(ConcurrentWriters, LoseNothing) {
  const testing::TempFolder folder;
  const std::string path = folder / "array";
  StoreOptions quick;
  quick.sync = false;
  create_array(open_store(path, quick), small(true), {});
  constexpr int kWriters = 4, kWrites = 12;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w)
    writers.emplace_back([&, w] {
      TiledbArray array(open_store(path, quick), {});
      for (int i = 0; i < kWrites; ++i) {
        Batch batch = random_cells(small(true), 1, 5);
        store_le<std::int64_t>(batch.columns[0].data.data(), w * kWrites + i);
        array.write(batch, WriteOptions{});
      }
    });
  for (std::thread& writer : writers) writer.join();
  const TiledbArray array(open_store(path), {});
  EXPECT_EQ(ask(array, {}).cells, std::uint64_t{kWriters * kWrites});
  EXPECT_EQ(array.info({}).fragments.size(), std::size_t{kWriters * kWrites});
  EXPECT_TRUE(array.verify({}).empty());
}

}  // namespace
}  // namespace tegula::tiledb
