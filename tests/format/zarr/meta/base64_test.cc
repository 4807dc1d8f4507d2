#include "format/zarr/meta/base64.h"

#include <gtest/gtest.h>

namespace tegula::zarr {
namespace {

TEST(Base64, TakesOnlyWholeText) {
  for (const char* text : {"", "a", "ab", "abc", "abcd"})
    EXPECT_EQ(text_of(*base64_decode(base64_encode(bytes_of(text)))), text);
  for (const char* text : {"A", "AAA", "A===", "AA=A", "AAA=AAAA", "A A=", "\xff\xff\xff\xff"})
    EXPECT_FALSE(base64_decode(text)) << text;
}

}  // namespace
}  // namespace tegula::zarr
