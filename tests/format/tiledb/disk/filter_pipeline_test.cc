#include "format/tiledb/disk/filter_pipeline.h"

#include <gtest/gtest.h>

#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

struct Row {
  const char* name;
  std::uint32_t version;
  const char* bytes;
  Pipeline pipeline;
};

TEST(Pipeline, round_trips) {
  const Row rows[] = {
      {"empty", 22, "00000100 00000000", {}},
      {"zstd", 22, "00000100 01000000 02 05000000 02 ffffffff", {65536, {{.type = FilterType::zstd}}}},
      {"small chunks", 22, "40000000 01000000 08 00000000", {64, {{.type = FilterType::bitshuffle}}}},
      {"delta has its own compressor code",
       19,
       "00000100 01000000 13 06000000 08 ffffffff 0a",
       {65536, {{.type = FilterType::delta, .reinterpret = 10}}}},
      {"double delta before version 20",
       19,
       "00000100 01000000 06 05000000 06 ffffffff",
       {65536, {{.type = FilterType::double_delta}}}},
      {"double delta from version 20",
       20,
       "00000100 01000000 06 06000000 06 ffffffff 11",
       {65536, {{.type = FilterType::double_delta}}}},
      {"dictionary", 13, "00000100 01000000 0e 05000000 07 ffffffff", {65536, {{.type = FilterType::dictionary}}}},
      {"windows",
       1,
       "00000100 02000000 07 04000000 00010000 0a 04000000 00040000",
       {65536, {{.type = FilterType::bit_width, .window = 256}, {.type = FilterType::positive_delta, .window = 1024}}}},
      {"float scale",
       15,
       "00000100 01000000 0f 18000000 000000000000d03f 0000000000002440 0200000000000000",
       {65536, {{.type = FilterType::scale_float, .scale = 0.25, .offset = 10, .byte_width = 2}}}},
      {"webp",
       16,
       "00000100 01000000 12 0c000000 0000c842 01 01 0800 1800 0000",
       {65536,
        {{.type = FilterType::webp,
          .quality = 100,
          .pixels = codec::PixelFormat::rgb,
          .lossless = true,
          .rows = 8,
          .row_bytes = 24}}}},
      {"encryption, as in generic tiles",
       22,
       "00000100 02000000 01 05000000 01 01000000 0b 00000000",
       {65536, {{.type = FilterType::gzip, .level = 1}, {.type = FilterType::aes_gcm}}}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes bytes = hex(row.bytes);
    Cursor in(bytes, "pipeline");
    EXPECT_EQ(decode_pipeline(in), row.pipeline);
    EXPECT_TRUE(in.done());
    Bytes out;
    encode_pipeline(row.pipeline, row.version, out);
    EXPECT_EQ(to_hex(out), to_hex(bytes));
  }
}

TEST(Pipeline, damage_is_named) {
  const auto decode = [](const char* text) {
    const Bytes bytes = hex(text);
    Cursor in(bytes, "file");
    decode_pipeline(in);
  };
  EXPECT_ERROR(corrupt, "filters", decode("00000100 ffffffff 02"));
  EXPECT_ERROR(corrupt, "compressor 3", decode("00000100 01000000 02 05000000 03 ffffffff"));
  EXPECT_ERROR(corrupt, "options", decode("00000100 01000000 02 ff000000 02"));
  EXPECT_ERROR(corrupt, "expected the end", decode("00000100 01000000 07 05000000 00010000 00"));
  EXPECT_ERROR(unsupported, "filter 20", decode("00000100 01000000 14 00000000"));
}

TEST(Pipeline, a_compressor_of_kind_none_does_nothing) {
  const Bytes bytes = hex("00000100 01000000 01 05000000 00 ffffffff");
  Cursor in(bytes, "file");
  EXPECT_EQ(decode_pipeline(in).steps.at(0).type, FilterType::none);
}

TEST(Pipeline, goes_to_the_model_and_back) {
  const Pipeline pipeline{
      65536,
      {{.type = FilterType::zstd, .level = 5},
       {.type = FilterType::double_delta, .reinterpret = 0},
       {.type = FilterType::bit_width, .window = 64},
       {.type = FilterType::scale_float, .scale = 0.5, .offset = 1, .byte_width = 4},
       {.type = FilterType::webp, .quality = 80, .pixels = codec::PixelFormat::bgra, .lossless = true},
       {.type = FilterType::sha256}}};
  const std::vector<Filter> model = to_model(pipeline);
  EXPECT_EQ(model[1].name, "double_delta");
  EXPECT_EQ(std::get<std::string>(model[1].options[1].second), "int32");
  EXPECT_EQ(from_model(model), pipeline);
}

TEST(Pipeline, refuses_what_the_format_lacks) {
  EXPECT_ERROR(invalid_argument, "no filter 'blosc'", from_model(std::vector<Filter>{{"blosc", {}}}));
  EXPECT_ERROR(invalid_argument, "no filter 'aes_256_gcm'", from_model(std::vector<Filter>{{"aes_256_gcm", {}}}));
  EXPECT_ERROR(invalid_argument, "no option 'window'",
               from_model(std::vector<Filter>{{"zstd", {{"window", std::int64_t{3}}}}}));
  EXPECT_ERROR(invalid_argument, "must be 1, 2, 4 or 8",
               from_model(std::vector<Filter>{{"scale_float", {{"byte_width", std::int64_t{3}}}}}));
}

}  // namespace
}  // namespace tegula::tiledb
