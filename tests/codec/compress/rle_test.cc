#include "codec/compress/rle.h"

#include "codec/inputs.h"
#include "support/expect_error.h"

namespace tegula::codec {
namespace {

Bytes decode(ByteView in, std::size_t size, const Params& params) {
  Bytes out(size);
  rle_decode(in, out, params);
  return out;
}

Bytes encode(ByteView in, const Params& params) {
  Bytes out;
  rle_encode(in, out, params);
  return out;
}

TEST(Rle, Refuses) {
  const Params two{.cell_size = 2};
  EXPECT_ERROR(corrupt, "", decode(from_hex("0700 0000"), 0, two));
  EXPECT_ERROR(corrupt, "", decode(from_hex("0700 0002"), 2, two));
  EXPECT_ERROR(corrupt, "", decode(from_hex("0700 0002"), 5, two));
  EXPECT_ERROR(invalid_argument, "", encode(from_hex("070000"), two));
  EXPECT_ERROR(invalid_argument, "", encode({}, {.cell_size = 0}));
}

TEST(Rle, CutsLongRuns) {
  const Bytes raw(70000, std::byte{9});
  EXPECT_EQ(to_hex(encode(raw, {})), "09ffff091171");
}

}  // namespace
}  // namespace tegula::codec
