// Chunks as libtiledb 2.30.0 wrote them, decoded and encoded again.
#include "format/tiledb/filter/filter_decode.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/cursor.h"
#include "format/tiledb/filter/filter_encode.h"
#include "format/tiledb/filter/generic_tile.h"
#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

constexpr std::uint8_t kInt32 = 0, kInt64 = 1, kFloat32 = 2, kFloat64 = 3, kUint8 = 6, kInt16 = 7, kUint16 = 8,
                       kUint32 = 9, kUint64 = 10, kAscii = 11, kDatetimeDay = 21;

struct Vector {
  const char* name;
  std::vector<FilterStep> steps;
  std::uint8_t type;
  const char *raw, *metadata, *data;
  bool same_bytes = true;  // encoding gives these very bytes
};

std::vector<Vector> vectors() {
  const FilterStep bit_width{.type = FilterType::bit_width, .window = 256};
  return {
      {"bitshuffle",
       {{.type = FilterType::bitshuffle}},
       kUint16,
       "0000 2e00 5c00 8a00 b800 e600 1900 4700 7500",
       "02000000 10000000 02000000",
       "c0aaa65e5432a438 0000000000000000 7500"},
      {"byteshuffle",
       {{.type = FilterType::byteshuffle}},
       kUint32,
       "00000000 b0b30000 60670100 101b0200 c0ce0200 70820300 a8610000 58150100 08c90100",
       "01000000 24000000",
       "00b06010c070a85808 00b3671bce826115c9 000001020203000101 000000000000000000"},
      {"bit width, unsigned",
       {bit_width},
       kUint32,
       "a0860100 ce860100 fc860100 2a870100 58870100 86870100 b9860100 e7860100 15870100",
       "24000000 01000000 a0860100 08 24000000",
       "002e5c8ab8e6194775"},
      {"bit width, signed",
       {bit_width},
       kInt64,
       "9cffffffffffffff caffffffffffffff f8ffffffffffffff 2600000000000000 5400000000000000 8200000000000000 "
       "b5ffffffffffffff e3ffffffffffffff 1100000000000000",
       "48000000 01000000 9cffffffffffffff 10 48000000",
       "0000 2e00 5c00 8a00 b800 e600 1900 4700 7500"},
      {"positive delta",
       {{.type = FilterType::positive_delta, .window = 1024}},
       kUint16,
       "0700 0c00 1100 1600 1b00 2000 2500 2a00 2f00",
       "01000000 0700 12000000",
       "0000 0500 0500 0500 0500 0500 0500 0500 0500"},
      {"double delta",
       {{.type = FilterType::double_delta}},
       kInt32,
       "00000000 2e000000 5c000000 8a000000 b8000000 e6000000 19000000 47000000 75000000",
       "00000000 01000000 24000000 19000000",
       "08 0900000000000000 00000000 2e000000 00ecdb0f00000000"},
      {"delta",
       {{.type = FilterType::delta}},
       kInt16,
       "0000 2e00 5c00 8a00 b800 e600 1900 4700 7500",
       "00000000 01000000 12000000 1a000000",
       "0900000000000000 0000 2e00 2e00 2e00 2e00 2e00 33ff 2e00 2e00"},
      {"delta of 2.16, with a value too many",
       {{.type = FilterType::delta}},
       kInt16,
       "0000 2e00",
       "00000000 01000000 04000000 0e000000",
       "0200000000000000 0000 2e00 7777",
       false},
      {"xor",
       {{.type = FilterType::xor_elements}},
       kFloat64,
       "000000000000f03f 000000000000f03f 0000000000000040 0000000000000040 0000000000000840 0000000000000840 "
       "0000000000000000 0000000000000000 000000000000f0bf",
       "01000000 48000000",
       "000000000000f03f 0000000000000000 000000000000f07f 0000000000000000 0000000000000800 0000000000000000 "
       "0000000000000840 0000000000000000 000000000000f0bf"},
      {"float scale",
       {{.type = FilterType::scale_float, .scale = 0.25, .offset = 10, .byte_width = 2}},
       kFloat64,
       "0000000000002440 0000000000802440 0000000000002540 0000000000802540 0000000000002640",
       "01000000 0a000000",
       "0000 0100 0200 0300 0400"},
      {"rle",
       {{.type = FilterType::rle}},
       kUint16,
       "0700 0700 0700 0900 0900 0100 0100 0100 0100",
       "00000000 01000000 12000000 0c000000",
       "0700 0003 0900 0002 0100 0004"},
      {"md5",
       {{.type = FilterType::md5}},
       kUint8,
       "002e5c8ab8e6194775",
       "00000000 01000000 0900000000000000 c998b91e521d6a4e98ec285a78c8de32",
       "002e5c8ab8e6194775"},
      {"lz4",
       {{.type = FilterType::lz4}},
       kUint8,
       "000000000000000000",
       "00000000 01000000 09000000 0a000000",
       "90 000000000000000000",
       false},
      {"bzip2",
       {{.type = FilterType::bzip2}},
       kUint8,
       "000000000000000000",
       "00000000 01000000 09000000 25000000",
       "425a6831 314159265359 752890670000004000420020002100828317724538509075289067",
       false},
      {"gzip",
       {{.type = FilterType::gzip}},
       kUint8,
       "000000000000000000",
       "00000000 01000000 09000000 0b000000",
       "789c636080020000090001",
       false},
      {"an empty chunk through zstd",
       {{.type = FilterType::zstd}},
       kUint8,
       "",
       "00000000 01000000 00000000 09000000",
       "28b52ffd2000010000",
       false},
      {"nothing", {}, kUint8, "0102", "", "0102"},
      {"bit width leaves bytes alone", {bit_width}, kUint8, "0102", "", "0102"},
      {"bit width leaves text alone", {bit_width}, kAscii, "6162", "", "6162"},
  };
}

