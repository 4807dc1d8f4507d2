#include "query/condition/condition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "query/make_columns.h"
#include "tegula/error.h"

namespace tegula {
namespace {

using testing::info;
using testing::infos;
using testing::numbers;
using testing::texts;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Column fixed(std::string name, Datatype type, std::uint32_t per_cell, std::string bytes) {
  Column column;
  column.name = std::move(name);
  column.type = std::move(type);
  column.values_per_cell = per_cell;
  column.data = copy_of(bytes_of(bytes));
  return column;
}

Datatype dated(TypeId id, TimeUnit unit, std::uint32_t count = 1) {
  Datatype type(id);
  type.unit = unit;
  type.unit_count = count;
  return type;
}

Batch sample() {
  Batch batch;
  batch.cells = 4;
  Datatype big = TypeId::int32;
  big.big_endian = true;
  batch.columns = {
      numbers<std::int32_t>("i", TypeId::int32, {-5, 0, 7, 1000}),
      numbers<std::uint8_t>("u", TypeId::uint8, {0, 3, 200, 255}),
      numbers<std::int64_t>("l", TypeId::int64, {INT64_MIN, -1, 9007199254740993, INT64_MAX}),
      numbers<std::uint64_t>("q", TypeId::uint64, {0, 1, 9223372036854775808u, UINT64_MAX}),
      numbers<double>("f", TypeId::float64, {-1.5, kNaN, 0.0, INFINITY}),
      numbers<float>("g", TypeId::float32, {0.1f, 16777216.0f, -0.0f, 3.4e38f}),
      numbers<std::uint16_t>("h", TypeId::float16, {0x3C00, 0x7C00, 0x8000, 0x2E66}),  // 1, inf, -0, 0.1
      numbers<std::uint8_t>("b", TypeId::boolean, {1, 0, 1, 0}),
      numbers<std::int16_t>("n", TypeId::int16, {1, 2, 3, 4}, {1, 0, 1, 0}),
      texts("s", TypeId::ascii, {"", "b", "ba", "c"}),
      texts("z", TypeId::utf8, {"", std::nullopt, "\xc3\xa9", "zebra"}),
      fixed("x", TypeId::ascii, 3, std::string("abcabdab\0zzz", 12)),
      fixed("y", Datatype(TypeId::bytes, 3), 1, std::string("a\0\0ab\0abcb\0\0", 12)),
      fixed("w", Datatype(TypeId::unicode, 8), 1,
            std::string("a\0\0\0\0\0\0\0\xe9\0\0\0b\0\0\0z\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0", 32)),
      numbers<std::int64_t>("d", dated(TypeId::datetime, TimeUnit::day), {18262, 18263, -1, INT64_MIN}),  // 2020-01-01
      numbers<std::int64_t>("m", dated(TypeId::datetime, TimeUnit::second, 25), {0, 1, 2, 3}),
      numbers<std::int64_t>("e", dated(TypeId::timedelta, TimeUnit::hour), {0, 36, 48, -1}),
      numbers<std::int32_t>("r", big, {0x01000000, 0, 0, static_cast<std::int32_t>(0xFFFFFFFF)}),  // 1, 0, 0, -1
      numbers<float>("my col", TypeId::float32, {1, 2, 3, 4}),
  };
  return batch;
}

std::string mask_text(const Condition& condition, const Batch& batch) {
  std::vector<std::uint8_t> mask;
  condition.evaluate(batch, mask);
  std::string out;
  for (const std::uint8_t m : mask) out += m == 1 ? '1' : m == 0 ? '0' : '?';
  return out;
}

TEST(Condition, Masks) {
  const struct {
    const char* text;
    const char* tiledb;
    const char* numpy = nullptr;  // where it differs
  } kCases[] = {
      {"i > 0", "0011"},
      {"0 >= i", "1100"},
      {"-5 < i < 1000", "0110"},
      {"i > 2.5", "0011"},
      {"i >= 7.0", "0011"},
      {"i == 7.5", "0000"},
      {"i != 7.5", "1111"},
      {"i < 1e3", "1110"},
      {"i < 1e300", "1111"},
      {"i > -1e300 and i < 99999999999", "1111"},
      {"i == 99999999999", "0000"},
      {"i < nan", "0000"},
      {"i in [7, -5, 1e9]", "1010"},
      {"i not in [7, -5, 99999999999]", "0101"},
      {"i in []", "0000"},
      {"i not in ()", "1111"},
      {"i in [1,2,3,4,5,6,7,8,9,10,11,12,-5]", "1010"},
      {"u > -1", "1111"},
      {"u < -1", "0000"},
      {"u < 256", "1111"},
      {"u >= 200", "0011"},
      {"l == 9007199254740993", "0010"},
      {"l > 9007199254740992", "0011"},
      {"l <= -9223372036854775808", "1000"},
      {"q >= 9223372036854775808", "0011"},
      {"q == 18446744073709551615", "0001"},
      {"q > 1.5", "0011"},
      {"f < 0.5", "1010"},
      {"f != 1.0", "1111"},
      {"f == nan", "0000"},
      {"f != nan", "1111"},
      {"not (f > 0)", "1010", "1110"},
      {"~(f > 0)", "1010", "1110"},
      {"f == inf", "0001"},
      {"f > inf", "0000"},
      {"f in [0, -1.5]", "1010"},
      {"f not in [0]", "1101"},
      {"g == 0.1", "1000"},
      {"g == 0", "0010"},
      {"g < 1e300", "1111"},
      {"g > 1e300", "0000"},
      {"g == 1e300", "0000"},
      {"h == 0.1", "0001"},
      {"h >= 1", "1100"},
      {"b", "1010"},
      {"not b", "0101"},
      {"b == True", "1010"},
      {"b != True", "0101"},
      {"b is False", "0101"},
      {"n == 1", "1000"},
      {"n != 1", "0010"},
      {"not (n < 2)", "0010"},
      {"n is null", "0101"},
      {"n != None", "1010"},
      {"n not in [1]", "0010"},
      {"n < 99999", "1010"},
      {"n == 1 or n is null", "1101"},
      {"i == None", "0000"},
      {"i != None", "1111"},
      {"s == ''", "1000"},
      {"s != ''", "0111"},
      {"s < 'ba'", "1100"},
      {"s >= 'b'", "0111"},
      {"s in ['', 'c']", "1001"},
      {"s not in ['c']", "1110"},
      {"z == ''", "1000"},
      {"z == None", "0100"},
      {"z == '\xc3\xa9'", "0010"},
      {"z == '\\u00e9'", "0010"},
      {"z > 'n'", "0011"},
      {"z not in ['zebra']", "1010"},
      {"x == 'abc'", "1000"},
      {"x > 'abc'", "0101"},
      {"x == 'ab'", "0010"},
      {"x < 'abcd'", "1010"},
      {"x == 'abcd'", "0000"},
      {"y == b'ab'", "0100"},
      {"y < 'ab'", "1000"},
      {"y in [b'b', 'abc']", "0011"},
      {"w == 'a'", "1000"},
      {"w == '\xc3\xa9"
       "b'",
       "0100"},
      {"w > 'z'", "0101"},
      {"d >= '2020-01-02'", "0100"},
      {"d == '2020-01-01'", "1000"},
      {"d > '2020-01-01T12'", "0100"},
      {"d == '2020-01-01T12:30'", "0000"},
      {"d < '1970-01-01'", "0011", "0010"},
      {"not (d < '1970-01-01')", "1100", "1101"},
      {"d == 18263", "0100"},
      {"d in ['2020-01-01', '1969-12-31']", "1010"},
      {"d < '2020'", "0011", "0010"},
      {"m >= '1970-01-01T00:00:50'", "0011"},
      {"m > '1970-01-01 00:00:30.5Z'", "0011"},
      {"e == '36h'", "0100"},
      {"e > '1 day'", "0110"},
      {"e >= '90m'", "0110"},
      {"r == 1", "1000"},
      {"r < 0", "0001"},
      {"r in [0, -1]", "0111"},
      {"`my col` > 2", "0011"},
      {"attr('my col') <= 2", "1100"},
      {"i + 2*u < 10", "1100"},
      {"i * i == 49", "0010"},
      {"i / 2 == 3.5", "0010"},
      {"i // 2 == 3", "0010"},
      {"i % 3 == 1", "1011"},
      {"-i > 0", "1000"},
      {"i ** 2 > 25", "0011"},
      {"i > 2*3 + 1 - 1", "0011"},
      {"i > u", "0001"},
      {"l < q", "1111"},
      {"q > l", "1111"},
      {"f + 1 > 0", "0011"},
      {"n + 1 > 0", "1010"},
      {"i % 0 == 0", "1111"},
      {"q - 1 > q", "1000"},
      {"s == z", "1000"},
      {"(i > 0) & (u == 255)", "0001"},
      {"(i < 0) | b & (u == 200)", "1010"},
      {"True", "1111"},
      {"False or i == 0", "0100"},
      {"", "1111"},
  };
  const Batch batch = sample();
  const std::vector<FieldInfo> fields = infos(batch);
  for (const auto& row : kCases) {
    EXPECT_EQ(mask_text(Condition::bind(row.text, fields, Rules::tiledb), batch), row.tiledb) << row.text;
    EXPECT_EQ(mask_text(Condition::bind(row.text, fields, Rules::numpy), batch), row.numpy ? row.numpy : row.tiledb)
        << row.text << " (numpy)";
  }
}

TEST(Condition, Errors) {
  const std::tuple<const char*, ErrorKind, const char*> kCases[] = {
      {"nothere == 1", ErrorKind::invalid_argument, "there is no field 'nothere'"},
      {"dim('i') == 1", ErrorKind::invalid_argument, "there is no dimension 'i'"},
      {"i == 'x'", ErrorKind::invalid_argument, "holds numbers"},
      {"s == 5", ErrorKind::invalid_argument, "put the value in quotes"},
      {"d == 'yesterday'", ErrorKind::invalid_argument, "does not read as"},
      {"d == '2020-02-30'", ErrorKind::invalid_argument, "does not read as"},
      {"i", ErrorKind::invalid_argument, "is no boolean"},
      {"i & b", ErrorKind::invalid_argument, "parentheses"},
      {"n < None", ErrorKind::invalid_argument, "null can only"},
      {"n in [1, None]", ErrorKind::invalid_argument, "null cannot be in a list"},
      {"s + 1 > 2", ErrorKind::invalid_argument, "holds text"},
      {"i + 'x' > 2", ErrorKind::invalid_argument, "only numbers"},
      {"c > 1", ErrorKind::unsupported, "cannot be compared"},
      {"v == 1", ErrorKind::unsupported, "cannot be compared"},
  };
  Batch batch = sample();
  batch.columns.push_back(numbers<double>("c", TypeId::complex128, {}));
  batch.columns.push_back(numbers<int>("v", TypeId::int32, {}));
  batch.columns.back().values_per_cell = 2;
  const std::vector<FieldInfo> fields = infos(batch);
  for (const auto& [text, kind, part] : kCases) {
    try {
      Condition::bind(text, fields, Rules::tiledb);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << text;
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("^"), std::string::npos) << error.what();
    }
  }
}

TEST(Condition, Enumerations) {
  Enumeration names{"names", TypeId::ascii, kVar, false, copy_of(bytes_of("catdogx")), {0, 3, 6}};
  Enumeration sizes{"sizes", TypeId::float64, 1, true, {}, {}};
  const double values[] = {0.5, -1.25, 3.0};
  sizes.data = copy_of(std::as_bytes(std::span(values)));
  Batch batch;
  batch.cells = 4;
  batch.columns = {numbers<std::uint8_t>("v", TypeId::uint8, {0, 1, 2, 0}),
                   numbers<std::int8_t>("o", TypeId::int8, {0, 1, 2, 2}, {1, 1, 1, 0})};
  const std::vector<FieldInfo> fields = {info(batch.columns[0], &names), info(batch.columns[1], &sizes)};
  const std::pair<const char*, const char*> kCases[] = {
      {"v == 'cat'", "1001"},
      {"v != 'dog'", "1011"},
      {"v == 'nothere'", "0000"},
      {"v != 'nothere'", "1111"},
      {"v in ['dog', 'x', '?']", "0110"},
      {"v not in ['cat']", "0110"},
      {"v not in ['?']", "1111"},
      {"o <= 0.5", "1000"},
      {"o > 0.5", "0110"},
      {"o == None", "0001"},
      {"o != 7", "1110"},
      {"o < 7", "0000"},
  };
  for (const auto& [text, mask] : kCases)
    EXPECT_EQ(mask_text(Condition::bind(text, fields, Rules::tiledb), batch), mask) << text;
  EXPECT_THROW(Condition::bind("v < 'dog'", fields, Rules::tiledb), Error);
  EXPECT_THROW(Condition::bind("v + 1 > 2", fields, Rules::tiledb), Error);
}

TEST(Condition, AbsentFieldsNeverMatch) {
  Batch batch = sample();
  const std::vector<FieldInfo> fields = infos(batch);
  batch.columns.erase(batch.columns.begin() + 8);  // n
  for (const char* text :
       {"n == 1", "n != 1", "not (n == 1)", "n is null", "n is not null", "n not in [1]", "n + 1 > 0", "n < 99999"})
    EXPECT_EQ(mask_text(Condition::bind(text, fields, Rules::tiledb), batch), "0000") << text;
  EXPECT_EQ(mask_text(Condition::bind("i > 0 or n == 1", fields, Rules::tiledb), batch), "0011");
}

TEST(Condition, TreesComeBackTheSame) {
  const Batch batch = sample();
  const std::vector<FieldInfo> fields = infos(batch);
  for (const char* text : {"i > 2.5", "u < -1", "u > -1", "g == 1e300", "g != 1e300", "s in ['', 'c'] and not (i == 7)",
                           "x == 'abcd'", "n is null", "n is not null", "f != 1.0 or b",
                           "not (d >= '2020-01-02' and z != 'q')", "r in [0, -1]", "w > 'z'"}) {
    const Condition condition = Condition::bind(text, fields, Rules::tiledb);
    EXPECT_EQ(mask_text(Condition::from_tree(condition.tree(), fields), batch), mask_text(condition, batch)) << text;
    EXPECT_EQ(mask_text(condition.negated().negated(), batch), mask_text(condition, batch)) << text;
    EXPECT_EQ(mask_text(Condition::from_tree(condition.negated().tree(), fields), batch),
              mask_text(condition.negated(), batch))
        << text;
  }
  EXPECT_EQ(mask_text(Condition::bind("n > 1", fields, Rules::tiledb).negated(), batch), "1000");
  EXPECT_THROW(Condition::bind("i + 1 > 2", fields, Rules::tiledb).tree(), Error);
}

// The stored form of "delete where a >= 203 and s != 'v50'" (a < 203 or s == 'v50').
TEST(Condition, StoredTrees) {
  Batch batch;
  batch.cells = 3;
  batch.columns = {numbers<std::int32_t>("a", TypeId::int32, {1, 203, 300}),
                   texts("s", TypeId::ascii, {"", std::nullopt, "v50"})};
  const std::vector<FieldInfo> fields = infos(batch);
  const auto leaf = [](CompareOp op, std::string field, std::string value) {
    ConditionTree tree;
    tree.op = op;
    tree.field = std::move(field);
    tree.value = copy_of(bytes_of(value));
    return tree;
  };
  ConditionTree stays;
  stays.kind = ConditionTree::Kind::any;
  stays.children = {leaf(CompareOp::lt, "a", std::string("\xcb\0\0\0", 4)), leaf(CompareOp::eq, "s", "v50")};
  EXPECT_EQ(mask_text(Condition::from_tree(stays, fields), batch), "101");
  // An empty value asks a variable field for '' and spares no null.
  EXPECT_EQ(mask_text(Condition::from_tree(leaf(CompareOp::ne, "s", ""), fields), batch), "001");
  EXPECT_EQ(mask_text(Condition::from_tree(leaf(CompareOp::eq, "gone", "x"), fields), batch), "000");
  EXPECT_THROW(Condition::from_tree(leaf(CompareOp::eq, "a", "xy"), fields), Error);
  EXPECT_THROW(Condition::from_tree(ConditionTree{ConditionTree::Kind::all, {}, {}, {}, {}, {}, false}, fields), Error);
}

}  // namespace
}  // namespace tegula
