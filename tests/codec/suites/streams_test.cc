#include <zlib.h>
#include <zstd.h>

#include <functional>
#include <limits>

#include "codec/compress/bzip2.h"
#include "codec/compress/compressors.h"
#include "codec/compress/gzip_stream.h"
#include "codec/compress/lzma_stream.h"
#include "codec/compress/zstd_stream.h"
#include "codec/inputs.h"
#include "support/expect_error.h"

namespace tegula::codec {
namespace {

struct Stream {
  std::string name;
  std::function<Bytes(ByteView)> encode;
  std::function<void(ByteView, Bytes&, std::uint64_t)> decode;
  bool checked = true;  // damage never gives wrong bytes
};

Bytes by_compressor(std::string_view name, ByteView in) {
  Bytes out;
  find_compressor(name)->encode(in, out, {});
  return out;
}

// A frame without the raw size, as streaming writers make it.
Bytes zstd_of_unknown_size(ByteView in) {
  Bytes out(ZSTD_compressBound(in.size()) + 64);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_compressStream2(context, &to, &from, ZSTD_e_continue);
  while (ZSTD_compressStream2(context, &to, &from, ZSTD_e_end) != 0) {
  }
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

Stream lzma(std::string name, LzmaParams params, bool checked) {
  return {std::move(name),
          [=](ByteView in) {
            Bytes out;
            lzma_encode_stream(in, out, params);
            return out;
          },
          [=](ByteView in, Bytes& out, std::uint64_t limit) { lzma_decode_stream(in, out, limit, params); }, checked};
}

constexpr LzmaFilter kDelta[] = {{.id = 3, .dist = 4}, {.id = 33, .preset = 1}};
constexpr LzmaFilter kLzma1[] = {{.id = 0x4000000000000001, .dict_size = 65536, .lc = 2, .lp = 1, .pb = 1}};
constexpr LzmaFilter kLzma2[] = {{.id = 33, .dict_size = 1 << 20, .mode = 1, .nice_len = 64, .mf = 3, .depth = 10}};

std::vector<Stream> streams() {
  std::vector<Stream> all;
  all.push_back({"zlib", [](ByteView in) { return by_compressor("gzip", in); }, zlib_decode_stream});
  all.push_back({"gzip",
                 [](ByteView in) {
                   Bytes out;
                   gzip_encode_stream(in, out, 5);
                   return out;
                 },
                 gzip_decode_stream});
  for (bool checksum : {false, true})
    all.push_back({checksum ? "zstd with checksum" : "zstd",
                   [=](ByteView in) {
                     Bytes out;
                     zstd_encode_stream(in, out, 3, checksum);
                     return out;
                   },
                   zstd_decode_stream, checksum});
  all.push_back({"zstd of unknown size", zstd_of_unknown_size, zstd_decode_stream, false});
  all.push_back({"bzip2", [](ByteView in) { return by_compressor("bzip2", in); }, bzip2_decode_stream});
  for (int check : {-1, 0, 1, 4, 10})
    all.push_back(lzma("xz, check " + std::to_string(check), {.format = 1, .check = check, .preset = 1}, check != 0));
  all.push_back(lzma("xz with delta", {.format = 1, .filters = kDelta}, true));
  all.push_back(lzma("alone", {.format = 2, .preset = 0}, false));
  all.push_back(lzma("alone with options", {.format = 2, .filters = kLzma1}, false));
  all.push_back(lzma("raw lzma1", {.format = 3, .filters = kLzma1}, false));
  all.push_back(lzma("raw lzma2", {.format = 3, .filters = kLzma2}, false));
  all.push_back(lzma("raw delta", {.format = 3, .filters = kDelta}, false));
  return all;
}

TEST(Streams, RoundTripUpToTheLimit) {
  for (const Stream& stream : streams()) {
    for (const Input& input : inputs()) {
      const Bytes coded = stream.encode(input.data);
      const std::uint64_t size = input.data.size();
      for (std::uint64_t limit : {size, size + 1, std::numeric_limits<std::uint64_t>::max()}) {
        Bytes out = from_hex("c0ffee");
        ASSERT_NO_THROW(stream.decode(coded, out, limit)) << stream.name << ", " << input.name << ", limit " << limit;
        ASSERT_EQ(to_hex(ByteView(out).first(3)), "c0ffee") << "decoders append";
        ASSERT_TRUE(same(ByteView(out).subspan(3), input.data)) << stream.name << ", " << input.name;
      }
      if (size == 0) continue;
      Bytes out = from_hex("c0ffee");
      EXPECT_ERROR(corrupt, "more than", stream.decode(coded, out, size - 1));
      EXPECT_ERROR(corrupt, "more than", stream.decode(coded, out, 0));
      EXPECT_EQ(to_hex(out), "c0ffee") << "failures leave the output as it was: " << stream.name;
    }
  }
}

TEST(Streams, Truncation) {
  for (const Stream& stream : streams()) {
    const Bytes raw = smooth_floats(200), coded = stream.encode(raw);
    for (std::size_t n = 0; n < coded.size(); ++n) {
      Bytes out;
      SCOPED_TRACE(stream.name + " cut to " + std::to_string(n));
      EXPECT_ERROR(corrupt, "", stream.decode(ByteView(coded).first(n), out, 1 << 20));
    }
    Bytes longer = coded, out;
    longer.push_back(std::byte{1});
    SCOPED_TRACE(stream.name);
    EXPECT_ERROR(corrupt, "", stream.decode(longer, out, 1 << 20));
  }
}

TEST(Streams, Mutation) {
  std::mt19937 random(7);
  for (const Stream& stream : streams()) {
    const Bytes raw = smooth_floats(500), coded = stream.encode(raw);
    for (int i = 0; i < 300; ++i) {
      Bytes bad = coded, out;
      bad[random() % bad.size()] ^= static_cast<std::byte>(1 + random() % 255);
      try {
        stream.decode(bad, out, 4096);
        if (stream.checked) {
          EXPECT_TRUE(same(out, raw)) << stream.name;
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::corrupt) << stream.name << ": " << error.what();
      }
    }
  }
}

TEST(Streams, GzipMembersAreJoined) {
  const Bytes a = sorted_ints(1000), b = smooth_floats(3000);
  Bytes coded, out, both = a;
  both.insert(both.end(), b.begin(), b.end());
  gzip_encode_stream(a, coded, 1);
  gzip_encode_stream({}, coded, 1);
  gzip_encode_stream(b, coded, 9);
  gzip_decode_stream(coded, out, both.size());
  EXPECT_TRUE(same(out, both));
}

TEST(Streams, ZlibReadsOurGzip) {
  for (const Input& input : inputs()) {
    for (int level : {-1, 0, 1, 9}) {
      Bytes coded, back(input.data.size() + 1);
      gzip_encode_stream(input.data, coded, level);
      z_stream z{};
      z.next_in = reinterpret_cast<Bytef*>(coded.data());
      z.avail_in = static_cast<uInt>(coded.size());
      z.next_out = reinterpret_cast<Bytef*>(back.data());
      z.avail_out = static_cast<uInt>(back.size());
      ASSERT_EQ(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
      EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
      EXPECT_TRUE(same(ByteView(back).first(z.total_out), input.data)) << input.name;
      inflateEnd(&z);
    }
  }
}

// Written by Python 3.11: zlib.compress, gzip.compress(mtime=0), bz2.compress, lzma.compress.
TEST(Streams, ReadsPythons) {
  const auto check = [](std::string_view name, const auto& decode, std::string_view hex) {
    Bytes out;
    decode(from_hex(hex), out);
    EXPECT_EQ(text_of(out), "tegula tegula tegula") << name;
  };
  check("zlib", [](ByteView in, Bytes& out) { zlib_decode_stream(in, out, 20); }, "789c2b494d2fcd49542841a600520d07c7");
  check(
      "gzip", [](ByteView in, Bytes& out) { gzip_decode_stream(in, out, 20); },
      "1f8b08000000000002032b494d2fcd49542841a600d7e80ee914000000");
  check(
      "bz2", [](ByteView in, Bytes& out) { bzip2_decode_stream(in, out, 20); },
      "425a6839314159265359014f89b90000071180400022840600200021b50c42180c4c8328e2a78bb9229c284800a7c4dc80");
  check(
      "xz", [](ByteView in, Bytes& out) { lzma_decode_stream(in, out, 20, {}); },
      "fd377a585a000004e6d6b4460200210116000000742fe5a3e00013000d5d003a19492b46605cbb5d3cef00000000000026f90f5be0231547"
      "00012914bdfe1a7e1fb6f37d010000000004595a");
  check(
      "alone", [](ByteView in, Bytes& out) { lzma_decode_stream(in, out, 20, {.format = 2}); },
      "5d00008000ffffffffffffffff003a19492b46605cbb5d470391fffffb42e000");
  const LzmaFilter filters[] = {{.id = 3, .dist = 2}, {.id = 33, .preset = 6}};
  check(
      "raw", [&](ByteView in, Bytes& out) { lzma_decode_stream(in, out, 20, {.format = 3, .filters = filters}); },
      "e00013000f5d003a195a6df82bbe14d2225e2390100000");
}

TEST(Streams, LzmaTakesPythonsExtremePreset) {
  Bytes out, back;
  const int extreme = static_cast<int>(6u | 1u << 31);
  lzma_encode_stream(sorted_ints(10), out, {.preset = extreme});
  lzma_decode_stream(out, back, 40, {});
  EXPECT_TRUE(same(back, sorted_ints(10)));
}

TEST(Streams, LzmaRefuses) {
  Bytes out;
  const Bytes in(10);
  const LzmaFilter unknown[] = {{.id = 77}}, bad_lc[] = {{.id = 33, .lc = 9}}, negative[] = {{.id = 33, .lc = -5}};
  const LzmaFilter huge[] = {{.id = 33, .dict_size = std::int64_t{3} << 30}}, only_delta[] = {{.id = 3}};
  const std::vector<LzmaFilter> many(5);
  EXPECT_ERROR(invalid_argument, "format", lzma_encode_stream(in, out, {.format = 7}));
  EXPECT_ERROR(invalid_argument, "format", lzma_decode_stream(in, out, 10, {.format = -1}));
  EXPECT_ERROR(invalid_argument, "needs its filters", lzma_decode_stream(in, out, 10, {.format = 3}));
  EXPECT_ERROR(unsupported, "0x4d", lzma_decode_stream(in, out, 10, {.format = 3, .filters = unknown}));
  EXPECT_ERROR(invalid_argument, "", lzma_encode_stream(in, out, {.filters = bad_lc}));
  EXPECT_ERROR(invalid_argument, "lc -5", lzma_encode_stream(in, out, {.filters = negative}));
  EXPECT_ERROR(invalid_argument, "", lzma_encode_stream(in, out, {.filters = only_delta}));
  EXPECT_ERROR(invalid_argument, "memory", lzma_decode_stream(in, out, 10, {.format = 3, .filters = huge}));
  EXPECT_ERROR(invalid_argument, "at most 4", lzma_encode_stream(in, out, {.filters = many}));
  EXPECT_ERROR(invalid_argument, "", lzma_encode_stream(in, out, {.preset = 77}));
  EXPECT_ERROR(invalid_argument, "alone", lzma_encode_stream(in, out, {.format = 2, .filters = kDelta}));
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace tegula::codec
