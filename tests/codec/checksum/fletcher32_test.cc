#include "codec/checksum/fletcher32.h"

#include "codec/inputs.h"

namespace tegula::codec {
namespace {

// Made with numcodecs 0.16.6.
TEST(Fletcher32, LongInputs) {
  EXPECT_EQ(fletcher32(make_bytes(2001, [](std::size_t i) { return i * i * 31 + 7; })), 0xd515ed49u);
  EXPECT_EQ(fletcher32(Bytes(2000, std::byte{0xff})), 0xffffffffu);
  EXPECT_EQ(fletcher32({}), 0u);
}

}  // namespace
}  // namespace tegula::codec
