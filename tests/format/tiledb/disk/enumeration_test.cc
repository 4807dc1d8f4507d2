#include "format/tiledb/disk/enumeration.h"

#include <gtest/gtest.h>

#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

TEST(EnumerationFile, decodes_what_libtiledb_wrote) {
  const Bytes bytes =
      hex("00000000 06000000 636f6c6f7273 03000000 5f5f30 0c ffffffff 01 0c00000000000000 726564677265656e626c7565"
          "1800000000000000 0000000000000000 0300000000000000 0800000000000000");
  const StoredEnumeration stored = decode_enumeration(Cursor(bytes, "file"));
  EXPECT_EQ(stored.file, "__0");
  EXPECT_EQ(stored.enumeration.name, "colors");
  EXPECT_TRUE(stored.enumeration.ordered);
  EXPECT_EQ(stored.enumeration.offsets, (std::vector<std::uint64_t>{0, 3, 8}));
  Bytes out;
  encode_enumeration(stored, out);
  EXPECT_EQ(to_hex(out), to_hex(bytes));
}

TEST(EnumerationFile, damage_is_named) {
  const auto decode = [](const char* text) {
    const Bytes bytes = hex(text);
    decode_enumeration(Cursor(bytes, "file"));
  };
  EXPECT_ERROR(unsupported, "version 1", decode("01000000"));
  EXPECT_ERROR(
      corrupt, "starts at 4",
      decode("00000000 00000000 00000000 0c ffffffff 00 0300000000000000 616263 0800000000000000 0400000000000000"));
  EXPECT_ERROR(corrupt, "multiple of 4", decode("00000000 00000000 00000000 00 01000000 00 0300000000000000 616263"));
}

}  // namespace
}  // namespace tegula::tiledb
