#include "codec/checksum/lookup3.h"

#include "codec/inputs.h"

namespace tegula::codec {
namespace {

// Made with numcodecs 0.16.6.
TEST(Lookup3, LongInputs) {
  EXPECT_EQ(lookup3(make_bytes(2001, [](std::size_t i) { return i * i * 31 + 7; }), 0), 0x442e5288u);
  EXPECT_EQ(lookup3(Bytes(2000, std::byte{0xff}), 0), 0x1e44a62bu);
  EXPECT_EQ(lookup3({}, 0), 0xdeadbeefu);
}

}  // namespace
}  // namespace tegula::codec
