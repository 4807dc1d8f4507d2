#include "query/evaluate/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "base/endian.h"
#include "base/fail.h"
#include "base/with_type.h"
#include "query/columns/cells.h"
#include "query/language/int128.h"
#include "query/language/literal.h"

namespace tegula {
namespace {

// Cells at a time: small enough that the operands of an expression stay in the first-level cache.
constexpr std::size_t kStep = 512;

template <class T>
T as(std::uint64_t bits) {
  return std::bit_cast<T>(bits);
}
template <class T>
std::uint64_t bits_of(T value) {
  return std::bit_cast<std::uint64_t>(value);
}

double to_real(NumberKind kind, std::uint64_t bits) {
  switch (kind) {
    case NumberKind::int64:
      return static_cast<double>(as<std::int64_t>(bits));
    case NumberKind::uint64:
      return static_cast<double>(bits);
    default:
      return as<double>(bits);
  }
}

template <class T>
T floor_divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::floor(a / b);
  } else {
    // Division by zero gives 0, as numpy's integers do; the lowest value over -1 wraps.
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(a));
    T quotient = a / b;
    if ((a % b != 0) && ((a < 0) != (b < 0))) --quotient;
    return quotient;
  }
}

// Takes the sign of the divisor, as Python's.
template <class T>
T modulo(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    const T rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
}

template <class T>
T power(T base, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    if (std::is_signed_v<T> && exponent < 0)
      return base == 1 ? 1 : base == static_cast<T>(-1) ? (exponent % 2 ? -1 : 1) : 0;
    std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
    for (auto left = static_cast<std::uint64_t>(exponent); left; left >>= 1, factor *= factor)
      if (left & 1) result *= factor;
    return static_cast<T>(result);
  }
}

// Integers wrap through uint64, whose overflow is defined.
template <class T, class Wrapping>
std::uint64_t wrapped(T a, T b, Wrapping f) {
  if constexpr (std::is_floating_point_v<T>) {
    return bits_of<double>(f(a, b));
  } else {
    return f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
  }
}

template <class T>
void apply(NodeOp op, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t n) {
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < n; ++i) out[i] = f(as<T>(a[i]), as<T>(b[i]));
  };
  switch (op) {
    case NodeOp::add:
      return each([](T x, T y) { return wrapped(x, y, std::plus<>()); });
    case NodeOp::subtract:
      return each([](T x, T y) { return wrapped(x, y, std::minus<>()); });
    case NodeOp::multiply:
      return each([](T x, T y) { return wrapped(x, y, std::multiplies<>()); });
    case NodeOp::divide:
      if constexpr (std::is_floating_point_v<T>) each([](T x, T y) { return bits_of<T>(x / y); });
      return;
    case NodeOp::floor_divide:
      return each([](T x, T y) { return bits_of<T>(floor_divide(x, y)); });
    case NodeOp::modulo:
      return each([](T x, T y) { return bits_of<T>(modulo(x, y)); });
    default:
      return each([](T x, T y) { return bits_of<T>(power(x, y)); });
  }
}

void apply(NodeOp op, NumberKind kind, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
           std::size_t n) {
  switch (kind) {
    case NumberKind::int64:
      return apply<std::int64_t>(op, a, b, out, n);
    case NumberKind::uint64:
      return apply<std::uint64_t>(op, a, b, out, n);
    case NumberKind::float64:
      return apply<double>(op, a, b, out, n);
  }
}

void convert(NumberKind from, NumberKind to, std::uint64_t* values, std::size_t n) {
  if (from == to || to != NumberKind::float64) return;  // int64 literals that meet uint64 are not negative
  for (std::size_t i = 0; i < n; ++i) values[i] = bits_of<double>(to_real(from, values[i]));
}

template <class T>
void load_cells(const Datatype& type, const std::byte* cells, std::uint64_t* out, std::size_t n) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                  std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  const bool big = type.big_endian;
  for (std::size_t i = 0; i < n; ++i) {
    const T value = big ? load_be<T>(cells + i * sizeof(T)) : load_le<T>(cells + i * sizeof(T));
    out[i] = bits_of<Wide>(static_cast<Wide>(value));
  }
}

