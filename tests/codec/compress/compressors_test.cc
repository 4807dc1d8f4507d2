#include "codec/compress/compressors.h"

#include <bzlib.h>
#include <lz4.h>
#include <zlib.h>
#include <zstd.h>

#include "codec/inputs.h"
#include "support/expect_error.h"

namespace tegula::codec {
namespace {

const Compressor& compressor(std::string_view name) {
  const Compressor* found = find_compressor(name);
  if (!found) throw std::runtime_error("no compressor of that name");
  return *found;
}

Bytes decode(std::string_view name, ByteView in, std::size_t size, const Params& params = {}) {
  Bytes out(size);
  compressor(name).decode(in, out, params);
  return out;
}

Bytes encode(std::string_view name, ByteView in, const Params& params = {}) {
  Bytes out;
  compressor(name).encode(in, out, params);
  return out;
}

TEST(Compressors, Registry) {
  EXPECT_EQ(compressors().size(), 5u);
  for (const Compressor& c : compressors()) EXPECT_EQ(find_compressor(c.name), &c);
  EXPECT_EQ(find_compressor("blosc"), nullptr);
  EXPECT_EQ(find_compressor(""), nullptr);
}

// Written by libtiledb 2.30.0, where not said otherwise.
struct Vector {
  const char* name;
  const char* codec;
  Params params;
  const char* raw;
  const char* coded;
  bool we_write_the_same;
};
const Vector kVectors[] = {
    {"rle u16",
     "rle",
     {.cell_size = 2},
     "0700 0700 0700 0900 0900 0100 0100 0100 0100",
     "0700 0003 0900 0002 0100 0004",
     true},
    {"rle empty", "rle", {.cell_size = 3}, "", "", true},
    {"rle of 3 bytes", "rle", {.cell_size = 3}, "010203 010203 010204", "010203 0002 010204 0001", true},
    {"lz4 nine zeros", "lz4", {}, "000000000000000000", "90 000000000000000000", true},
    {"lz4 empty", "lz4", {}, "", "00", true},
    {"bzip2 nine zeros",
     "bzip2",
     {},
     "000000000000000000",
     "425a6831 314159265359 752890670000004000420020002100828317724538509075289067",
     true},
    {"gzip nine zeros", "gzip", {}, "000000000000000000", "789c636080020000090001", false},
    {"gzip empty", "gzip", {}, "", "789c030000000001", true},
    {"zstd empty", "zstd", {}, "", "28b52ffd2000010000", true},
    // RFC 8878: magic, single segment with one size byte, one last RLE block.
    {"zstd by hand", "zstd", {}, "6161616161", "28b52ffd 20 05 2b0000 61", false},
};

TEST(Compressors, KnownVectors) {
  for (const Vector& v : kVectors) {
    const Bytes raw = from_hex(v.raw), coded = from_hex(v.coded);
    EXPECT_EQ(to_hex(decode(v.codec, coded, raw.size(), v.params)), to_hex(raw)) << v.name;
    if (v.we_write_the_same) {
      EXPECT_EQ(to_hex(encode(v.codec, raw, v.params)), to_hex(coded)) << v.name;
    }
  }
}

TEST(Compressors, RoundTrip) {
  for (const Compressor& c : compressors()) {
    for (std::uint32_t cell : {1u, 2u, 3u, 4u, 8u, 12u, 300u}) {
      if (c.name != "rle" && cell != 1) continue;
      for (int level : {-30000, -8, -7, -1, 0, 1, 5, 9}) {
        if (c.name == "rle" && level != -1) continue;
        for (const Input& input : inputs(cell)) {
          const Params params{.level = level, .cell_size = cell};
          Bytes coded = from_hex("c0ffee");
          c.encode(input.data, coded, params);
          ASSERT_EQ(to_hex(ByteView(coded).first(3)), "c0ffee") << "encoders append";
          Bytes back(input.data.size());
          c.decode(ByteView(coded).subspan(3), back, params);
          ASSERT_TRUE(same(back, input.data)) << c.name << " level " << level << " cell " << cell << ": " << input.name;
        }
      }
    }
  }
}

// The libraries themselves read what we write, at every level.
TEST(Compressors, LibrariesReadOurs) {
  for (const Input& input : inputs()) {
    Bytes back(input.data.size() + 1);
    for (int level = -1; level <= 9; ++level) {
      const Params params{.level = level};
      const Bytes deflated = encode("gzip", input.data, params);
      uLongf zlib_size = back.size();
      ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(back.data()), &zlib_size,
                           reinterpret_cast<const Bytef*>(deflated.data()), deflated.size()),
                Z_OK);
      ASSERT_TRUE(same(ByteView(back).first(zlib_size), input.data)) << input.name << " gzip level " << level;

      const Bytes frame = encode("zstd", input.data, params);
      ASSERT_EQ(ZSTD_getFrameContentSize(frame.data(), frame.size()), input.data.size());
      ASSERT_EQ(ZSTD_decompress(back.data(), back.size(), frame.data(), frame.size()), input.data.size());
      ASSERT_TRUE(same(ByteView(back).first(input.data.size()), input.data)) << input.name << " zstd level " << level;

      Bytes blocks = encode("bzip2", input.data, params);
      ASSERT_EQ(std::to_integer<char>(blocks[3]), '0' + std::max(level, 1));
      auto bzip2_size = static_cast<unsigned>(back.size());
      ASSERT_EQ(BZ2_bzBuffToBuffDecompress(reinterpret_cast<char*>(back.data()), &bzip2_size,
                                           reinterpret_cast<char*>(blocks.data()), static_cast<unsigned>(blocks.size()),
                                           0, 0),
                BZ_OK);
      ASSERT_TRUE(same(ByteView(back).first(bzip2_size), input.data)) << input.name << " bzip2 level " << level;
    }
    const Bytes block = encode("lz4", input.data);
    ASSERT_EQ(LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(back.data()),
                                  static_cast<int>(block.size()), static_cast<int>(back.size())),
              static_cast<int>(input.data.size()));
    ASSERT_TRUE(same(ByteView(back).first(input.data.size()), input.data)) << input.name << " lz4";
  }
}

