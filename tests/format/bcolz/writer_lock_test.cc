// Writers that share nothing but the files.
#include "format/bcolz/writer_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "base/current_work.h"
#include "format/bcolz/fixtures.h"
#include "store/file/file_store.h"
#include "store/wrap/wrapped_store.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"
#include "tegula/bcolz.h"

namespace tegula::bcolz {
namespace {

constexpr int kWriters = 3, kRounds = 12;

// A store as S3 is: no locks, but conditional puts; or without these.
class Bucket final : public WrappedStore {
 public:
  explicit Bucket(std::shared_ptr<Store> store, bool conditional = true)
      : WrappedStore(std::move(store)), conditional_(conditional) {}
  StoreHints hints() const override {
    StoreHints hints = store_->hints();
    hints.in_flight = 8;
    hints.conditional = conditional_;
    return hints;
  }
  std::string identity() const override { return "one of many"; }

 private:
  bool conditional_;
};

// Adds rows, sets one of its own, and leaves an attribute, again and again.
void change_again_and_again(const std::shared_ptr<Store>& store, int writer) {
  const auto array = open(store);
  for (int round = 0; round < kRounds; ++round) {
    Batch batch;
    Column column;
    column.type = datatype_from_numpy("int32");
    column.data = bytes_from(std::vector<std::int32_t>(static_cast<std::size_t>(1 + (round + writer) % 4), writer));
    batch.columns.push_back(std::move(column));
    array->append(batch, {});
    MetaValue value;
    value.type = Datatype(TypeId::utf8);
    value.json = true;
    value.data = copy_of(bytes_of("1"));
    value.count = 1;
    array->update_metadata({{std::to_string(writer) + "." + std::to_string(round), value}}, {});
  }
}

void expect_all_changes(const std::shared_ptr<Store>& store) {
  const auto array = open(store);
  std::vector<int> expected(kWriters), found(kWriters);
  for (int writer = 0; writer < kWriters; ++writer)
    for (int round = 0; round < kRounds; ++round)
      expected[static_cast<std::size_t>(writer)] += 1 + (round + writer) % 4;
  for (const std::int32_t value : values_of<std::int32_t>(*array)) ++found.at(static_cast<std::size_t>(value));
  EXPECT_EQ(found, expected);
  EXPECT_EQ(array->metadata().size(), static_cast<std::size_t>(kWriters * kRounds));
  EXPECT_TRUE(array->verify({}).empty());
  EXPECT_FALSE(store->has(kWriterFile));
}

TEST(WriterLock, ProcessesLoseNoRows) {
  const testing::TempFolder folder;
  StoreOptions options;
  options.sync = false;
  create(open_file_store(folder / "a", options), carray_schema("int32", 5));
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        change_again_and_again(open_file_store(folder / "a", options), writer);
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
  expect_all_changes(open_file_store(folder / "a", options));
}

TEST(WriterLock, MachinesLoseNoRows) {
  const auto files = make_memory_store();
  create(files, carray_schema("int32", 5));
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer)
    threads.emplace_back([&, writer] { change_again_and_again(std::make_shared<Bucket>(files), writer); });
  for (std::thread& thread : threads) thread.join();
  expect_all_changes(files);
}

TEST(WriterLock, HandlesOfOneProcessWaitForEachOther) {
  const auto files = make_memory_store();
  create(files, carray_schema("int32", 5));
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer)
    threads.emplace_back([&, writer] { change_again_and_again(files, writer); });
  for (std::thread& thread : threads) thread.join();
  expect_all_changes(files);
}

TEST(WriterLock, AWriterThatDiedIsNamedAndRepairGoesOn) {
  const auto bucket = std::make_shared<Bucket>(make_memory_store());
  const auto array = create(bucket, carray_schema("int32", 5));
  bucket->put_text(kWriterFile, "process 7 of host\n");
  using std::chrono::milliseconds;
  EXPECT_ERROR(io, "somebody else is changing the array (process 7 of host)",
               WriterLock(bucket, WriterLock::Others::waited_for, milliseconds(0)));
  EXPECT_TRUE(bucket->has(kWriterFile)) << "it is not ours";
  ASSERT_EQ(array->verify({}).size(), 1u);
  EXPECT_EQ(array->verify({})[0].severity, Problem::Severity::note);
  repair(*array, {});
  EXPECT_FALSE(bucket->has(kWriterFile));
  EXPECT_TRUE(array->verify({}).empty());
  const WriterLock again(bucket, WriterLock::Others::waited_for, milliseconds(0));
}

TEST(WriterLock, WaitingEndsWhenTheWorkIsCancelled) {
  Cancel cancel;
  cancel.request();
  Work work;
  work.cancel = &cancel;
  const auto memory = make_memory_store();
  for (const std::shared_ptr<Store>& store : {memory, std::shared_ptr<Store>(std::make_shared<Bucket>(memory))}) {
    const WriterLock held(store, WriterLock::Others::waited_for);
    const CurrentWork current(work);
    EXPECT_ERROR(cancelled, "", WriterLock(store, WriterLock::Others::waited_for));
  }
  EXPECT_FALSE(memory->has(kWriterFile)) << "removed although the work was cancelled";
}

TEST(WriterLock, WithoutConditionsNobodyIsHeldOff) {
  const auto bucket = std::make_shared<Bucket>(make_memory_store(), false);
  const WriterLock one(bucket, WriterLock::Others::waited_for), other(bucket, WriterLock::Others::waited_for);
  EXPECT_FALSE(bucket->has(kWriterFile));
}

}  // namespace
}  // namespace tegula::bcolz
