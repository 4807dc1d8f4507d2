// One handle of an array of every family: threads that change it, and threads that read, through the same handle.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/memory/memory_store.h"
#include "support/array_text.h"
#include "support/sample_arrays.h"
#include "support/sanitized.h"

namespace tegula::testing {
namespace {

constexpr std::uint64_t kChanges = kSanitized ? 12 : 30;

class SharedHandles : public ::testing::TestWithParam<SampleArray> {};

// Every cell holds its place in some write, and the number of that write.
void expect_written(const Array& array) {
  const Batch batch = collect(*array.query({}));
  for (const Column& column : batch.columns) {
    if (column.type.id != TypeId::int32) continue;
    for (std::size_t i = 0; i < batch.cells; ++i) {
      const auto value = load_le<std::int32_t>(column.cell(i).data());
      const bool fill = value == static_cast<std::int32_t>(0xEEEEEEEE);
      ASSERT_TRUE(fill || (value % 1000 >= 1 && value % 1000 <= 40 && value / 1000 < 10'000)) << value;
    }
  }
}

void change(Array& array, const SampleArray& sample, std::uint64_t n) {
  const Schema& schema = sample.schema;
  const WriteOptions at = written_at(schema.format == "tiledb" ? 1000 + n : 0);
  if (schema.sparse)
    array.write(sample_cells(schema, 10, n, n % 50, 7), at);
  else if (schema.format == "tiledb")
    array.write(sample_box(n % 20, 15), sample_cells(schema, 15, n), at);
  else if (n % 2 == 0)
    array.append(sample_cells(schema, 9, n), at);
  else if (schema.format != "bcolz")
    array.write(sample_box(n % 20, 15), sample_cells(schema, 15, n), at);
  array.update_metadata(sample_metadata(fmt::format("key{}", n), 'v'), at);
}

TEST_P(SharedHandles, WritersAndReaders) {
  const SampleArray& sample = GetParam();
  const auto store = make_memory_store();
  make_sample(sample, store);
  const std::shared_ptr<Array> array = open(store);
  const std::size_t entries = array->metadata().size();
  std::atomic<std::uint64_t> next{10}, writers{2};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (std::uint64_t n = next++; n < 10 + kChanges; n = next++) change(*array, sample, n);
      --writers;
    });
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      do {
        if (t == 0) expect_written(*array);
        if (t == 1) array->info();
        if (t == 2) {
          EXPECT_GE(array->metadata().size(), entries);
          EXPECT_EQ(schema_line(array->schema()).substr(0, sample.schema.format.size()), sample.schema.format);
          Query query;
          query.aggregates = {{"n", AggregateOp::count, ""}, {"m", AggregateOp::max, sample.schema.attributes[0].name}};
          collect(*array->query(query));
        }
      } while (writers > 0);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(array->metadata().size(), entries + kChanges);
  EXPECT_EQ(state_text(*array), state_text(store)) << "the handle, and a new one";
}

INSTANTIATE_TEST_SUITE_P(Arrays, SharedHandles, ::testing::ValuesIn(sample_arrays()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace tegula::testing