TEST(Compressors, ZstdLevelsAreThoseOfLibtiledb) {
  const Bytes raw = smooth_floats(20000);
  const auto by_library = [&](int level) {
    Bytes out(ZSTD_compressBound(raw.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), level));
    return out;
  };
  for (auto [stored, meant] : {std::pair{-1, -1}, {-7, -7}, {-8, 3}, {-30000, 3}, {0, 3}, {5, 5}})
    EXPECT_TRUE(same(encode("zstd", raw, {.level = stored}), by_library(meant))) << stored;
}

// Every cut is an error; no raw size but the right one is accepted.
TEST(Compressors, Truncation) {
  for (const Compressor& c : compressors()) {
    const Params params{.cell_size = 4};
    for (const Bytes& raw : {smooth_floats(300), sorted_ints(40), Bytes(64, std::byte{1})}) {
      const Bytes coded = encode(c.name, raw, params);
      for (std::size_t n = 0; n < coded.size(); ++n)
        EXPECT_ERROR(corrupt, "", decode(c.name, ByteView(coded).first(n), raw.size(), params));
      for (std::size_t size : {std::size_t{0}, raw.size() - 4, raw.size() - 1, raw.size() + 1, 3 * raw.size()})
        EXPECT_ERROR(corrupt, "", decode(c.name, coded, size, params));
      Bytes longer = coded;
      longer.push_back(std::byte{0});
      EXPECT_ERROR(corrupt, "", decode(c.name, longer, raw.size(), params));
    }
    if (c.name != "rle") EXPECT_ERROR(corrupt, "", decode(c.name, {}, 0));
  }
}

// Damage gives an error, or where a codec has no checksum some bytes; those with one never give wrong bytes.
TEST(Compressors, Mutation) {
  std::mt19937 random(5);
  for (const Compressor& c : compressors()) {
    const bool checked = c.name == "gzip" || c.name == "bzip2";
    const Params params{.cell_size = 2};
    const Bytes raw = smooth_floats(500), coded = encode(c.name, raw, params);
    for (int i = 0; i < 2000; ++i) {
      Bytes bad = coded;
      bad[random() % bad.size()] ^= static_cast<std::byte>(1 + random() % 255);
      Bytes out(raw.size());
      try {
        c.decode(bad, out, params);
        if (checked) {
          EXPECT_TRUE(same(out, raw)) << c.name;
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace tegula::codec