FilterPlan plan_of(std::vector<FilterStep> steps, const FilterInput& input, Key key = nullptr) {
  Pipeline pipeline;
  pipeline.steps = std::move(steps);
  return make_plan(pipeline, input, std::move(key));
}

std::uint64_t size_of(std::uint8_t type) { return datatype_from_tiledb(type).size; }

TEST(Filter, decodes_and_encodes_what_libtiledb_wrote) {
  FilterScratch scratch;
  for (const Vector& vector : vectors()) {
    SCOPED_TRACE(vector.name);
    const FilterPlan plan = plan_of(vector.steps, {.type_code = vector.type, .cell_size = size_of(vector.type)});
    const Bytes raw = hex(vector.raw);
    Bytes out(raw.size());
    decode_chunk(plan, hex(vector.metadata), hex(vector.data), out, scratch);
    EXPECT_EQ(to_hex(out), to_hex(raw));
    Bytes metadata, data;
    encode_chunk(plan, raw, metadata, data, scratch);
    if (vector.same_bytes) {
      EXPECT_EQ(to_hex(metadata), to_hex(hex(vector.metadata)));
      EXPECT_EQ(to_hex(data), to_hex(hex(vector.data)));
    }
    std::fill(out.begin(), out.end(), std::byte{0xAA});
    decode_chunk(plan, metadata, data, out, scratch);
    EXPECT_EQ(to_hex(out), to_hex(raw));
  }
}

// Written by libtiledb 2.30 from int16 cells through bit width reduction, then delta or double delta: of the 15 bytes
// of metadata in front, the last one is not stored.
TEST(Filter, metadata_that_a_delta_filter_cut_short) {
  const struct {
    FilterType filter;
    const char *metadata, *data;
  } rows[] = {{FilterType::delta, "01000000 01000000 0f000000 16000000 04000000 0c000000",
               "0700000000000000 0800f8ff0100ffff73009507f8f7 0200000000000000 0b4ff5b5"},
              {FilterType::double_delta, "01000000 01000000 0f000000 1d000000 04000000 0d000000",
               "0c 0700000000000000 08000000ce2f72e880004c000000000000000080 00 0200000000000000 0b4f0005"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.metadata);
    const FilterPlan plan = plan_of({{.type = FilterType::bit_width, .window = 256}, {.type = row.filter}},
                                    {.type_code = kInt16, .cell_size = 2});
    FilterScratch scratch;
    Bytes out(8);
    decode_chunk(plan, hex(row.metadata), hex(row.data), out, scratch);
    EXPECT_EQ(to_hex(out), to_hex(hex("7e00 c200 7300 7800")));
  }
}

