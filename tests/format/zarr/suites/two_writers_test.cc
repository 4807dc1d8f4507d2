// Writers that share no locks, in other processes or on other machines, and change different cells of the same chunks.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "format/zarr/numbers_array.h"
#include "format/zarr/other_machine.h"
#include "store/file/file_store.h"
#include "support/temp_folder.h"

namespace tegula::testing {
namespace {

constexpr int kWriters = 3, kRounds = 20;
constexpr std::uint64_t kCells = 12;  // one chunk

// Writes its cells again and again; one write touches no other cell.
void change_own_cells(const std::shared_ptr<Store>& store, int writer) {
  const auto array = reopen(store);
  for (int round = 0; round < kRounds; ++round)
    for (std::int64_t cell = writer; cell < static_cast<std::int64_t>(kCells); cell += kWriters) {
      Selection selection;
      selection.axes.emplace_back(Slice{cell, cell + 1, 1});
      write(*array, selection, {round * 100 + writer});
    }
}

std::vector<std::int32_t> all_changes() {
  std::vector<std::int32_t> cells;
  for (std::uint64_t i = 0; i < kCells; ++i)
    cells.push_back((kRounds - 1) * 100 + static_cast<std::int32_t>(i % kWriters));
  return cells;
}

class TwoWriters : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Zarr, TwoWriters, ::testing::Values("zarr0", "zarr1", "zarr2", "zarr3"));

TEST_P(TwoWriters, OfOneChunkBothWin) {
  const auto memory = make_memory_store();
  create({GetParam(), {kCells}, {kCells}, {}}, memory);
  std::vector<std::thread> threads;
  for (int t = 0; t < kWriters; ++t)
    threads.emplace_back([&, t] { change_own_cells(std::make_shared<OtherMachine>(memory, t), t); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read(*reopen(memory), "[...]"), all_changes());
}

TEST_P(TwoWriters, InProcessesOfTheirOwnBothWin) {
  const TempFolder folder;
  StoreOptions options;
  options.sync = false;
  create({GetParam(), {kCells}, {kCells}, {}}, open_file_store(folder / "a", options));
  std::vector<pid_t> children;
  for (int t = 0; t < kWriters; ++t) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        change_own_cells(open_file_store(folder / "a", options), t);
        ::_exit(0);
      } catch (...) {
        ::_exit(1);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read(*reopen(open_file_store(folder / "a", options)), "[...]"), all_changes());
}

}  // namespace
}  // namespace tegula::testing
