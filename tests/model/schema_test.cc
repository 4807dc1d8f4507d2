#include "tegula/schema.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula {
namespace {

Dimension dimension(Datatype type, Value low, Value high, Value tile) {
  Dimension d;
  d.name = "d";
  d.type = type;
  d.domain = {low, high};
  d.tile = tile;
  return d;
}

TEST(Schema, ShapeAndChunks) {
  Schema schema;
  schema.dimensions = {dimension(TypeId::int64, std::int64_t{-5}, std::int64_t{4}, std::int64_t{3}),
                       dimension(TypeId::uint64, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{100}),
                       dimension(TypeId::int32, std::int64_t{0}, std::int64_t{6}, {})};
  EXPECT_EQ(schema.shape(), (std::vector<std::uint64_t>{10, 2, 7}));
  EXPECT_EQ(schema.chunks(), (std::vector<std::uint64_t>{3, 2, 7}));
  schema.dimensions = {dimension(TypeId::int64, INT64_MIN, INT64_MAX - 1, std::int64_t{10})};
  EXPECT_EQ(schema.shape()[0], UINT64_MAX);
  schema.dimensions = {dimension(TypeId::int64, {}, {}, std::int64_t{10})};
  EXPECT_EQ(schema.shape()[0], 0u) << "an axis of length 0 has no bounds";
  EXPECT_EQ(schema.chunks()[0], 10u);
  schema.dimensions = {dimension(TypeId::float64, 0.0, 1.0, {})};
  EXPECT_ERROR(invalid_argument, "dimension 'd' of type float64", schema.shape());
}

TEST(Schema, Lookups) {
  Schema schema;
  schema.attributes.resize(2);
  schema.attributes[1].name = "b";
  EXPECT_EQ(schema.attribute("b"), &schema.attributes[1]);
  EXPECT_EQ(schema.attribute(""), &schema.attributes[0]);
  EXPECT_EQ(schema.attribute("c"), nullptr);
  EXPECT_EQ(schema.dimension("b"), nullptr);
}

TEST(Enumeration, FixedAndVariableValues) {
  Enumeration e;
  e.type = TypeId::utf8;
  e.values_per_cell = kVar;
  e.data = copy_of(bytes_of("redgreen"));
  e.offsets = {0, 3, 8};
  EXPECT_EQ(e.count(), 3u);
  EXPECT_EQ(text_of(e.value(1)), "green");
  EXPECT_EQ(text_of(e.value(2)), "");
  e.values_per_cell = 4;
  e.offsets.clear();
  EXPECT_EQ(e.count(), 2u);
  EXPECT_EQ(text_of(e.value(1)), "reen");
}

TEST(Filter, DisplayName) {
  EXPECT_EQ(display_name(Filter{"zstd", {{"level", std::int64_t{5}}}}), "zstd:5");
  EXPECT_EQ(
      display_name(Filter{
          "blosc", {{"cname", std::string("lz4")}, {"level", std::int64_t{5}}, {"shuffle", std::string("shuffle")}}}),
      "blosc:lz4:5:shuffle");
  // As zarr stores them: sorted by name, shuffle as a number, with defaults.
  const std::int64_t zero = 0, one = 1, five = 5;
  EXPECT_EQ(display_name(Filter{"blosc", {{"blocksize", zero}, {"clevel", five}, {"cname", "zstd"}, {"shuffle", one}}}),
            "blosc:zstd:5:shuffle");
  EXPECT_EQ(display_name(Filter{"zstd", {{"checksum", zero}, {"level", five}}}), "zstd:5");
  EXPECT_EQ(display_name(Filter{"zstd", {{"checksum", one}, {"level", five}}}), "zstd:5:checksum=1");
  EXPECT_EQ(display_name(Filter{"float_scale", {{"scale", 0.5}, {"offset", 2.0}}}), "float_scale:scale=0.5:offset=2");
  EXPECT_EQ(display_name(Filter{"bytes", {{"endian", "little"}}}), "bytes:little");
}

}  // namespace
}  // namespace tegula