TEST(Filter, compressors_list_the_metadata_of_earlier_filters) {
  const FilterPlan plan = plan_of(
      {{.type = FilterType::bit_width, .window = 256}, {.type = FilterType::bitshuffle}, {.type = FilterType::gzip}},
      {.type_code = kUint16, .cell_size = 2});
  FilterScratch scratch;
  Bytes metadata, data;
  encode_chunk(plan, hex("0100 0200 0300 0400 0500 0600 0700 0800"), metadata, data, scratch);
  Cursor in(metadata, "metadata");
  EXPECT_EQ(in.read<std::uint32_t>(), 2u);  // bit shuffle, then bit width
  EXPECT_EQ(in.read<std::uint32_t>(), 1u);
  EXPECT_EQ(in.read<std::uint32_t>(), 8u);
  in.skip(4);
  EXPECT_EQ(in.read<std::uint32_t>(), 15u);
  in.skip(4);
  EXPECT_EQ(in.read<std::uint32_t>(), 8u);
}

struct Chain {
  const char* name;
  std::vector<FilterStep> steps;
  std::uint8_t type;
};

TEST(Filter, chains_come_back) {
  const Chain chains[] = {
      {"bit width, zstd", {{.type = FilterType::bit_width, .window = 64}, {.type = FilterType::zstd}}, kInt32},
      {"byte shuffle, lz4", {{.type = FilterType::byteshuffle}, {.type = FilterType::lz4}}, kFloat64},
      {"double delta, gzip", {{.type = FilterType::double_delta}, {.type = FilterType::gzip}}, kUint32},
      {"bit shuffle, zstd, md5",
       {{.type = FilterType::bitshuffle}, {.type = FilterType::zstd}, {.type = FilterType::md5}},
       kInt16},
      {"md5, byte shuffle, sha256",
       {{.type = FilterType::md5}, {.type = FilterType::byteshuffle}, {.type = FilterType::sha256}},
       kInt16},
      {"xor, bit width, bit shuffle, bzip2",
       {{.type = FilterType::xor_elements},
        {.type = FilterType::bit_width, .window = 256},
        {.type = FilterType::bitshuffle},
        {.type = FilterType::bzip2}},
       kFloat32},
      {"reinterpreting delta, rle",
       {{.type = FilterType::delta, .reinterpret = kUint64}, {.type = FilterType::rle}},
       kFloat64},
      {"zstd, zstd", {{.type = FilterType::zstd}, {.type = FilterType::zstd}}, kUint8},
      {"dates", {{.type = FilterType::bit_width, .window = 256}, {.type = FilterType::zstd}}, kDatetimeDay},
  };
  std::mt19937 random(7);
  FilterScratch scratch;
  for (const Chain& chain : chains) {
    for (const std::size_t cells : {0, 1, 7, 8, 1000, 8192}) {
      for (const bool encrypted : {false, true}) {
        SCOPED_TRACE(fmt::format("{}, {} cells, encrypted {}", chain.name, cells, encrypted));
        if (cells == 1 && chain.type == kFloat64 && chain.steps[1].type == FilterType::rle) continue;
        Bytes raw(cells * size_of(chain.type));
        for (std::byte& b : raw) b = static_cast<std::byte>(random() % 3);
        const Key key = encrypted ? std::make_shared<const codec::AesKey>(Bytes(32, std::byte{9})) : nullptr;
        const FilterPlan plan = plan_of(chain.steps, {.type_code = chain.type, .cell_size = size_of(chain.type)}, key);
        Bytes metadata, data, out(raw.size());
        encode_chunk(plan, raw, metadata, data, scratch);
        decode_chunk(plan, metadata, data, out, scratch);
        EXPECT_EQ(out, raw);
      }
    }
  }
}

struct TextVector {
  const char* name;
  FilterType type;
  const char *metadata, *data;
};