void load_field(const FieldInfo& field, const ColumnView& column, std::uint64_t first, std::uint64_t* out,
                std::size_t n) {
  const std::byte* const cells = column.data + first * field.type.size;
  const Datatype& type = field.type;
  switch (type.id) {
    case TypeId::boolean:
      return load_cells<std::uint8_t>(type, cells, out, n);
    case TypeId::float16:
      for (std::size_t i = 0; i < n; ++i) out[i] = bits_of<double>(load_real(type, cells + i * 2));
      return;
    case TypeId::float32:
      return load_cells<float>(type, cells, out, n);
    case TypeId::float64:
      return load_cells<double>(type, cells, out, n);
    default:
      return with_integer(
          type.id, [&]<class T>(T) { load_cells<T>(type, cells, out, n); },
          [&] { load_cells<std::int64_t>(type, cells, out, n); });  // dates
  }
}

bool is_constant(const Term& term) { return term.kind == Term::Kind::constant; }

// Calculates the two sides of a test, a step of cells at a time, with a stack of intermediate results.
class Machine {
 public:
  Machine(const TermTest& test, std::span<const FieldInfo> fields, std::span<const ColumnView> columns)
      : test_(test), fields_(fields), columns_(columns) {
    std::size_t depth = 0, deepest = 0;
    for (const Term& term : test.terms) {
      if (term.kind == Term::Kind::field) deepest = std::max(deepest, ++depth);
      if (term.kind == Term::Kind::binary && !is_constant(test.terms[term.left]) &&
          !is_constant(test.terms[term.right]))
        --depth;
    }
    numbers_.resize((deepest + kConstants) * kStep);
  }

  struct Sides {
    std::uint64_t *left, *right;
  };
  Sides run(std::uint64_t first, std::size_t n) {
    used_ = kConstants;
    for (const Term& term : test_.terms) {
      switch (term.kind) {
        case Term::Kind::constant:
          break;
        case Term::Kind::field:
          load_field(fields_[term.field], columns_[term.field], first, slot(used_++), n);
          break;
        case Term::Kind::minus:
          negate(term, slot(used_ - 1), n);
          break;
        case Term::Kind::binary: {
          const Sides sides = operands(term.left, term.right, n);
          convert(test_.terms[term.left].number, term.number, sides.left, n);
          convert(test_.terms[term.right].number, term.number, sides.right, n);
          apply(term.op, term.number, sides.left, sides.right, slot(used_++), n);
          break;
        }
      }
    }
    return operands(test_.left, test_.right, n);
  }

 private:
  static constexpr std::size_t kConstants = 2;  // slots for the constants of an operation

  std::uint64_t* slot(std::size_t i) { return numbers_.data() + i * kStep; }

  // Takes those that are not constant from the stack. The result may overwrite either.
  Sides operands(std::uint32_t left, std::uint32_t right, std::size_t n) {
    Sides sides;
    sides.right = operand(right, 1, n);
    sides.left = operand(left, 0, n);
    return sides;
  }
  std::uint64_t* operand(std::uint32_t index, std::size_t constant_slot, std::size_t n) {
    const Term& term = test_.terms[index];
    if (!is_constant(term)) return slot(--used_);
    std::fill_n(slot(constant_slot), n, term.bits);
    return slot(constant_slot);
  }

  void negate(const Term& term, std::uint64_t* numbers, std::size_t n) const {
    convert(test_.terms[term.left].number, term.number, numbers, n);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] =
          term.number == NumberKind::float64 ? bits_of<double>(-as<double>(numbers[i])) : std::uint64_t{0} - numbers[i];
  }

  const TermTest& test_;
  std::span<const FieldInfo> fields_;
  std::span<const ColumnView> columns_;
  Buffer<std::uint64_t> numbers_;
  std::size_t used_ = 0;  // slots
};

