#include "query/evaluate/leaf_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/endian.h"
#include "base/fail.h"
#include "query/columns/cells.h"

namespace tegula {
namespace {

std::string_view member(const LeafTest& test, std::size_t i) {
  const std::uint64_t end = i + 1 < test.offsets.size() ? test.offsets[i + 1] : test.value.size();
  return text_of(ByteView(test.value).subspan(test.offsets[i], end - test.offsets[i]));
}

bool is_set(CompareOp op) { return op == CompareOp::in || op == CompareOp::not_in; }

void check_sizes(const LeafTest& test, const FieldInfo& field) {
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

void compile_integers(LeafTest& test, const FieldInfo& field, Rules rules) {
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
  test.method = test.low > test.high ? LeafTest::Method::never : LeafTest::Method::integers;
}

void compile_reals(LeafTest& test, const FieldInfo& field) {
  const double value = load_real(field.type, test.value.data());
  const bool narrow = test.cells != CellClass::real64;
  const auto beside = [&](double towards) {
    return narrow ? static_cast<double>(std::nextafter(static_cast<float>(value), static_cast<float>(towards)))
                  : std::nextafter(value, towards);
  };
  test.method = LeafTest::Method::reals;
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
  if (std::isnan(value) || beyond) test.method = LeafTest::Method::never;
}

void compile_set(LeafTest& test, const FieldInfo& field) {
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
  test.method = test.cells == CellClass::integer ? LeafTest::Method::integer_set
                : test.cells == CellClass::half || test.cells == CellClass::real32 || test.cells == CellClass::real64
                    ? LeafTest::Method::real_set
                    : LeafTest::Method::text_set;
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

void evaluate_integers(const LeafTest& test, const FieldInfo& field, const std::byte* cells, std::uint64_t count,
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
void evaluate_reals(const LeafTest& test, const std::byte* cells, std::uint64_t count, std::uint8_t* mask) {
  const F low = static_cast<F>(test.real_low), high = static_cast<F>(test.real_high);
  const std::uint8_t flip = test.negate;
  for (std::uint64_t i = 0; i < count; ++i) {
    const F x = std::bit_cast<F>(load_unit<U, Swap>(cells + i * sizeof(U)));
    mask[i] = static_cast<std::uint8_t>(((x >= low) & (x <= high)) ^ flip);
  }
}

void evaluate_reals(const LeafTest& test, const FieldInfo& field, const std::byte* cells, std::uint64_t count,
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

void evaluate_integer_set(const LeafTest& test, const FieldInfo& field, const std::byte* cells, std::uint64_t count,
                          std::uint8_t* mask) {
  constexpr std::size_t kFew = 8;  // up to here, comparing with each member is faster than searching
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

void evaluate_text(const LeafTest& test, const FieldInfo& field, const ColumnView& column, std::uint64_t first,
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

void evaluate_text_set(const LeafTest& test, const FieldInfo& field, const ColumnView& column, std::uint64_t first,
                       std::uint64_t count, std::uint8_t* mask) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view cell = text_of(text_cell(field, column, first + i));
    mask[i] =
        static_cast<std::uint8_t>(std::binary_search(test.text_set.begin(), test.text_set.end(), cell) != test.negate);
  }
}

}  // namespace

void compile(LeafTest& test, const FieldInfo& field, Rules rules) {
  using Method = LeafTest::Method;
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

void evaluate(const LeafTest& test, const FieldInfo& field, const ColumnView& column, std::uint64_t first,
              std::uint64_t count, std::uint8_t* mask) {
  using Method = LeafTest::Method;
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

}  // namespace tegula
