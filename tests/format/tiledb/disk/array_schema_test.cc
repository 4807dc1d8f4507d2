#include "format/tiledb/disk/array_schema.h"

#include <gtest/gtest.h>

#include "format/tiledb/disk/schema_model.h"
#include "format/tiledb/fields.h"
#include "format/tiledb/hex.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using testing::hex;
using testing::to_hex;

// Sparse, one int64 dimension x in [0, 99] with extent 10, one int32 attribute a; written by libtiledb 2.30.
constexpr const char* kVersion22 =
    "16000000 00 01 00 00 1027000000000000"
    "00000100 01000000 02 05000000 02 ffffffff"
    "00000100 01000000 02 05000000 02 ffffffff"
    "00000100 01000000 04 05000000 04 ffffffff"
    "01000000"
    "01000000 78 01 01000000 00000100 00000000"
    "1000000000000000 0000000000000000 6300000000000000 00 0a00000000000000"
    "01000000"
    "01000000 61 00 01000000 00000100 00000000"
    "0400000000000000 00000080 00 00 00 00000000"
    "00000000"
    "00000000"
    "00000000 01";

ArraySchema decode(const Bytes& bytes) { return decode_schema(Cursor(bytes, "schema")); }

TEST(ArraySchema, decodes_what_libtiledb_wrote) {
  const Bytes bytes = hex(kVersion22);
  const ArraySchema schema = decode(bytes);
  EXPECT_EQ(schema.version, 22u);
  EXPECT_TRUE(schema.sparse);
  EXPECT_EQ(schema.capacity, 10000u);
  ASSERT_EQ(schema.dimensions.size(), 1u);
  EXPECT_EQ(schema.dimensions[0].name, "x");
  EXPECT_FALSE(schema.current_domain);
  Bytes out;
  encode_schema(schema, out);
  EXPECT_EQ(to_hex(out), to_hex(bytes));

  const Schema model = to_model(schema, {});
  EXPECT_EQ(model.format, "tiledb");
  EXPECT_EQ(model.dimensions[0].domain, (Range{std::int64_t{0}, std::int64_t{99}}));
  EXPECT_EQ(model.dimensions[0].tile, Value(std::int64_t{10}));
  EXPECT_EQ(model.dimensions[0].filters.at(0).name, "zstd");  // those of the coordinates
  EXPECT_EQ(to_hex(model.attributes.at(0).fill), "00000080");
}

// Everything a schema can hold, in the layout of each version.
ArraySchema full_schema(std::uint32_t version) {
  ArraySchema schema;
  schema.version = version;
  schema.sparse = true;
  schema.allows_duplicates = version >= 5;
  schema.tile_order = Order::col;
  schema.cell_order = version >= 7 ? Order::hilbert : Order::row;
  schema.capacity = 7;
  schema.coords.steps = {{.type = FilterType::zstd}};
  schema.offsets.steps = {{.type = FilterType::rle}};
  if (version >= 7) schema.validity.steps = {{.type = FilterType::rle}};
  SchemaDimension x = testing::dimension("x", 7);
  x.domain = hex("0100 6400");
  x.extent = hex("0a00");
  schema.dimensions = {x};
  if (version >= 5) {
    SchemaDimension text = testing::dimension("text", 11, kVar);
    text.filters.steps = {{.type = FilterType::rle}};
    schema.dimensions.push_back(text);
  }
  SchemaAttribute a = testing::attribute("a", 3, 2);
  a.fill = version >= 6 ? Bytes(16, std::byte{1}) : default_fill(a.type, 2);
  a.nullable = a.fill_valid = version >= 7;
  if (version >= 17) a.order = DataOrder::increasing;
  if (version >= 20) a.enumeration = "colours";
  schema.attributes = {a};
  if (version >= 18) {
    SchemaLabel label;
    label.name = "l";
    label.uri = "__labels/l0";
    label.attribute = "label";
    label.order = DataOrder::decreasing;
    label.type_code = 11;
    label.type = TypeId::ascii;
    label.values_per_cell = kVar;
    schema.labels = {label};
  }
  if (version >= 20) schema.enumerations = {{"colours", "__00_0"}};
  if (version >= 22)
    schema.current_domain = NdRange{{std::int64_t{2}, std::int64_t{9}}, {std::string("a"), std::string("zz")}};
  return schema;
}