template <class T>
void compare(CompareOp op, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, std::uint8_t* mask) {
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < n; ++i) mask[i] = static_cast<std::uint8_t>(f(as<T>(a[i]), as<T>(b[i])));
  };
  switch (op) {
    case CompareOp::lt:
      return each(std::less<T>());
    case CompareOp::le:
      return each(std::less_equal<T>());
    case CompareOp::gt:
      return each(std::greater<T>());
    case CompareOp::ge:
      return each(std::greater_equal<T>());
    case CompareOp::eq:
      return each(std::equal_to<T>());
    default:
      return each(std::not_equal_to<T>());
  }
}

// Compares signed numbers on the left with unsigned ones on the right, over the whole range of both.
void compare_mixed(CompareOp op, const std::uint64_t* a, const std::uint64_t* b, std::size_t n, std::uint8_t* mask) {
  for (std::size_t i = 0; i < n; ++i) {
    const Int128 x = as<std::int64_t>(a[i]), y = b[i];
    const int order = x < y ? -1 : x > y;
    switch (op) {
      case CompareOp::lt:
        mask[i] = order < 0;
        break;
      case CompareOp::le:
        mask[i] = order <= 0;
        break;
      case CompareOp::gt:
        mask[i] = order > 0;
        break;
      case CompareOp::ge:
        mask[i] = order >= 0;
        break;
      case CompareOp::eq:
        mask[i] = order == 0;
        break;
      default:
        mask[i] = order != 0;
        break;
    }
  }
}

}  // namespace

NumberKind number_kind(const FieldInfo& field) {
  switch (cell_class(field)) {
    case CellClass::half:
    case CellClass::real32:
    case CellClass::real64:
      return NumberKind::float64;
    case CellClass::integer:
      return field.type.id == TypeId::uint64 ? NumberKind::uint64 : NumberKind::int64;
    case CellClass::none:
      fail(ErrorKind::unsupported, "{} cannot be calculated with", describe(field));
    default:
      fail(ErrorKind::invalid_argument, "{} holds text and cannot be calculated with", describe(field));
  }
}

NumberKind result_kind(NodeOp op, NumberKind left, NumberKind right) {
  if (op == NodeOp::divide || left != right) return NumberKind::float64;
  return left;
}

std::uint64_t calculate(NodeOp op, NumberKind left_kind, std::uint64_t left, NumberKind right_kind,
                        std::uint64_t right) {
  const NumberKind kind = result_kind(op, left_kind, right_kind);
  convert(left_kind, kind, &left, 1);
  convert(right_kind, kind, &right, 1);
  std::uint64_t out = 0;
  apply(op, kind, &left, &right, &out, 1);
  return out;
}

void evaluate(const TermTest& test, std::span<const FieldInfo> fields, std::span<const ColumnView> columns,
              std::uint64_t first, std::uint64_t count, std::uint8_t* mask) {
  for (const std::uint32_t field : test.fields) {
    if (columns[field].absent) {
      std::memset(mask, 0, count);
      return;
    }
  }
  Machine machine(test, fields, columns);
  const NumberKind left_kind = test.terms[test.left].number, right_kind = test.terms[test.right].number;
  const bool mixed = left_kind != right_kind && left_kind != NumberKind::float64 && right_kind != NumberKind::float64;
  for (std::uint64_t done = 0; done < count; done += kStep) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, count - done));
    std::uint8_t* const out = mask + done;
    const auto [left, right] = machine.run(first + done, n);
    if (mixed) {
      if (left_kind == NumberKind::int64)
        compare_mixed(test.op, left, right, n, out);
      else
        compare_mixed(mirrored(test.op), right, left, n, out);
    } else if (left_kind == NumberKind::int64 && right_kind == NumberKind::int64) {
      compare<std::int64_t>(test.op, left, right, n, out);
    } else if (left_kind == NumberKind::uint64 && right_kind == NumberKind::uint64) {
      compare<std::uint64_t>(test.op, left, right, n, out);
    } else {
      convert(left_kind, NumberKind::float64, left, n);
      convert(right_kind, NumberKind::float64, right, n);
      compare<double>(test.op, left, right, n, out);
    }
    if (test.inverted)
      for (std::size_t i = 0; i < n; ++i) out[i] ^= 1;
  }
  for (const std::uint32_t field : test.fields) mask_nulls(columns[field], first, count, mask);
}

}  // namespace tegula
