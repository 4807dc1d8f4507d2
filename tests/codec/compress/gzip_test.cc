#include "codec/compress/gzip.h"

#include "codec/inputs.h"
#include "support/expect_error.h"

namespace tegula::codec {
namespace {

TEST(Gzip, RefusesLevels) {
  Bytes out;
  EXPECT_ERROR(invalid_argument, "", gzip_encode(from_hex("00"), out, {.level = 10}));
}

}  // namespace
}  // namespace tegula::codec
