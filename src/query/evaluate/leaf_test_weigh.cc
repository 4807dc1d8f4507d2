// Tests against the bounds of a tile.
#include <algorithm>

#include "query/columns/cells.h"
#include "query/evaluate/leaf_test.h"

namespace tegula {
namespace {

Match of(bool all, bool none) { return all ? Match::all : none ? Match::none : Match::some; }
Match reversed(Match match) {
  return match == Match::all ? Match::none : match == Match::none ? Match::all : Match::some;
}

template <class T, class Set>
Match weigh_set(const Set& set, const T& min, const T& max) {
  if (min > max) return Match::some;
  const auto first = std::lower_bound(set.begin(), set.end(), min);
  if (first == set.end() || *first > max) return Match::none;
  return min == max ? Match::all : Match::some;
}

Match weigh_text(const LeafTest& test, const FieldInfo& field, ByteView min, ByteView max, Rules rules) {
  // TileDB's writers order text with strncmp, which stops at a zero byte.
  const auto has_zero = [](ByteView v) { return std::ranges::find(v, std::byte{0}) != v.end(); };
  if (rules == Rules::tiledb && (has_zero(min) || has_zero(max))) return Match::some;
  if (!field.var() && (min.size() != field.cell_size() || max.size() != field.cell_size())) return Match::some;
  const bool unicode = test.cells == CellClass::fixed_unicode;
  const auto order = [&](ByteView a, ByteView b) { return compare_text(a, b, unicode, field.type.big_endian); };
  if (order(min, max) > 0) return Match::some;
  if (test.method == LeafTest::Method::text_set) {
    bool some = false;
    for (const std::string& member : test.text_set)
      some = some || (order(bytes_of(member), min) >= 0 && order(bytes_of(member), max) <= 0);
    const Match match = !some ? Match::none : order(min, max) == 0 ? Match::all : Match::some;
    return test.negate ? reversed(match) : match;
  }
  const int low = order(min, test.value), high = order(max, test.value);
  Match match = Match::some;
  switch (test.op) {
    case CompareOp::lt:
      match = of(high < 0, low >= 0);
      break;
    case CompareOp::le:
      match = of(high <= 0, low > 0);
      break;
    case CompareOp::gt:
      match = of(low > 0, high <= 0);
      break;
    case CompareOp::ge:
      match = of(low >= 0, high < 0);
      break;
    case CompareOp::eq:
      match = of(low == 0 && high == 0, low > 0 || high < 0);
      break;
    default:
      match = of(low > 0 || high < 0, low == 0 && high == 0);
      break;
  }
  return test.inverted ? reversed(match) : match;
}

// The answer among cells that are not null.
Match weigh_values(const LeafTest& test, const FieldInfo& field, const FieldStats& stats, Rules rules) {
  using Method = LeafTest::Method;
  if (test.method == Method::always) return test.negate ? Match::none : Match::all;
  if (test.method == Method::never) return test.negate ? Match::all : Match::none;
  if (!stats.min || !stats.max) return Match::some;
  const ByteView min = *stats.min, max = *stats.max;
  if (test.method == Method::text || test.method == Method::text_set) return weigh_text(test, field, min, max, rules);
  if (min.size() != field.type.size || max.size() != field.type.size) return Match::some;
  Match match = Match::some;
  if (test.cells == CellClass::integer) {
    const Int128 low = load_integer(field.type, min.data()), high = load_integer(field.type, max.data());
    if (low > high) return Match::some;
    if (test.method == Method::integers) {
      match = of(low >= test.low && high <= test.high, high < test.low || low > test.high);
    } else {
      std::vector<Int128> set;
      for (const std::uint64_t offset : test.offsets)
        set.push_back(load_integer(field.type, test.value.data() + offset));
      std::ranges::sort(set);
      match = weigh_set(set, low, high);
    }
  } else {
    const double low = load_real(field.type, min.data()), high = load_real(field.type, max.data());
    if (!stats.no_nan || !(low <= high)) return Match::some;
    match = test.method == Method::reals
                ? of(low >= test.real_low && high <= test.real_high, high < test.real_low || low > test.real_high)
                : weigh_set(test.real_set, low, high);
  }
  return test.negate ? reversed(match) : match;
}

}  // namespace

Match weigh(const LeafTest& test, const FieldInfo& field, const FieldStats& stats, Rules rules) {
  if (stats.absent) return Match::none;
  const bool nulls_known = !field.nullable || stats.null_count.has_value();
  const std::uint64_t nulls = field.nullable ? stats.null_count.value_or(0) : 0;
  const bool all_null = field.nullable && stats.null_count && stats.cells > 0 && nulls >= stats.cells;
  if (test.method == LeafTest::Method::is_null) {
    const Match match = !nulls_known ? Match::some : nulls == 0 ? Match::none : all_null ? Match::all : Match::some;
    return test.negate ? reversed(match) : match;
  }
  if (all_null) return Match::none;
  const Match match = weigh_values(test, field, stats, rules);
  return match == Match::all && (!nulls_known || nulls > 0) ? Match::some : match;
}

}  // namespace tegula
