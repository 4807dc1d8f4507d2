#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(Json, AcceptsPythonsNonFiniteNumbers) {
  const Json value = parse_json(bytes_of(R"({"a": [NaN, -Infinity, Infinity], "b": "NaN", "c": "x\"NaN"})"), "f");
  EXPECT_TRUE(std::isnan(value["a"][0].get<double>()));
  EXPECT_EQ(value["a"][1].get<double>(), -INFINITY);
  EXPECT_EQ(value["b"], "NaN");
  EXPECT_EQ(value["c"], "x\"NaN");
}

TEST(Json, KeepsIntegersAndOrder) {
  const Json value = parse_json(bytes_of(R"({"z": 18446744073709551615, "a": -9223372036854775808})"), "f");
  EXPECT_EQ(value["z"].get<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(value["a"].get<std::int64_t>(), INT64_MIN);
  EXPECT_EQ(value.begin().key(), "z");
}

TEST(Json, BadDocumentsNameFileAndOffset) {
  EXPECT_ERROR(corrupt, "meta/sizes at byte 6: not JSON", parse_json(bytes_of(R"({"a": })"), "meta/sizes"));
  EXPECT_ERROR(corrupt, "f at byte", parse_json(bytes_of(""), "f"));
  EXPECT_ERROR(corrupt, "not JSON", parse_json(bytes_of("Nan"), "f"));
  EXPECT_ERROR(corrupt, "nested deeper", parse_json(bytes_of(std::string(100000, '[')), "f"));
}

TEST(Json, DumpsAsPythonDoes) {
  const Json value =
      parse_json(bytes_of(R"({"b": [1, 2.0, 1e16, 0.1, NaN], "a": {"é": null}, "e": [], "o": {}})"), "f");
  EXPECT_EQ(dump_json(value), R"({"b": [1, 2.0, 1e+16, 0.1, NaN], "a": {"\u00e9": null}, "e": [], "o": {}})");
  JsonStyle style;
  style.indent = 4;
  style.sort_keys = true;
  style.ascii = false;
  EXPECT_EQ(dump_json(parse_json(bytes_of(R"({"b": [1], "a": {}})"), "f"), style),
            "{\n    \"a\": {},\n    \"b\": [\n        1\n    ]\n}");
}

}  // namespace
}  // namespace tegula