TEST(ArraySchema, round_trips_in_every_version) {
  for (std::uint32_t version = 1; version <= 23; ++version) {
    SCOPED_TRACE(version);
    Bytes bytes, again;
    encode_schema(full_schema(version), bytes);
    const ArraySchema schema = decode(bytes);
    encode_schema(schema, again);
    EXPECT_EQ(to_hex(again), to_hex(bytes));
    EXPECT_EQ(schema.dimensions.back().name, version >= 5 ? "text" : "x");
    EXPECT_EQ(to_hex(schema.attributes[0].fill), to_hex(full_schema(version).attributes[0].fill));
    EXPECT_EQ(schema.attributes[0].nullable, version >= 7);
    EXPECT_EQ(schema.current_domain, full_schema(version).current_domain);
    EXPECT_EQ(schema.labels.size(), version >= 18 ? 1u : 0u);
    // Cut anywhere, it is an error with a place.
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_ERROR(corrupt, "schema at byte",
                   decode(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))));
  }
}

TEST(ArraySchema, goes_to_the_model_and_back) {
  const ArraySchema schema = full_schema(22);
  Bytes bytes, again;
  encode_schema(schema, bytes);
  ArraySchema back = from_model(to_model(schema, {}), 22);
  // What the model has no word for.
  back.attributes[0].order = schema.attributes[0].order;
  back.enumerations = schema.enumerations;
  back.dimensions[0].filters = {};
  encode_schema(back, again);
  EXPECT_EQ(to_hex(again), to_hex(bytes));
}

struct Damage {
  const char* name;
  std::size_t at;
  const char* bytes;
  ErrorKind kind;
  const char* message;
};

TEST(ArraySchema, damage_is_named) {
  const Damage cases[] = {
      {"newer version", 0, "18000000", ErrorKind::unsupported, "format version 24"},
      {"experimental version", 0, "16000080", ErrorKind::unsupported, "experimental"},
      {"version 0", 0, "00000000", ErrorKind::corrupt, "version 0"},
      {"array type", 5, "02", ErrorKind::corrupt, "array type 2"},
      {"cell order", 7, "05", ErrorKind::corrupt, "cell order 5"},
      {"capacity", 8, "0000000000000000", ErrorKind::corrupt, "capacity of 0"},
      {"many filters", 20, "ffffff00", ErrorKind::corrupt, "filters"},
      {"many dimensions", 70, "ffffffff", ErrorKind::corrupt, "dimensions"},
      {"long name", 74, "ffffffff", ErrorKind::corrupt, "name of a dimension"},
      {"datatype", 79, "2c", ErrorKind::corrupt, "datatype 44"},
      {"domain size", 92, "1100", ErrorKind::corrupt, "domain of 17 bytes"},
      {"empty domain", 100, "ffffffffffffff7f", ErrorKind::corrupt, "has the domain"},
      {"no extent", 117, "0000000000000000", ErrorKind::corrupt, "tile extent of 0"},
  };
  for (const Damage& damage : cases) {
    SCOPED_TRACE(damage.name);
    Bytes bytes = hex(kVersion22);
    const Bytes patch = hex(damage.bytes);
    std::copy(patch.begin(), patch.end(), bytes.begin() + static_cast<std::ptrdiff_t>(damage.at));
    try {
      decode(bytes);
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), damage.kind) << error.what();
      EXPECT_NE(std::string(error.what()).find(damage.message), std::string::npos) << error.what();
    }
  }
}

// A fuzzer made schemas of a few bytes ask for a gigabyte of fill values.
TEST(ArraySchema, default_fill_values_are_not_sized_by_damage) {
  ArraySchema schema = full_schema(3);
  schema.attributes[0].values_per_cell = 0x7fffffff;
  Bytes bytes;
  encode_schema(schema, bytes);
  EXPECT_ERROR(corrupt, "cells of", decode(bytes));
}

TEST(ArraySchema, default_fill_values) {
  EXPECT_EQ(to_hex(default_fill(TypeId::character, 1)), "80");
  EXPECT_EQ(to_hex(default_fill(TypeId::ascii, kVar)), "00");
  EXPECT_EQ(to_hex(default_fill(TypeId::int16, 2)), "00800080");
  EXPECT_EQ(to_hex(default_fill(TypeId::uint16, kVar)), "ffff");
  EXPECT_EQ(to_hex(default_fill(TypeId::float32, 1)), "0000c07f");
  EXPECT_EQ(to_hex(default_fill(TypeId::float64, 1)), "000000000000f87f");
  EXPECT_EQ(to_hex(default_fill(TypeId::boolean, 1)), "00");
  EXPECT_EQ(to_hex(default_fill(TypeId::utf32, 1)), "00000000");
  EXPECT_EQ(to_hex(default_fill(datatype_from_tiledb(27), 1)), "0000000000000080");
}

}  // namespace
}  // namespace tegula::tiledb
