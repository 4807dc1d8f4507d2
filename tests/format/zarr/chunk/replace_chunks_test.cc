#include "format/zarr/chunk/replace_chunks.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>

#include "format/zarr/numbers_array.h"
#include "store/file/file_store.h"
#include "store/wrap/counting_store.h"
#include "store/wrap/failing_store.h"
#include "store/wrap/faulty_store.h"
#include "store/wrap/wrapped_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace tegula::testing {
namespace {

class ReplaceChunks : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Zarr, ReplaceChunks, ::testing::Values("zarr0", "zarr1", "zarr2", "zarr3"));

const std::vector<std::int32_t> kOld(30, 1), kNew(28, 2);  // 28: the first and the last chunk are changed in part

// 10 chunks, all written.
void make(const char* format, const std::shared_ptr<Store>& store) {
  write(*create({format, {30}, {3}, {}}, store), parse_selection("[...]"), kOld);
}

std::vector<std::int32_t> after() {
  std::vector<std::int32_t> cells = kOld;
  std::fill(cells.begin() + 1, cells.end() - 1, 2);
  return cells;
}

// Every step of the file store up to the first rename may fail: the array is as it was, and nothing is left behind.
TEST_P(ReplaceChunks, AreAsTheyWereWhenAnythingFailsBeforeTheRenames) {
  for (int at = 0;; ++at) {
    SCOPED_TRACE(at);
    const TempFolder folder;
    make(GetParam(), open_file_store(folder / "a"));
    std::mutex mutex;
    int steps = 0, renames = 0;
    StoreOptions options;
    options.before_step = [&](std::string_view step, std::string_view) {
      const std::lock_guard lock(mutex);
      if (steps++ == at) throw Error(ErrorKind::io, "stopped");
      renames += step == "rename";
    };
    bool stopped = false;
    try {
      write(*reopen(open_file_store(folder / "a", options)), parse_selection("[1:29]"), kNew);
    } catch (const Error&) {
      stopped = true;
    }
    const auto store = open_file_store(folder / "a");
    const auto array = reopen(store);
    if (renames == 0) {
      EXPECT_EQ(read(*array, "[...]"), kOld);
    }
    EXPECT_TRUE(array->verify().empty());
    if (!stopped) {
      EXPECT_EQ(read(*array, "[...]"), after());
      break;
    }
    ASSERT_LT(at, 1000);
  }
}

TEST_P(ReplaceChunks, AreAsTheyWereWithoutSpace) {
  for (std::uint64_t at = 0;; ++at) {
    const auto memory = make_memory_store();
    make(GetParam(), memory);
    const auto plan = std::make_shared<CallFault>();
    plan->fault = StoreFault::no_space;
    plan->at = at;
    plan->lasting = true;
    bool stopped = false;
    try {
      write(*reopen(faulty_store(memory, plan)), parse_selection("[1:29]"), kNew);
    } catch (const Error&) {
      stopped = true;
    }
    const std::vector<std::int32_t> cells = read(*reopen(memory), "[...]");
    // begin, append and sync of ten chunks come before the first name.
    if (at < 30) {
      EXPECT_EQ(cells, kOld) << at;
    }
    if (!stopped) {
      EXPECT_EQ(cells, after());
      break;
    }
    ASSERT_LT(at, 1000u);
  }
}

// Cancels when a number of files have been begun.
class CancellingStore final : public WrappedStore {
 public:
  CancellingStore(std::shared_ptr<Store> store, Cancel& cancel, int at)
      : WrappedStore(std::move(store)), cancel_(cancel), left_(at) {}
  std::unique_ptr<Upload> begin(std::string_view key) override {
    if (left_-- == 0) cancel_.request();
    return store_->begin(key);
  }

 private:
  Cancel& cancel_;
  std::atomic<int> left_;
};

TEST_P(ReplaceChunks, AreAsTheyWereAfterACancellation) {
  for (int at = 0; at < 9; ++at) {
    const auto memory = make_memory_store();
    make(GetParam(), memory);
    Cancel cancel;
    WriteOptions options;
    options.work.cancel = &cancel;
    options.work.threads = 1;
    const auto array = reopen(std::make_shared<CancellingStore>(memory, cancel, at));
    const std::vector<std::int32_t> values(28, 2);
    EXPECT_ERROR(cancelled, "",
                 array->write(parse_selection("[1:29]"), "",
                              {reinterpret_cast<const std::byte*>(values.data()), {28}, {4}}, options));
    EXPECT_EQ(read(*reopen(memory), "[...]"), kOld) << at;
  }
}

