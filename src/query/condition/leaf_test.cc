#include "query/condition/leaf_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/endian.h"
#include "base/fail.h"

namespace tegula {
namespace {

std::string_view member(const SimpleTest& test, std::size_t i) {
  const std::uint64_t end = i + 1 < test.offsets.size() ? test.offsets[i + 1] : test.value.size();
  return text_of(ByteView(test.value).subspan(test.offsets[i], end - test.offsets[i]));
}

bool is_set(CompareOp op) { return op == CompareOp::in || op == CompareOp::not_in; }

void check_sizes(const SimpleTest& test, const FieldInfo& field) {
  const auto wrong = [&](std::uint64_t size) {
    fail(ErrorKind::corrupt, "a condition compares {} with a value of {} bytes; its cells have {}", describe(field),
         size, field.cell_size());
  };
  if (!is_set(test.op)) {
    if (!field.var() && test.value.size() != field.cell_size()) wrong(test.value.size());
    return;
  }
  for (std::size_t i = 0; i < test.offsets.size(); ++i) {
    const std::uint64_t end = i + 1 < test.offsets.size() ? test.offsets[i + 1] : test.value.size();
    if (test.offsets[i] > end || end > test.value.size())
      fail(ErrorKind::corrupt, "a condition on field '{}' has a list whose offsets leave its values", field.name);
    if (!field.var() && end - test.offsets[i] != field.cell_size()) wrong(end - test.offsets[i]);
  }
}

void compile_integers(SimpleTest& test, const FieldInfo& field, Rules rules) {
  const Int128 lowest = integer_min(field.type), highest = integer_max(field.type);
  const Int128 value = load_integer(field.type, test.value.data());
  test.low = lowest, test.high = highest;
  switch (test.op) {
    case CompareOp::lt:
      test.high = value - 1;
      break;
    case CompareOp::le:
      test.high = value;
      break;
    case CompareOp::gt:
      test.low = value + 1;
      break;
    case CompareOp::ge:
      test.low = value;
      break;
    default:
      test.low = test.high = value;
      break;
  }
  // numpy's NaT is the lowest tick and compares as NaN does.
  if (rules == Rules::numpy && field.type.is_date()) {
    test.low = std::max(test.low, lowest + 1);
    if (value == lowest) test.high = test.low - 1;
  }
  test.method = test.low > test.high ? SimpleTest::Method::never : SimpleTest::Method::integers;
}

void compile_reals(SimpleTest& test, const FieldInfo& field) {
  const double value = load_real(field.type, test.value.data());
  const bool narrow = test.cells != CellClass::real64;
  const auto beside = [&](double towards) {
    return narrow ? static_cast<double>(std::nextafter(static_cast<float>(value), static_cast<float>(towards)))
                  : std::nextafter(value, towards);
  };
  test.method = SimpleTest::Method::reals;
  test.real_low = -INFINITY, test.real_high = INFINITY;
  switch (test.op) {
    case CompareOp::lt:
      test.real_high = beside(-INFINITY);
      break;
    case CompareOp::le:
      test.real_high = value;
      break;
    case CompareOp::gt:
      test.real_low = beside(INFINITY);
      break;
    case CompareOp::ge:
      test.real_low = value;
      break;
    default:
      test.real_low = test.real_high = value;
      break;
  }
  const bool beyond =
      (test.op == CompareOp::lt && value == -INFINITY) || (test.op == CompareOp::gt && value == INFINITY);
  if (std::isnan(value) || beyond) test.method = SimpleTest::Method::never;
}

void compile_set(SimpleTest& test, const FieldInfo& field) {
  test.integer_set.clear(), test.real_set.clear(), test.text_set.clear();
  for (std::size_t i = 0; i < test.offsets.size(); ++i) {
    const std::string_view bytes = member(test, i);
    const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
    switch (test.cells) {
      case CellClass::integer: {
        const std::uint64_t unused = 64 - 8 * std::uint64_t{field.type.size};
        test.integer_set.push_back(static_cast<std::uint64_t>(load_integer(field.type, data)) << unused >> unused);
        break;
      }
      case CellClass::half:
      case CellClass::real32:
      case CellClass::real64:
        if (const double value = load_real(field.type, data); !std::isnan(value)) test.real_set.push_back(value);
        break;
      default:
        test.text_set.emplace_back(bytes);
        break;
    }
  }
  const auto tidy = [](auto& set) {
    std::ranges::sort(set);
    set.erase(std::unique(set.begin(), set.end()), set.end());
  };
  tidy(test.integer_set), tidy(test.real_set), tidy(test.text_set);
  test.method = test.cells == CellClass::integer ? SimpleTest::Method::integer_set
                : test.cells == CellClass::half || test.cells == CellClass::real32 || test.cells == CellClass::real64
                    ? SimpleTest::Method::real_set
                    : SimpleTest::Method::text_set;
}

template <class U, bool Swap>
U load_unit(const std::byte* from) {
  const U value = load<U>(from);
  return Swap ? swap_bytes(value) : value;
}

// Calls body<U, Swap>() for unsigned cells of `size` bytes.
template <class Body>
void with_unit(std::uint32_t size, bool swap, Body body) {
  const auto pick = [&]<class U>(U) {
    swap ? body.template operator()<U, true>() : body.template operator()<U, false>();
  };
  switch (size) {
    case 1:
      return body.template operator()<std::uint8_t, false>();
    case 2:
      return pick(std::uint16_t{});
    case 4:
      return pick(std::uint32_t{});
    default:
      return pick(std::uint64_t{});
  }
}

bool swapped(const Datatype& type) { return type.big_endian != (std::endian::native == std::endian::big); }

void evaluate_integers(const SimpleTest& test, const FieldInfo& field, const std::byte* cells, std::uint64_t count,
                       std::uint8_t* mask) {
  with_unit(field.type.size, swapped(field.type), [&]<class U, bool Swap>() {
    const U low = static_cast<U>(test.low), span = static_cast<U>(test.high - test.low);
    const std::uint8_t flip = test.negate;
    for (std::uint64_t i = 0; i < count; ++i) {
      const U offset = static_cast<U>(load_unit<U, Swap>(cells + i * sizeof(U)) - low);
      mask[i] = static_cast<std::uint8_t>((offset <= span) ^ flip);
    }
  });
}

template <class F, class U, bool Swap>
void evaluate_reals(const SimpleTest& test, const std::byte* cells, std::uint64_t count, std::uint8_t* mask) {
  const F low = static_cast<F>(test.real_low), high = static_cast<F>(test.real_high);
  const std::uint8_t flip = test.negate;
  for (std::uint64_t i = 0; i < count; ++i) {
    const F x = std::bit_cast<F>(load_unit<U, Swap>(cells + i * sizeof(U)));
    mask[i] = static_cast<std::uint8_t>(((x >= low) & (x <= high)) ^ flip);
  }
}

void evaluate_reals(const SimpleTest& test, const FieldInfo& field, const std::byte* cells, std::uint64_t count,
                    std::uint8_t* mask) {
  const bool swap = swapped(field.type);
  if (test.cells == CellClass::real64)
    return swap ? evaluate_reals<double, std::uint64_t, true>(test, cells, count, mask)
                : evaluate_reals<double, std::uint64_t, false>(test, cells, count, mask);
  if (test.cells == CellClass::real32)
    return swap ? evaluate_reals<float, std::uint32_t, true>(test, cells, count, mask)
                : evaluate_reals<float, std::uint32_t, false>(test, cells, count, mask);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = load_real(field.type, cells + i * 2);
    mask[i] = static_cast<std::uint8_t>((x >= test.real_low && x <= test.real_high) != test.negate);
  }
}

void evaluate_integer_set(const SimpleTest& test, const FieldInfo& field, const std::byte* cells, std::uint64_t count,
                          std::uint8_t* mask) {
  constexpr std::size_t kFew = 8;  // below, comparing with each member is faster than searching
  const std::vector<std::uint64_t>& bits = test.integer_set;
  const std::uint8_t flip = test.negate;
  with_unit(field.type.size, swapped(field.type), [&]<class U, bool Swap>() {
    if (bits.size() <= kFew) {
      std::memset(mask, flip, count);
      for (const std::uint64_t value : bits) {
        const U wanted = static_cast<U>(value);
        for (std::uint64_t i = 0; i < count; ++i)
          mask[i] ^= static_cast<std::uint8_t>(load_unit<U, Swap>(cells + i * sizeof(U)) == wanted);
      }
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool found =
          std::binary_search(bits.begin(), bits.end(), std::uint64_t{load_unit<U, Swap>(cells + i * sizeof(U))});
      mask[i] = static_cast<std::uint8_t>(found ^ flip);
    }
  });
}

bool contains(const std::vector<double>& set, double x) {
  return !std::isnan(x) && std::binary_search(set.begin(), set.end(), x);
}

// Whether a three-way result satisfies an operator of the group lt .. ne.
bool satisfies(CompareOp op, int order) {
  switch (op) {
    case CompareOp::lt:
      return order < 0;
    case CompareOp::le:
      return order <= 0;
    case CompareOp::gt:
      return order > 0;
    case CompareOp::ge:
      return order >= 0;
    case CompareOp::eq:
      return order == 0;
    default:
      return order != 0;
  }
}

void evaluate_text(const SimpleTest& test, const FieldInfo& field, const ColumnView& column, std::uint64_t first,
                   std::uint64_t count, std::uint8_t* mask) {
  const std::uint8_t flip = test.inverted;
  const ByteView value(test.value);
  if (test.op == CompareOp::eq || test.op == CompareOp::ne) {
    const std::uint8_t on_equal = static_cast<std::uint8_t>((test.op == CompareOp::eq) ^ flip);
    for (std::uint64_t i = 0; i < count; ++i) {
      const ByteView cell = text_cell(field, column, first + i);
      const bool equal =
          cell.size() == value.size() && (value.empty() || std::memcmp(cell.data(), value.data(), value.size()) == 0);
      mask[i] = static_cast<std::uint8_t>(equal ? on_equal : 1 - on_equal);
    }
    return;
  }
  const bool unicode = test.cells == CellClass::fixed_unicode;
  for (std::uint64_t i = 0; i < count; ++i) {
    const int order = compare_text(text_cell(field, column, first + i), value, unicode, field.type.big_endian);
    mask[i] = static_cast<std::uint8_t>(satisfies(test.op, order) ^ flip);
  }
}

void evaluate_text_set(const SimpleTest& test, const FieldInfo& field, const ColumnView& column, std::uint64_t first,
                       std::uint64_t count, std::uint8_t* mask) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view cell = text_of(text_cell(field, column, first + i));
    mask[i] =
        static_cast<std::uint8_t>(std::binary_search(test.text_set.begin(), test.text_set.end(), cell) != test.negate);
  }
}

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

