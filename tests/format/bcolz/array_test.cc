#include "format/bcolz/array.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "format/bcolz/fixtures.h"

namespace tegula::bcolz {
namespace {

Batch three_rows(int first) {
  return {{column("", "int32", std::vector<std::int32_t>{first, first + 1, first + 2})}, 0, {}};
}

// A reference that schema() returned shows what it showed, whatever is changed afterwards.
TEST(BcolzArray, SchemasOutliveChanges) {
  const auto array = create(make_memory_store(), carray_schema("int32", 50));
  array->append(three_rows(0));
  const Schema& three = array->schema();
  MetaValue value;
  value.json = true;
  value.data = copy_of(bytes_of("1"));
  array->update_metadata({{"a", value}});
  EXPECT_EQ(&array->schema(), &three) << "nothing about the schema changed";
  array->append(three_rows(3));
  EXPECT_EQ(three.shape(), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(array->schema().shape(), (std::vector<std::uint64_t>{6}));
}

TEST(BcolzArray, OldSnapshotsAreFreed) {
  const auto array = create(make_memory_store(), carray_schema("int32", 50));
  const std::weak_ptr<const Snapshot> before = dynamic_cast<const BcolzArray&>(*array).snapshot();
  array->schema();
  array->append(three_rows(0));
  EXPECT_TRUE(before.expired());
}

TEST(BcolzArray, OneThreadAppendsAndOthersLookAtTheSchema) {
  const auto array = create(make_memory_store(), carray_schema("int32", 50));
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      while (!done) {
        const Schema& schema = array->schema();
        const std::vector<std::uint64_t> shape = schema.shape();
        ASSERT_EQ(shape.at(0) % 3, 0u);
        std::this_thread::yield();
        ASSERT_EQ(schema.shape(), shape);
      }
    });
  for (int i = 0; i < 100; ++i) array->append(three_rows(3 * i));
  done = true;
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace tegula::bcolz
