#include "format/tiledb/disk/delete_condition.h"

#include <gtest/gtest.h>

#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

TEST(Condition, decodes_what_libtiledb_wrote) {
  // delete where a >= 203 and s != 'v50'
  const Bytes bytes =
      hex("00 01 0200000000000000 | 01 00 01000000 61 0400000000000000 cb000000 | 01 04 01000000 73 0300000000000000 "
          "763530");
  const StoredCondition condition = decode_condition(Cursor(bytes, "file"), false);
  EXPECT_EQ(condition.stays.kind, ConditionTree::Kind::any);
  ASSERT_EQ(condition.stays.children.size(), 2u);
  EXPECT_EQ(condition.stays.children[0].op, CompareOp::lt);
  EXPECT_EQ(condition.stays.children[1].field, "s");
  EXPECT_EQ(text_of(condition.stays.children[1].value), "v50");
  Bytes out;
  encode_condition(condition, false, out);
  EXPECT_EQ(to_hex(out), to_hex(bytes));
}

TEST(Condition, members_and_updates) {
  const Bytes bytes =
      hex("01 07 01000000 61 0800000000000000 65000000 66000000 1000000000000000 0000000000000000 0400000000000000"
          "0100000000000000 0100000000000000 61 0400000000000000 07000000");
  const StoredCondition condition = decode_condition(Cursor(bytes, "file"), true);
  EXPECT_EQ(condition.stays.op, CompareOp::not_in);
  EXPECT_EQ(condition.stays.offsets, (std::vector<std::uint64_t>{0, 4}));
  ASSERT_EQ(condition.updates.size(), 1u);
  EXPECT_EQ(condition.updates[0].field, "a");
  Bytes out;
  encode_condition(condition, true, out);
  EXPECT_EQ(to_hex(out), to_hex(bytes));
}

// libtiledb, 2.30 too, deletes cells that should stay when it finds an "or" within an "or"; it writes them joined.
TEST(Condition, nested_nodes_of_one_kind_are_joined) {
  const std::string a = "01 00 01000000 61 0100000000000000 05", b = "01 02 01000000 62 0100000000000000 06",
                    c = "01 04 01000000 63 0100000000000000 07";
  const std::pair<std::string, std::string> cases[] = {
      {"00 01 0200000000000000" + ("00 01 0200000000000000" + a + b) + c, "00 01 0300000000000000" + a + b + c},
      {"00 00 0200000000000000" + a + ("00 00 0200000000000000" + b + c), "00 00 0300000000000000" + a + b + c},
      {"00 01 0200000000000000" + a + ("00 00 0200000000000000" + b + c),
       "00 01 0200000000000000" + a + ("00 00 0200000000000000" + b + c)},
  };
  for (const auto& [given, stored] : cases) {
    const Bytes bytes = hex(given);
    Bytes out;
    encode_condition(decode_condition(Cursor(bytes, "file"), false), false, out);
    EXPECT_EQ(to_hex(out), to_hex(hex(stored)));
  }
}

TEST(Condition, damage_is_named) {
  const auto decode = [](const char* text) {
    const Bytes bytes = hex(text);
    decode_condition(Cursor(bytes, "file"), false);
  };
  EXPECT_ERROR(corrupt, "kind 2", decode("02"));
  EXPECT_ERROR(corrupt, "comparison 8", decode("01 08 00000000 0000000000000000"));
  EXPECT_ERROR(corrupt, "combination 2", decode("00 02 0000000000000000"));
  EXPECT_ERROR(corrupt, "conditions", decode("00 00 ffffffffffffffff"));
  EXPECT_ERROR(corrupt, "starts at", decode("01 06 00000000 0100000000000000 00 0800000000000000 0200000000000000"));
  Bytes deep;
  for (int i = 0; i < 100000; ++i) {
    const Bytes node = hex("00 00 0100000000000000");
    deep.insert(deep.end(), node.begin(), node.end());
  }
  EXPECT_ERROR(corrupt, "nested deeper", decode_condition(Cursor(deep, "file"), false));
}

}  // namespace
}  // namespace tegula::tiledb
