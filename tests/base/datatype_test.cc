#include "tegula/datatype.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(Datatype, EveryTileDbCodeRoundTrips) {
  for (int code = 0; code <= 43; ++code) {
    const Datatype type = datatype_from_tiledb(static_cast<std::uint8_t>(code));
    EXPECT_EQ(tiledb_code(type), code) << display_name(type);
    EXPECT_FALSE(tiledb_name(static_cast<std::uint8_t>(code)).empty());
    EXPECT_EQ(parse_datatype(display_name(type)), type) << display_name(type);
  }
  EXPECT_ERROR(unsupported, "code 44", datatype_from_tiledb(44));
  EXPECT_EQ(datatype_from_tiledb(27), datatype_from_numpy("<M8[ns]"));
  EXPECT_EQ(datatype_from_tiledb(39), datatype_from_numpy("timedelta64[as]"));
}

TEST(Datatype, NumpySpellings) {
  const struct {
    const char* text;
    const char* canonical;
    std::uint32_t size;
    const char* display;
  } rows[] = {
      {"<i4", "<i4", 4, "int32"},
      {"int32", "<i4", 4, "int32"},
      {"=i4", "<i4", 4, "int32"},
      {">i4", ">i4", 4, "int32 big-endian"},
      {"bool", "|b1", 1, "bool"},
      {"|b1", "|b1", 1, "bool"},
      {"?", "|b1", 1, "bool"},
      {"uint8", "|u1", 1, "uint8"},
      {"float16", "<f2", 2, "float16"},
      {"<c16", "<c16", 16, "complex128"},
      {"complex64", "<c8", 8, "complex64"},
      {"|S7", "|S7", 7, "bytes[7]"},
      {"S0", "|S0", 0, "bytes[0]"},
      {"<U4", "<U4", 16, "unicode[4]"},
      {">U3", ">U3", 12, "unicode[3] big-endian"},
      {"|V9", "|V9", 9, "raw[9]"},
      {"datetime64[ns]", "<M8[ns]", 8, "datetime64[ns]"},
      {"datetime64[25s]", "<M8[25s]", 8, "datetime64[25s]"},
      {"datetime64", "<M8", 8, "datetime64"},
      {">M8[D]", ">M8[D]", 8, "datetime64[D] big-endian"},
      {"<m8[us]", "<m8[us]", 8, "timedelta64[us]"},
      {"object", "|O", 8, "object"},
      {"|O", "|O", 8, "object"},
      {"[('a', '<i4'), ('p', [('x', '<f4'), ('y', '<i8')])]", "[('a', '<i4'), ('p', [('x', '<f4'), ('y', '<i8')])]", 16,
       "{a: int32, p: {x: float32, y: int64}}"},
      {"[('b', '<f8', (2, 3))]", "[('b', '<f8', (2, 3))]", 48, "{b: float64(2, 3)}"},
      {"[('b', '<f8', (2,)), ('c', '|S3')]", "[('b', '<f8', (2,)), ('c', '|S3')]", 19, "{b: float64(2), c: bytes[3]}"},
      {"{'names':['a','b'], 'formats':['<i4','<f8'], 'offsets':[0,8], 'itemsize':16, 'aligned':True}",
       "{'names': ['a', 'b'], 'formats': ['<i4', '<f8'], 'offsets': [0, 8], 'itemsize': 16}", 16,
       "{a: int32, b: float64}"},
  };
  for (const auto& row : rows) {
    const Datatype type = datatype_from_numpy(row.text);
    EXPECT_EQ(numpy_string(type), row.canonical) << row.text;
    EXPECT_EQ(type.full_size(), row.size) << row.text;
    EXPECT_EQ(display_name(type), row.display);
    EXPECT_EQ(datatype_from_numpy(numpy_string(type)), type) << row.text;
  }
}

TEST(Datatype, RefusesWhatItDoesNotKnow) {
  for (const char* bad :
       {"", "<i3", "<f16", "i4x", "<U99999999999", "S4294967295", "datetime64[xs]", "datetime64[0s]", "[('a', '<i4')",
        "[]", "[('a' '<i4')]", "{'names':['a'], 'formats':[]}", "{'names':['a'], 'formats':['<i8'], 'itemsize':4}",
        "[('a', '<i4', (4294967295, 4294967295))]", "{'names':['a'], 'formats':['<i8'], 'offsets':[4294967290]}",
        "(('x'", "<M8[", "<q"})
    EXPECT_ERROR(unsupported, "dtype", datatype_from_numpy(bad));
  EXPECT_ERROR(unsupported, "nested too deeply", datatype_from_numpy([] {
                 std::string text;
                 for (int i = 0; i < 100; ++i) text += "[('a', ";
                 return text;
               }()));
  EXPECT_ERROR(invalid_argument, "'floaty' is not a datatype", parse_datatype("floaty"));
}

TEST(Datatype, ParsesWhatPeopleWrite) {
  EXPECT_EQ(parse_datatype("int32"), Datatype(TypeId::int32));
  EXPECT_EQ(parse_datatype("ascii"), Datatype(TypeId::ascii));
  EXPECT_EQ(parse_datatype("bytes[7]"), datatype_from_numpy("S7"));
  EXPECT_EQ(parse_datatype("unicode[3] big-endian"), datatype_from_numpy(">U3"));
  EXPECT_EQ(parse_datatype("<f8"), Datatype(TypeId::float64));
}

TEST(Datatype, TypesTileDbLacks) {
  for (const char* text : {"<f2", "<c8", "S7", "<U3", "V3", ">i4", "<M8[25s]", "<M8", "[('a', '<i4')]"})
    EXPECT_FALSE(tiledb_code(datatype_from_numpy(text))) << text;
  EXPECT_EQ(tiledb_code(datatype_from_numpy("|u1")), 6);
}

}  // namespace
}  // namespace tegula
