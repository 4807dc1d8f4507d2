#include "format/tiledb/disk/consolidated_footers.h"

#include <gtest/gtest.h>

#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

TEST(Footers, are_found_by_name) {
  Bytes payload;
  const Bytes a = hex("01020304"), b = hex("0506");
  const std::pair<std::string, ByteView> all[] = {{"file:///x/__1_1_a_5", a}, {"__2_2_b_22", b}};
  encode_footers(all, payload);
  const auto footers = decode_footers(Cursor(payload, "file"));
  ASSERT_EQ(footers.size(), 2u);
  EXPECT_EQ(to_hex(footers.at("__1_1_a_5")), "01020304");
  EXPECT_EQ(to_hex(footers.at("__2_2_b_22")), "0506");
  const Bytes bad = hex("01000000 0100000000000000 61 ff00000000000000");
  EXPECT_ERROR(corrupt, "starts at byte 255", decode_footers(Cursor(bad, "file")));
}

}  // namespace
}  // namespace tegula::tiledb
