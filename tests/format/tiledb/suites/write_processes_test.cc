// Several processes that write one array at once, and writers that are killed: every fragment is there whole or not at
// all.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "store/open/open_store.h"
#include "support/temp_folder.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

constexpr std::uint64_t kCells = 8;  // of one write

Schema numbers() {
  Schema schema =
      make_schema(true, {dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{10'000'000}, std::int64_t{1000})},
                  {attribute("writer", TypeId::int32), attribute("text", TypeId::ascii, kVar)});
  schema.capacity = 3;
  return schema;
}

// Cells that say who wrote them.
Batch cells_of(std::int32_t writer, std::int64_t write) {
  Column x, who, text;
  x.name = "x";
  x.type = TypeId::int64;
  who.name = "writer";
  who.type = TypeId::int32;
  text.name = "text";
  text.type = TypeId::ascii;
  text.values_per_cell = kVar;
  text.offsets.push_back(0);
  for (std::uint64_t i = 0; i < kCells; ++i) {
    const std::int64_t place =
        (writer * 10'000 + write) * static_cast<std::int64_t>(kCells) + static_cast<std::int64_t>(i);
    ByteWriter(x.data).put(place);
    ByteWriter(who.data).put(writer);
    ByteWriter(text.data).text(std::to_string(place));
    text.offsets.push_back(text.data.size());
  }
  Batch batch;
  batch.columns = {x, who, text};
  batch.cells = kCells;
  return batch;
}

StoreOptions quick() {
  StoreOptions options;
  options.sync = false;
  return options;
}

WriteOptions alone() {
  WriteOptions options;
  options.work.threads = 1;
  return options;
}

// A process of its own that runs `body`, in which nothing of the test framework may be used.
template <class F>
pid_t start(F body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 1;
  try {
    body();
    code = 0;
  } catch (...) {
  }
  ::_exit(code);
}

// Checks that all cells are what some write wrote, whole; gives the number of writes.
std::uint64_t check(const std::string& path) {
  const TiledbArray array(open_store(path), {});
  Query query;
  query.order = Order::row;
  const Batch found = ask(array, query);
  EXPECT_EQ(found.cells % kCells, 0u);
  for (std::uint64_t i = 0; i < found.cells; ++i) {
    const std::int64_t place = load_le<std::int64_t>(found.column("x")->cell(i).data());
    EXPECT_EQ(text_of(found.column("text")->cell(i)), std::to_string(place));
    EXPECT_EQ(load_le<std::int32_t>(found.column("writer")->cell(i).data()),
              place / static_cast<std::int64_t>(kCells) / 10'000);
    EXPECT_EQ(place % static_cast<std::int64_t>(kCells), static_cast<std::int64_t>(i % kCells));
  }
  return found.cells / kCells;
}

TEST(WriteProcesses, EightAtOnceLoseNothing) {
  const testing::TempFolder folder;
  const std::string path = folder / "array";
  create_array(open_store(path, quick()), numbers(), {});
  constexpr int kWriters = 8, kWrites = 50;
  std::vector<pid_t> children;
  for (int w = 0; w < kWriters; ++w)
    children.push_back(start([&] {
      TiledbArray array(open_store(path, quick()), {});
      for (int i = 0; i < kWrites; ++i) array.write(cells_of(w, i), alone());
    }));
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(check(path), std::uint64_t{kWriters * kWrites});
  const TiledbArray array(open_store(path), {});
  EXPECT_EQ(array.info({}).fragments.size(), std::size_t{kWriters * kWrites});
  EXPECT_TRUE(array.verify({}).empty());
}

TEST(WriteProcesses, AKilledWriterTearsNothing) {
  const testing::TempFolder folder;
  const std::string path = folder / "array";
  create_array(open_store(path, quick()), numbers(), {});
  std::uint64_t before = 0;
  for (int round = 0; round < 8; ++round) {
    const pid_t child = start([&] {
      TiledbArray array(open_store(path, quick()), {});
      for (std::int64_t i = 0; i < 10'000; ++i) array.write(cells_of(round, i), alone());
    });
    ASSERT_GT(child, 0);
    // Reads go on beside it, and never see less than before.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20 + 13 * round);
    do {
      const std::uint64_t now = check(path);
      EXPECT_GE(now, before);
      before = now;
    } while (std::chrono::steady_clock::now() < end);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const std::uint64_t left = check(path);
    EXPECT_GE(left, before);
    before = left;
  }
  // Files that killed writers left behind do not disturb later writes.
  TiledbArray(open_store(path, quick()), {}).write(cells_of(99, 0), alone());
  EXPECT_EQ(check(path), before + 1);
}

}  // namespace
}  // namespace tegula::tiledb
