// Schemas x filters x format versions, written and read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using namespace writing;

// One text per cell: all fields of a batch that the other has too, by the names of `like`.
std::vector<std::string> rows(const Batch& batch, const Batch& like) {
  std::vector<std::string> out(batch.cells);
  for (const Column& field : like.columns) {
    const Column* column = batch.column(field.name);
    if (!column) throw std::runtime_error("no column " + field.name);
    for (std::size_t i = 0; i < batch.cells; ++i) {
      const bool valid = !column->nullable || column->valid(i);
      // The bytes of a null cell are undefined.
      out[i] += valid ? fmt::format("|{}", text_of(column->cell(i))) : "|null";
    }
  }
  return out;
}

std::vector<std::string> sorted(std::vector<std::string> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

class RoundTrip : public ::testing::TestWithParam<std::tuple<std::size_t, std::uint32_t>> {};

TEST_P(RoundTrip, ReadsWhatWasWritten) {
  static const std::vector<Case> all = cases();
  const auto& [index, version] = GetParam();
  const Case& c = all.at(index);
  SCOPED_TRACE(c.name);
  const std::shared_ptr<Store> store = make_memory_store();
  if (version < c.since) {
    CreateOptions options;
    options.format_version = version;
    EXPECT_ERROR(unsupported, "format version", create_array(store, c.schema, options));
    EXPECT_TRUE(store->list("").empty());
    return;
  }
  const std::shared_ptr<Array> array = write_case(store, c, version);
  EXPECT_EQ(array->schema().format_version, version);
  const Batch written = random_cells(c.schema, box_cells(c), 7);
  Query query;
  if (!c.schema.sparse) query.select = box_selection(c.box);
  const Batch found = ask(*array, query);
  if (c.schema.sparse)
    EXPECT_EQ(sorted(rows(found, written)), sorted(rows(written, written)));
  else
    EXPECT_EQ(rows(found, written), rows(written, written));
  for (const Problem& problem : array->verify()) ADD_FAILURE() << problem.file << ": " << problem.text;
  // A handle of its own sees the same.
  EXPECT_TRUE(same(ask(TiledbArray(store, {}), query), found));
}

std::string label(const ::testing::TestParamInfo<RoundTrip::ParamType>& info) {
  return fmt::format("{}_v{}", cases().at(std::get<0>(info.param)).name, std::get<1>(info.param));
}

std::vector<std::size_t> case_numbers() {
  std::vector<std::size_t> numbers(cases().size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

INSTANTIATE_TEST_SUITE_P(All, RoundTrip,
                         ::testing::Combine(::testing::ValuesIn(case_numbers()), ::testing::Range(3u, 23u)), label);

TEST(Write, EncryptedArraysNeedTheKey) {
  const Bytes key = copy_of(bytes_of("0123456789abcdef0123456789abcdef"));
  for (const Case& c : cases()) {
    if (c.name != "dense_var" && c.name != "sparse_nullable" && c.name != "sparse_enumeration") continue;
    SCOPED_TRACE(c.name);
    const std::shared_ptr<Store> store = make_memory_store();
    const std::shared_ptr<Array> array = write_case(store, c, 22, key);
    Query query;
    if (!c.schema.sparse) query.select = box_selection(c.box);
    const Batch written = random_cells(c.schema, box_cells(c), 7);
    EXPECT_EQ(sorted(rows(ask(*array, query), written)), sorted(rows(written, written)));
    EXPECT_ERROR(invalid_argument, "encrypted", TiledbArray(store, {}));
  }
}

}  // namespace
}  // namespace tegula::tiledb
