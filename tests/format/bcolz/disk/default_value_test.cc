#include "format/bcolz/disk/default_value.h"

#include <gtest/gtest.h>

#include "tegula/error.h"

namespace tegula::bcolz {
namespace {

TEST(DefaultValue, DefaultsGoBothWays) {
  struct Row {
    const char* dtype;
    const char* json;
  };
  for (const Row& row : {Row{"bool", "true"},
                         {"int16", "-7"},
                         {"uint64", "18446744073709551615"},
                         {"float64", "NaN"},
                         {"float32", "-0.5"},
                         {"float64", "-Infinity"},
                         {"|S3", "\"zz\""},
                         {"<U3", "\"\\u00e9x\""},
                         {">U3", "\"ab\""},
                         {"|V2", "\"a\\u00ff\""},
                         {"datetime64[ns]", "981173106000000007"},
                         {"datetime64", "null"},
                         {"float16", "0.25"},
                         {">i4", "258"},
                         {"complex64", "1.5"},
                         {"[('a', '<i4'), ('p', [('x', '<f4'), ('y', '<i8', (2,))])]", "[3, [0.5, [1, 2]]]"}}) {
    const Datatype type = datatype_from_numpy(row.dtype);
    const std::optional<Bytes> item = default_item(row.json, type);
    ASSERT_TRUE(item) << row.dtype;
    EXPECT_EQ(item->size(), type.full_size());
    EXPECT_EQ(default_json(*item, type), row.json) << row.dtype;
  }
  for (const Row& row : {Row{"int8", "300"},
                         {"uint8", "-1"},
                         {"int32", "\"a\""},
                         {"|S1", "\"ab\""},
                         {"int32", "1.5"},
                         {"|S2", "\"\\u0100\""},
                         {"[('a', '<i4')]", "[1, 2]"},
                         {"int64", "{}"}})
    EXPECT_FALSE(default_item(row.json, datatype_from_numpy(row.dtype))) << row.dtype << " " << row.json;
  EXPECT_EQ(text_of(*default_item("258", datatype_from_numpy(">i4"))), std::string_view("\0\0\1\2", 4));
}

TEST(DefaultValue, DefaultRowsOfOldWritersAreNested) {
  const Datatype type = datatype_from_numpy("int8");
  const std::uint64_t inner[] = {2, 2};
  EXPECT_EQ(text_of(*default_row("[[1, 2], [3, 4]]", type, inner)), "\1\2\3\4");
  EXPECT_EQ(text_of(*default_row("5", type, inner)), "\5\5\5\5");
  EXPECT_EQ(text_of(*default_item("[[1, 2], [3, 4]]", type)), "\1");
}

}  // namespace
}  // namespace tegula::bcolz