// The last chunk is changed in part, and cannot be read.
TEST_P(ReplaceChunks, AreAsTheyWereWhenOneOfThemIsDamaged) {
  const auto memory = make_memory_store();
  make(GetParam(), memory);
  std::string last;
  for (const ListedFile& file : memory->list_all("").files)
    if (file.key.find('9') != std::string::npos) last = file.key;
  memory->put_text(last, "");
  const Listing before = memory->list_all("");
  EXPECT_ERROR(corrupt, last, write(*reopen(memory), parse_selection("[1:29]"), kNew));
  const Listing now = memory->list_all("");
  ASSERT_EQ(now.files.size(), before.files.size());
  for (std::size_t i = 0; i < now.files.size(); ++i) EXPECT_EQ(now.files[i].state, before.files[i].state);
}

// A chunk by itself takes the calls that it took before chunks were staged.
TEST_P(ReplaceChunks, OneByItselfIsPutAtOnce) {
  const auto memory = make_memory_store();
  make(GetParam(), memory);
  const auto counts = std::make_shared<StoreCounts>();
  const auto array = reopen(counting_store(memory, counts));
  counts->batches = counts->reads = counts->writes = 0;
  write(*array, parse_selection("[3:6]"), {5, 5, 5});
  EXPECT_EQ(counts->writes, 1u);
  EXPECT_EQ(counts->batches, 1u);
  write(*array, parse_selection("[3:5]"), {6, 6});
  EXPECT_EQ(counts->writes, 2u);
  EXPECT_EQ(counts->reads, 1u);
}

// Somebody else changes other cells of a chunk between the making of all chunks and the first name.
class LateWriter final : public WrappedStore {
 public:
  LateWriter(std::shared_ptr<Store> store, std::function<void()> act)
      : WrappedStore(std::move(store)), act_(std::move(act)) {}
  std::unique_ptr<Upload> begin(std::string_view key) override {
    class Late final : public Upload {
     public:
      Late(std::unique_ptr<Upload> inner, LateWriter& writer) : inner_(std::move(inner)), writer_(writer) {}
      void append(ByteView part) override { inner_->append(part); }
      void commit() override { inner_->commit(); }
      void sync() override { inner_->sync(); }
      void appear() override {
        writer_.act_once();
        inner_->appear();
      }
      bool appear_if(const std::string& state) override {
        writer_.act_once();
        return inner_->appear_if(state);
      }

     private:
      std::unique_ptr<Upload> inner_;
      LateWriter& writer_;
    };
    return std::make_unique<Late>(store_->begin(key), *this);
  }
  std::string identity() const override { return "another machine"; }

 private:
  void act_once() {
    if (act_) std::exchange(act_, nullptr)();
  }
  std::function<void()> act_;
};

TEST_P(ReplaceChunks, KeepWhatOthersWroteIntoThemMeanwhile) {
  const auto memory = make_memory_store();
  make(GetParam(), memory);
  const auto late =
      std::make_shared<LateWriter>(memory, [&] { write(*reopen(memory), parse_selection("[0:1]"), {9}); });
  write(*reopen(late), parse_selection("[1:29]"), kNew);
  std::vector<std::int32_t> cells = after();
  cells[0] = 9;
  EXPECT_EQ(read(*reopen(memory), "[...]"), cells);
}

// Processes append to one array on a disk: every row arrives, and those of one append lie together.
TEST_P(ReplaceChunks, AppendsByProcessesAllArrive) {
  constexpr int kWriters = 3, kAppends = 15;
  constexpr std::size_t kRows = 7;
  const TempFolder folder;
  StoreOptions options;
  options.sync = false;
  create({GetParam(), {0}, {3}, {}}, open_file_store(folder / "a", options));
  std::vector<pid_t> children;
  for (int t = 0; t < kWriters; ++t) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        const auto array = reopen(open_file_store(folder / "a", options));
        for (int i = 0; i < kAppends; ++i) array->append(rows(std::vector<std::int32_t>(kRows, t * 100 + i)));
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
  const std::vector<std::int32_t> cells = read(*reopen(open_file_store(folder / "a", options)), "[...]");
  ASSERT_EQ(cells.size(), kWriters * kAppends * kRows);
  std::map<std::int32_t, int> seen;
  for (std::size_t i = 0; i < cells.size(); i += kRows) {
    ++seen[cells[i]];
    for (std::size_t k = 0; k < kRows; ++k) EXPECT_EQ(cells[i + k], cells[i]);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kWriters * kAppends));
}

}  // namespace
}  // namespace tegula::testing