Match weigh_text(const SimpleTest& test, const FieldInfo& field, ByteView min, ByteView max, Rules rules) {
  // TileDB's writers order text with strncmp, which stops at a zero byte.
  const auto has_zero = [](ByteView v) { return std::ranges::find(v, std::byte{0}) != v.end(); };
  if (rules == Rules::tiledb && (has_zero(min) || has_zero(max))) return Match::some;
  if (!field.var() && (min.size() != field.cell_size() || max.size() != field.cell_size())) return Match::some;
  const bool unicode = test.cells == CellClass::fixed_unicode;
  const auto order = [&](ByteView a, ByteView b) { return compare_text(a, b, unicode, field.type.big_endian); };
  if (order(min, max) > 0) return Match::some;
  if (test.method == SimpleTest::Method::text_set) {
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
Match weigh_values(const SimpleTest& test, const FieldInfo& field, const FieldStats& stats, Rules rules) {
  using Method = SimpleTest::Method;
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

int compare_text(ByteView a, ByteView b, bool unicode, bool big_endian) {
  const std::size_t common = std::min(a.size(), b.size());
  if (unicode && !big_endian) {
    for (std::size_t i = 0; i + 4 <= common; i += 4) {
      const auto x = load_le<std::uint32_t>(a.data() + i), y = load_le<std::uint32_t>(b.data() + i);
      if (x != y) return x < y ? -1 : 1;
    }
  } else if (common) {
    if (const int order = std::memcmp(a.data(), b.data(), common)) return order;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

ByteView text_cell(const FieldInfo& field, const ColumnView& column, std::uint64_t i) {
  if (field.var()) return {column.data + column.offsets[i], column.offsets[i + 1] - column.offsets[i]};
  const std::uint64_t size = field.cell_size();
  return {column.data + i * size, size};
}

void mask_nulls(const ColumnView& column, std::uint64_t first, std::uint64_t count, std::uint8_t* mask) {
  if (!column.validity) return;
  for (std::uint64_t i = 0; i < count; ++i)
    mask[i] &= static_cast<std::uint8_t>(column.validity[first + i] != std::byte{0});
}

void compile(SimpleTest& test, const FieldInfo& field, Rules rules) {
  using Method = SimpleTest::Method;
  test.cells = cell_class(field);
  test.negate = test.inverted != (test.op == CompareOp::ne || test.op == CompareOp::not_in);
  if (test.null) {
    test.method = Method::is_null;
    return;
  }
  if (test.op == CompareOp::always_true || test.op == CompareOp::always_false) {
    test.method = test.op == CompareOp::always_true ? Method::always : Method::never;
    return;
  }
  if (test.cells == CellClass::none)
    fail(ErrorKind::unsupported, "{} cannot be compared with a value", describe(field));
  check_sizes(test, field);
  if (is_set(test.op)) return compile_set(test, field);
  switch (test.cells) {
    case CellClass::integer:
      return compile_integers(test, field, rules);
    case CellClass::half:
    case CellClass::real32:
    case CellClass::real64:
      return compile_reals(test, field);
    default:
      test.method = Method::text;
      return;
  }
}

void evaluate(const SimpleTest& test, const FieldInfo& field, const ColumnView& column, std::uint64_t first,
              std::uint64_t count, std::uint8_t* mask) {
  using Method = SimpleTest::Method;
  if (column.absent) {
    std::memset(mask, 0, count);
    return;
  }
  const std::byte* const cells = field.var() ? column.data : column.data + first * field.cell_size();
  switch (test.method) {
    case Method::never:
      std::memset(mask, test.negate, count);
      break;
    case Method::always:
      std::memset(mask, !test.negate, count);
      break;
    case Method::is_null:
      for (std::uint64_t i = 0; i < count; ++i) {
        const bool null = column.validity && column.validity[first + i] == std::byte{0};
        mask[i] = static_cast<std::uint8_t>(null != test.negate);
      }
      return;
    case Method::integers:
      evaluate_integers(test, field, cells, count, mask);
      break;
    case Method::reals:
      evaluate_reals(test, field, cells, count, mask);
      break;
    case Method::integer_set:
      evaluate_integer_set(test, field, cells, count, mask);
      break;
    case Method::real_set:
      for (std::uint64_t i = 0; i < count; ++i)
        mask[i] = static_cast<std::uint8_t>(
            contains(test.real_set, load_real(field.type, cells + i * field.type.size)) != test.negate);
      break;
    case Method::text:
      evaluate_text(test, field, column, first, count, mask);
      break;
    case Method::text_set:
      evaluate_text_set(test, field, column, first, count, mask);
      break;
  }
  mask_nulls(column, first, count, mask);
}

Match weigh(const SimpleTest& test, const FieldInfo& field, const FieldStats& stats, Rules rules) {
  if (stats.absent) return Match::none;
  const bool nulls_known = !field.nullable || stats.null_count.has_value();
  const std::uint64_t nulls = field.nullable ? stats.null_count.value_or(0) : 0;
  const bool all_null = field.nullable && stats.null_count && stats.cells > 0 && nulls >= stats.cells;
  if (test.method == SimpleTest::Method::is_null) {
    const Match match = !nulls_known ? Match::some : nulls == 0 ? Match::none : all_null ? Match::all : Match::some;
    return test.negate ? reversed(match) : match;
  }
  if (all_null) return Match::none;
  const Match match = weigh_values(test, field, stats, rules);
  return match == Match::all && (!nulls_known || nulls > 0) ? Match::some : match;
}

}  // namespace tegula
