// Our Blosc decoder against libblosc, both ways, and against damage.
#include "codec/blosc/blosc.h"

#include <blosc.h>

#include <cstdlib>

#include "base/endian.h"
#include "codec/inputs.h"
#include "support/expect_error.h"

namespace tegula::codec {
namespace {

constexpr std::string_view kNames[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};

Bytes encode(ByteView in, const BloscParams& params) {
  Bytes out;
  blosc_encode(in, out, params);
  return out;
}

Bytes decode(ByteView chunk, std::size_t size, bool rescue = false) {
  Bytes out(size);
  blosc_decode(chunk, out, {.rescue = rescue});
  return out;
}

std::string describe(const BloscParams& p, std::size_t size) {
  return std::string(p.cname) + " level " + std::to_string(p.level) + " shuffle " + std::to_string(p.shuffle) +
         " typesize " + std::to_string(p.typesize) + " blocks " + std::to_string(p.block_size) + " size " +
         std::to_string(size);
}

// Half smooth, half noise, so that some streams of a chunk compress and others are copies.
Bytes mixed(std::size_t size) {
  Bytes out = smooth_floats(size / 4 + 1);
  const Bytes noise = random_bytes(size, 21);
  for (std::size_t i = size / 2; i < size; ++i) out[i] = (i % 4 < 2) ? noise[i] : out[i];
  out.resize(size);
  return out;
}

template <class F>
void for_each_setting(F work) {
  for (std::string_view cname : kNames)
    for (int shuffle : {0, 1, 2})
      for (std::uint32_t typesize : {1u, 2u, 3u, 4u, 7u, 8u, 16u, 17u, 255u, 256u})
        for (auto [level, block_size] :
             {std::pair{0, 0u}, {1, 0u}, {5, 0u}, {9, 0u}, {5, 1024u}, {5, 4096u}, {3, 3000u}})
          work(BloscParams{cname, level, shuffle, typesize, block_size});
}

constexpr std::size_t kSizes[] = {0, 1, 15, 127, 128, 129, 1000, 4096, 16384, 20011};

TEST(Blosc, ReadsWhatLibbloscWrites) {
  std::vector<Bytes> raws;
  for (std::size_t size : kSizes) raws.push_back(mixed(size));
  for_each_setting([&](const BloscParams& p) {
    for (const Bytes& raw : raws) {
      if (p.level == 9 && raw.size() > 5000 && p.typesize != 4) continue;  // slow, and laid out as at level 5
      const Bytes chunk = encode(raw, p);
      const BloscHeader header = blosc_header(chunk);
      ASSERT_EQ(header.nbytes, raw.size()) << describe(p, raw.size());
      ASSERT_EQ(header.ctbytes, chunk.size()) << describe(p, raw.size());
      ASSERT_TRUE(same(decode(chunk, raw.size()), raw)) << describe(p, raw.size());
      ASSERT_TRUE(same(decode(chunk, raw.size(), true), raw)) << "rescue, " << describe(p, raw.size());
      // A reader on disk may hand over more bytes than the chunk has.
      Bytes longer = chunk;
      longer.resize(chunk.size() + 5, std::byte{0xee});
      ASSERT_TRUE(same(decode(longer, raw.size()), raw)) << describe(p, raw.size());
    }
  });
}

TEST(Blosc, LibbloscReadsWhatWeWrite) {
  for_each_setting([&](const BloscParams& p) {
    const Bytes raw = mixed(9973), chunk = encode(raw, p);
    Bytes back(raw.size());
    ASSERT_EQ(blosc_decompress_ctx(chunk.data(), back.data(), back.size(), 1), static_cast<int>(raw.size()));
    ASSERT_TRUE(same(back, raw)) << describe(p, raw.size());
  });
}

TEST(Blosc, ReadsBlocksStoredOutOfOrder) {
  const Bytes raw = smooth_floats(100000);
  for (std::string_view cname : kNames) {
    const std::string name(cname);
    Bytes chunk(raw.size() + BLOSC_MAX_OVERHEAD);
    const int size =
        blosc_compress_ctx(5, 1, 4, raw.size(), raw.data(), chunk.data(), chunk.size(), name.c_str(), 16384, 4);
    ASSERT_GT(size, 0);
    chunk.resize(static_cast<std::size_t>(size));
    EXPECT_TRUE(same(decode(chunk, raw.size()), raw)) << name;
  }
}

TEST(Blosc, RangesAreSlices) {
  std::mt19937 random(3);
  for (std::string_view cname : kNames)
    for (int shuffle : {0, 1, 2})
      for (std::uint32_t typesize : {1u, 4u, 7u, 32u}) {
        const BloscParams p{cname, 5, shuffle, typesize, 4096};
        const Bytes raw = mixed(150011), chunk = encode(raw, p);
        const auto check = [&](std::size_t from, std::size_t size) {
          Bytes part(size);
          blosc_decode_range(chunk, from, part);
          ASSERT_TRUE(same(part, ByteView(raw).subspan(from, size)))
              << describe(p, raw.size()) << ": " << from << ", " << size;
        };
        check(0, 0);
        check(raw.size(), 0);
        check(0, raw.size());
        check(raw.size() - 1, 1);
        for (int i = 0; i < 12; ++i) {
          const std::size_t from = random() % raw.size();
          check(from, random() % (raw.size() - from + 1));
        }
        Bytes part(10);
        EXPECT_ERROR(invalid_argument, "150011", blosc_decode_range(chunk, 150002, part));
        EXPECT_ERROR(invalid_argument, "", blosc_decode_range(chunk, ~std::uint64_t{0}, part));
      }
}

// What a range does not touch may be damaged.
TEST(Blosc, RangesTouchOnlyTheirBlocks) {
  const Bytes raw = smooth_floats(8192);
  Bytes chunk = encode(raw, {"zstd", 5, 1, 4, 8192});
  ASSERT_EQ(blosc_header(chunk).block_size, 8192u);
  store_le<std::uint32_t>(chunk.data() + 16 + 4 * 2, 0xfffffff0);
  Bytes out(8192);
  blosc_decode_range(chunk, 8192, out);
  EXPECT_TRUE(same(out, ByteView(raw).subspan(8192, 8192)));
  EXPECT_ERROR(corrupt, "block 2", blosc_decode_range(chunk, 8193, out));
}

// docs/format/bcolz.md, "Writing".
TEST(Blosc, OldReadersCanReadOurs) {
  for_each_setting([&](const BloscParams& p) {
    if (p.level == 9) return;
    for (std::size_t size : {100, 1000, 20011}) {
      const Bytes raw = smooth_floats(size / 4 + 1), chunk = encode(raw, p);
      const BloscHeader h = blosc_header(chunk);
      EXPECT_EQ(h.version, 2);
      EXPECT_EQ(h.version_lz, 1);
      EXPECT_EQ(h.typesize, p.typesize > 255 ? 1u : p.typesize);
      EXPECT_EQ(h.flags & 0x08, 0);
      EXPECT_GT(h.block_size, 0u);
      EXPECT_LE(h.block_size, raw.size());
      if (raw.size() < 128 || p.level == 0) {
        EXPECT_TRUE(h.plain_copy());
        EXPECT_EQ(h.ctbytes, raw.size() + 16);
      }
      if (h.plain_copy() || p.cname == "zstd") continue;
      const bool rule = h.typesize <= 16 && h.block_size / h.typesize >= 128;
      EXPECT_EQ((h.flags & 0x10) == 0, rule) << describe(p, size);
    }
  });
}

TEST(Blosc, EnvironmentChangesNothing) {
  const Bytes raw = smooth_floats(20000);
  const BloscParams p{"lz4", 5, 1, 4};
  const Bytes before = encode(raw, p);
  const std::pair<const char*, const char*> kSettings[] = {
      {"BLOSC_CLEVEL", "1"},        {"BLOSC_SHUFFLE", "BITSHUFFLE"},
      {"BLOSC_TYPESIZE", "2"},      {"BLOSC_COMPRESSOR", "zlib"},
      {"BLOSC_BLOCKSIZE", "4096"},  {"BLOSC_NTHREADS", "4"},
      {"BLOSC_SPLITMODE", "NEVER"}, {"BLOSC_NOLOCK", "1"}};
  for (auto [name, value] : kSettings) setenv(name, value, 1);
  const Bytes after = encode(raw, p);
  for (auto [name, value] : kSettings) unsetenv(name);
  EXPECT_TRUE(same(before, after));
}

TEST(Blosc, EncodeRefuses) {
  const Bytes raw(100);
  EXPECT_ERROR(invalid_argument, "'lzma'", encode(raw, {.cname = "lzma"}));
  EXPECT_ERROR(invalid_argument, "level", encode(raw, {.level = 10}));
  EXPECT_ERROR(invalid_argument, "level", encode(raw, {.level = -1}));
  EXPECT_ERROR(invalid_argument, "shuffle", encode(raw, {.shuffle = 3}));
  EXPECT_ERROR(invalid_argument, "", encode(raw, {.typesize = 0}));
}

TEST(Blosc, HeadersThatLie) {
  const Bytes raw = smooth_floats(65536), good = encode(raw, {"lz4", 5, 1, 4, 1024});
  ASSERT_FALSE(blosc_header(good).plain_copy());
  ASSERT_LE(blosc_header(good).block_size, raw.size() / 2);
  struct Row {
    const char* message;
    std::size_t at, bytes;
    std::uint32_t value;
  };
  const Row rows[] = {
      {"version 3", 0, 1, 3},
      {"version 0", 0, 1, 0},
      {"streams of version", 1, 1, 9},
      {"flags 0xe1", 2, 1, 0xe1},
      {"flags 0x29", 2, 1, 0x29},
      {"flags 0x25", 2, 1, 0x25},
      {"copy of", 2, 1, 0x23},
      {"items of 0", 3, 1, 0},
      {"expected 262144", 4, 4, 262143},
      {"offsets", 4, 4, 0xffffffff},
      {"blocks of 0", 8, 4, 0},
      {"blocks of 262145", 8, 4, 262145},
      {"offsets", 8, 4, 1},
      {"claims 15 bytes", 12, 4, 15},
      {"are there", 12, 4, 0xffffffff},
      {"outside of", 16, 4, 0},
      {"outside of", 16, 4, 31},
      {"outside of", 16, 4, 0x7fffffff},
      {"length 0 where 1 bytes", 16, 4, static_cast<std::uint32_t>(good.size() - 1)},
      {"length 0", load_le<std::uint32_t>(good.data() + 16), 4, 0},
      {"length 4294967295", load_le<std::uint32_t>(good.data() + 16), 4, 0xffffffff},
  };
  for (const Row& row : rows) {
    Bytes bad = good;
    for (std::size_t i = 0; i < row.bytes; ++i) bad[row.at + i] = static_cast<std::byte>(row.value >> (8 * i));
    SCOPED_TRACE(row.message);
    EXPECT_ERROR(corrupt, row.message, decode(bad, raw.size()));
  }
  EXPECT_ERROR(corrupt, "expected 10", decode(good, 10));
}

// A short chunk that claims a huge block must not make us reserve it.
TEST(Blosc, HugeClaimsAllocateNothing) {
  for (std::uint32_t format = 0; format < 5; ++format) {
    Bytes bad = from_hex("02 01 10 04 00000070 00000070 40000000 14000000");
    bad[2] = static_cast<std::byte>(0x10 | format << 5);
    bad.resize(64, std::byte{0});
    Bytes out(16);
    EXPECT_ERROR(corrupt, "cannot hold", blosc_decode_range(bad, 4096, out));
  }
}

TEST(Blosc, Truncation) {
  for (std::string_view cname : kNames)
    for (int shuffle : {1, 2}) {
      const Bytes raw = smooth_floats(600), chunk = encode(raw, {cname, 5, shuffle, 4, 1024});
      for (std::size_t n = 0; n < chunk.size(); ++n)
        EXPECT_ERROR(corrupt, "", decode(ByteView(chunk).first(n), raw.size()));
      // The same with a header that claims the shorter length.
      for (std::size_t n = 16; n < chunk.size(); ++n) {
        Bytes cut(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(n));
        store_le<std::uint32_t>(cut.data() + 12, static_cast<std::uint32_t>(n));
        EXPECT_ERROR(corrupt, "", decode(cut, raw.size()));
      }
    }
}

TEST(Blosc, MutationNeverCrashes) {
  std::mt19937 random(9);
  for (std::string_view cname : kNames)
    for (std::uint32_t typesize : {4u, 20u}) {  // split into streams, and several blocks
      const Bytes raw = mixed(6000), chunk = encode(raw, {cname, 5, static_cast<int>(random() % 3), typesize, 2048});
      for (int i = 0; i < 800; ++i) {
        Bytes bad = chunk;
        for (unsigned k = 0; k < 1 + random() % 3; ++k)
          bad[random() % (random() % 2 ? bad.size() : 48)] = static_cast<std::byte>(random());
        Bytes out(raw.size()), part(1 + random() % 3000);
        const std::uint64_t from = random() % (raw.size() - part.size());
        bool whole = false;
        try {
          blosc_decode(bad, out, {.rescue = random() % 2 == 0});
          whole = true;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
        }
        try {
          blosc_decode_range(bad, from, part);
          if (whole && cname == "zlib") {
            EXPECT_TRUE(same(part, ByteView(out).subspan(from, part.size())));
          }
        } catch (const Error& error) {
          // A smaller nbytes puts the range outside.
          EXPECT_TRUE(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::invalid_argument)
              << error.what();
          EXPECT_FALSE(whole) << error.what();
        }
      }
    }
}

}  // namespace
}  // namespace tegula::codec
