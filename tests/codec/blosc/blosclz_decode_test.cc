#include "codec/blosc/blosclz_decode.h"

#include "codec/inputs.h"

namespace tegula::codec {
namespace {

TEST(Blosclz, KnownStreams) {
  struct Row {
    const char *name, *in, *out;
  };
  const Row rows[] = {
      {"literals", "02 616263", "616263"},
      {"the first control byte keeps five bits", "e2 616263", "616263"},
      {"a match of 3", "00 61 20 00", "61616161"},
      {"a match of distance 2", "01 6162 40 01 00 63", "6162 61626162 63"},
      {"a long match", "00 61 e0 03 00", "61 616161616161616161616161"},
  };
  for (const Row& row : rows) {
    const Bytes in = from_hex(row.in), expected = from_hex(row.out);
    Bytes out(expected.size());
    EXPECT_TRUE(blosclz_decode_exact(in, out)) << row.name;
    EXPECT_EQ(to_hex(out), to_hex(expected)) << row.name;
    for (std::size_t n = 0; n < in.size(); ++n)
      EXPECT_FALSE(blosclz_decode_exact(ByteView(in).first(n), out)) << row.name;
    for (std::size_t size : {out.size() - 1, out.size() + 1}) {
      Bytes other(size);
      EXPECT_FALSE(blosclz_decode_exact(in, other)) << row.name;
    }
  }
  Bytes out(4);
  EXPECT_FALSE(blosclz_decode_exact(from_hex("00 61 20 01"), out)) << "before the start";
}

}  // namespace
}  // namespace tegula::codec