TEST(Filter, text_carries_its_offsets) {
  const TextVector vectors[] = {
      {"rle", FilterType::rle, "00000000 01000000 04000000 06000000 18000000 01 01", "02 02 6161 01 00"},
      {"dictionary", FilterType::dictionary, "00000000 01000000 04000000 03000000 18000000 01 01 04000000 02616100",
       "00 00 01"},
  };
  FilterScratch scratch;
  const std::vector<std::uint64_t> offsets{0, 2, 4};
  for (const TextVector& vector : vectors) {
    SCOPED_TRACE(vector.name);
    const FilterPlan plan = plan_of({{.type = vector.type}}, {.type_code = kAscii, .cell_size = 1});
    ASSERT_TRUE(may_carry_offsets(plan));
    Bytes out(4);
    std::vector<std::uint64_t> starts(3);
    decode_text_chunk(plan, hex(vector.metadata), hex(vector.data), out, starts, scratch);
    EXPECT_EQ(text_of(out), "aaaa");
    EXPECT_EQ(starts, offsets);
    Bytes metadata, data;
    encode_text_chunk(plan, bytes_of("aaaa"), offsets, metadata, data, scratch);
    EXPECT_EQ(to_hex(metadata), to_hex(hex(vector.metadata)));
    EXPECT_EQ(to_hex(data), to_hex(hex(vector.data)));

    const FilterPlan chain = plan_of({{.type = vector.type}, {.type = FilterType::zstd}, {.type = FilterType::sha256}},
                                     {.type_code = kAscii, .cell_size = 1});
    metadata.clear();
    data.clear();
    encode_text_chunk(chain, bytes_of("aaaa"), offsets, metadata, data, scratch);
    std::fill(starts.begin(), starts.end(), 99);
    decode_text_chunk(chain, metadata, data, out, starts, scratch);
    EXPECT_EQ(starts, offsets);
  }
}

struct Damage {
  const char* name;
  std::vector<FilterStep> steps;
  std::uint8_t type;
  std::size_t size;
  const char *metadata, *data, *message;
};

TEST(Filter, damage_is_named) {
  const Damage cases[] = {
      {"checksum",
       {{.type = FilterType::md5}},
       kUint8,
       9,
       "00000000 01000000 0900000000000000 c998b91e521d6a4e98ec285a78c8de32",
       "012e5c8ab8e6194775",
       "MD5 checksum"},
      {"metadata left over", {}, kUint8, 2, "00", "0102", "left over"},
      {"wrong length", {}, kUint8, 3, "", "0102", "expected 3"},
      {"too many parts", {{.type = FilterType::gzip}}, kUint8, 9, "ffffffff ffffffff", "", "compressed parts"},
      {"a part that is too long",
       {{.type = FilterType::gzip}},
       kUint8,
       9,
       "00000000 01000000 09000000 ffffff7f",
       "00",
       "the compressed parts"},
      {"a claim beyond reason",
       {{.type = FilterType::byteshuffle}, {.type = FilterType::zstd}},
       kUint32,
       8,
       "00000000 01000000 ffffffff 01000000",
       "00",
       "claims"},
      {"windows that stop early",
       {{.type = FilterType::bit_width, .window = 8}},
       kUint32,
       8,
       "08000000 01000000 00000000 20 04000000",
       "00000000",
       "windows give"},
      {"a window beyond the data",
       {{.type = FilterType::bit_width, .window = 8}},
       kUint32,
       4,
       "04000000 01000000 00000000 20 08000000",
       "0000000000000000",
       "a window of"},
      {"data that a delta filter cut short, from libtiledb 2.30",
       {{.type = FilterType::bit_width, .window = 256}, {.type = FilterType::delta}},
       kInt16,
       6,
       "01000000 01000000 0f000000 16000000 03000000 0a000000",
       "0700000000000000 0600faff0100ffff1000f805f8f9 0100000000000000 0031",
       "the last 1 are lost"},
      {"a dictionary without offsets", {{.type = FilterType::dictionary}}, kAscii, 4, "", "", "dictionary"},
  };
  FilterScratch scratch;
  for (const Damage& damage : cases) {
    SCOPED_TRACE(damage.name);
    const FilterPlan plan = plan_of(damage.steps, {.type_code = damage.type, .cell_size = size_of(damage.type)});
    Bytes out(damage.size);
    EXPECT_ERROR(corrupt, damage.message, decode_chunk(plan, hex(damage.metadata), hex(damage.data), out, scratch));
  }
}

}  // namespace
}  // namespace tegula::tiledb
