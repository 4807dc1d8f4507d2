#include "format/tiledb/disk/names.h"

#include <gtest/gtest.h>

namespace tegula::tiledb {
namespace {

constexpr const char* kUuid = "0123456789abcdef0123456789abcdef";

struct Row {
  std::string name;
  bool valid;
  std::uint64_t first = 0, last = 0;
  std::uint32_t version = 0;
};

TEST(Names, times_and_versions) {
  const std::string uuid = kUuid;
  const Row rows[] = {
      {"__" + uuid + "_1541540586869", true, 1541540586869, 1541540586869, 2},
      {"__" + uuid + "_1541540586900_1541540586869", true, 1541540586869, 1541540586869, 2},
      {"__1_5_" + uuid, true, 1, 5, 4},
      {"__1_5_" + uuid + "_22", true, 1, 5, 22},
      {"__1_5_" + uuid + "_22.wrt", true, 1, 5, 22},
      {"__1_5_" + uuid + ".vac", true, 1, 5, 4},
      {"__schema", false},
      {"__fragments", false},
      {"__fragment_meta", false},
      {"__array_schema.tdb", false},
      {"__a_5_" + uuid + "_22", false},
      {"__1_5_" + uuid + "_x", false},
      {"__99999999999999999999_5_" + uuid + "_22", false},
      {"x", false},
      {"", false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::optional<TimedName> time = parse_timed_name(row.name);
    ASSERT_EQ(time.has_value(), row.valid);
    if (!time) continue;
    EXPECT_EQ(time->first, row.first);
    EXPECT_EQ(time->last, row.last);
    EXPECT_EQ(time->version, row.version);
  }
  EXPECT_EQ(make_timed_name(1, 2, kUuid, 22), std::string("__1_2_") + kUuid + "_22");
  EXPECT_EQ(make_timed_name(1, 2, kUuid, 0), std::string("__1_2_") + kUuid);
  EXPECT_EQ(make_uuid().size(), 32u);
  EXPECT_NE(make_uuid(), make_uuid());
}

TEST(Names, data_files) {
  EXPECT_EQ(attribute_file(4, "__attr", 3), "__attr");
  EXPECT_EQ(attribute_file(5, "", 0), "");
  EXPECT_EQ(attribute_file(7, "a b/c", 0), "a b/c");
  EXPECT_EQ(attribute_file(9, "x", 3), "a3");
  EXPECT_EQ(dimension_file(22, "x", 0), "d0");
  EXPECT_EQ(dimension_file(8, "a<b>c\\d|e", 0), "a%20b%2Dc%30d%3Ce");  // as version 8 has it
  EXPECT_EQ(percent_encode("!#$%&'()*+,/:;=?@[]\""), "%21%23%24%25%26%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D%22");
}

}  // namespace
}  // namespace tegula::tiledb
