#include "format/zarr/meta/fill_value.h"

#include <gtest/gtest.h>

#include "codec/inputs.h"
#include "format/zarr/codec/dtypes.h"
#include "support/expect_error.h"

namespace tegula::zarr {
namespace {

using Bytes4 = std::vector<int>;

Bytes4 numbers(const Bytes& bytes) {
  Bytes4 out;
  for (const std::byte b : bytes) out.push_back(std::to_integer<int>(b));
  return out;
}

struct FillRow {
  const char* json;
  const char* dtype;
  FillStyle style;
  Bytes4 bytes;
};

TEST(FillValue, TakesEverySpelling) {
  const FillRow rows[] = {
      {"0", "<i4", FillStyle::numpy, {0, 0, 0, 0}},
      {"2.5", "<i2", FillStyle::numpy, {2, 0}},
      {"-2.5", ">i2", FillStyle::numpy, {255, 254}},
      {"true", "<i2", FillStyle::numpy, {1, 0}},
      {"-1", "|u1", FillStyle::numpy, {255}},
      {"3", "|b1", FillStyle::numpy, {1}},
      {"0", "|S3", FillStyle::numpy, {'0', 0, 0}},
      {"17", "<U2", FillStyle::numpy, {'1', 0, 0, 0, '7', 0, 0, 0}},
      {"\"abcd\"", ">U2", FillStyle::numpy, {0, 0, 0, 'a', 0, 0, 0, 'b'}},
      {"0", "[('a', '<i2'), ('b', 'S2')]", FillStyle::numpy, {0, 0, '0', 0}},
      {"5", "<c8", FillStyle::numpy, {0, 0, 0xa0, 0x40, 0, 0, 0, 0}},
      {"18446744073709551615", "<u8", FillStyle::v2, {255, 255, 255, 255, 255, 255, 255, 255}},
      {"\"-Infinity\"", "<f4", FillStyle::v2, {0, 0, 0x80, 0xff}},
      {"[1.5, \"NaN\"]", "<c8", FillStyle::v2, {0, 0, 0xc0, 0x3f, 0, 0, 0xc0, 0x7f}},
      {"\"Yf8=\"", "|S3", FillStyle::v2, {'a', 255, 0}},
      {"\"NaT\"", "<M8[D]", FillStyle::v3, {0, 0, 0, 0, 0, 0, 0, 128}},
      {"\"0x7fc00001\"", "<f4", FillStyle::v3, {1, 0, 0xc0, 0x7f}},
      {"0.5", "<f2", FillStyle::v3, {0, 0x38}},
      {"[1, 2]", "|V2", FillStyle::v3, {1, 2}},
  };
  for (const FillRow& row : rows) {
    SCOPED_TRACE(row.json + std::string(" as ") + row.dtype);
    EXPECT_EQ(numbers(fill_from_json(parse_json(bytes_of(row.json), "x"), datatype_from_numpy(row.dtype), row.style)),
              row.bytes);
  }
}

TEST(FillValue, RefusesWhatDoesNotFit) {
  const FillRow rows[] = {{"256", "|u1", FillStyle::v3, {}},      {"-129", "|i1", FillStyle::v3, {}},
                          {"true", "<i4", FillStyle::v3, {}},     {"\"x\"", "<i4", FillStyle::v2, {}},
                          {"\"0x1\"", "<f4", FillStyle::v3, {}},  {"{}", "<f8", FillStyle::numpy, {}},
                          {"\"@@@@\"", "|S3", FillStyle::v2, {}}, {"\"YWJjZA==\"", "|S3", FillStyle::v2, {}},
                          {"1e300", "<i8", FillStyle::numpy, {}}, {"[1]", "<c8", FillStyle::v3, {}}};
  for (const FillRow& row : rows) {
    SCOPED_TRACE(row.json + std::string(" as ") + row.dtype);
    EXPECT_ERROR(corrupt, "does not suit",
                 fill_from_json(parse_json(bytes_of(row.json), "x"), datatype_from_numpy(row.dtype), row.style));
  }
}

TEST(FillValue, RoundTripsThroughJson) {
  for (const char* dtype : {"|b1", "<i2", ">i8", "<u8", "<f2", "<f8", ">c16", "|S3", "<U2", "|V3", "<M8[ns]",
                            "[('a', '<i4'), ('b', 'S2')]"})
    for (const FillStyle style : {FillStyle::v2, FillStyle::v3}) {
      const Datatype type = datatype_from_numpy(dtype);
      Bytes cell(type.full_size(), std::byte{0});
      cell[0] = std::byte{1};
      if (type.id == TypeId::unicode) cell[0] = std::byte{'a'};
      EXPECT_EQ(numbers(fill_from_json(fill_to_json(cell, type, style), type, style)), numbers(cell)) << dtype;
    }
}

}  // namespace
}  // namespace tegula::zarr
