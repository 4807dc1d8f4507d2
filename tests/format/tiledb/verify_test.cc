// What info() and verify() say.
#include <gtest/gtest.h>

#include <algorithm>

#include "format/tiledb/reader_support.h"

namespace tegula::tiledb {
namespace {

bool says(const std::vector<Problem>& problems, Problem::Severity severity, const std::string& file) {
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& problem) {
    return problem.severity == severity && problem.file.find(file) != std::string::npos;
  });
}

std::string fragment_file(const Store& store, const std::string& file) {
  return join(join("__fragments", store.list("__fragments")[0].name), file);
}

TEST(Verify, SoundArraysHaveNoProblems) {
  for (const char* name :
       {"dense_2d_int32", "dense_var", "sparse_2d", "nullable_sparse", "sparse_hilbert", "sparse_string_dim",
        "dense_fragments_v4", "filters_float_scale-2.11", "schema_evolution", "deletes-2.30"}) {
    const std::vector<Problem> problems = open_copy(name)->verify();
    EXPECT_TRUE(problems.empty()) << name << ": " << problems[0].file << ": " << problems[0].text;
  }
}

TEST(Verify, NamesTheDamagedFile) {
  const auto store = memory_copy("filter_checksum_md5");
  const std::string file = fragment_file(*store, "a0.tdb");
  Bytes bytes = *store->get(file);
  bytes.back() ^= std::byte{1};
  store->put(file, ByteView(bytes));
  EXPECT_TRUE(says(TiledbArray(store, {}).verify({}), Problem::Severity::damage, file));
  bytes.push_back(std::byte{0});
  store->put(file, ByteView(bytes));
  EXPECT_TRUE(says(TiledbArray(store, {}).verify({}), Problem::Severity::damage, file));
  store->remove(file);
  EXPECT_TRUE(says(TiledbArray(store, {}).verify({}), Problem::Severity::damage, file));
}

TEST(Verify, LeftoversAreNotes) {
  const auto store = memory_copy("dense_2d_int32");
  const std::string orphan = "__5_5_0123456789abcdef0123456789abcdef_22";
  store->put_text(join(join("__fragments", orphan), "a0.tdb"), "half a write");
  store->put_text(std::string(kTemporaryPrefix) + "x", "");
  const std::vector<Problem> problems = TiledbArray(store, {}).verify({});
  EXPECT_EQ(problems.size(), 2u);
  EXPECT_TRUE(says(problems, Problem::Severity::note, orphan));
  EXPECT_TRUE(says(problems, Problem::Severity::note, std::string(kTemporaryPrefix)));
}

TEST(Verify, InfoCountsWithoutDecoding) {
  const Info info = open_copy("sparse_2d")->info();
  ASSERT_EQ(info.fragments.size(), 2u);
  EXPECT_EQ(info.fragments[0].cells + info.fragments[1].cells, 26u);
  EXPECT_EQ(info.fields.size(), 4u);
  for (const FieldSize& field : info.fields) {
    EXPECT_GT(field.stored, 0u) << field.name;
    EXPECT_GT(field.decoded, 0u) << field.name;
  }
  ASSERT_TRUE(info.non_empty_domain);
  EXPECT_EQ((*info.non_empty_domain)[0], (Range{std::int64_t{-17}, std::int64_t{35}}));
}

}  // namespace
}  // namespace tegula::tiledb
