#include "query/aggregate/reduce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/endian.h"
#include "base/half.h"
#include "base/with_type.h"

namespace tegula {
namespace {

bool swapped(const Datatype& type) { return type.big_endian != (std::endian::native == std::endian::big); }

struct Half {
  std::uint16_t bits;
};

template <class T, bool Swap>
auto cell_at(const std::byte* cells, std::uint64_t i) {
  if constexpr (std::is_same_v<T, Half>) {
    const auto bits = load<std::uint16_t>(cells + i * 2);
    return half_to_float(Swap ? swap_bytes(bits) : bits);
  } else {
    const T value = load<T>(cells + i * sizeof(T));
    return Swap ? swap_bytes(value) : value;
  }
}

// Calls body<T, Swap>() for the type of the cells.
template <class Body>
auto with_type(const Datatype& type, Body body) {
  const auto pick = [&]<class T>(T) {
    if constexpr (sizeof(T) == 1)
      return body.template operator()<T, false>();
    else
      return swapped(type) ? body.template operator()<T, true>() : body.template operator()<T, false>();
  };
  switch (type.id) {
    case TypeId::boolean:
      return pick(std::uint8_t{});
    case TypeId::float16:
      return pick(Half{});
    case TypeId::float32:
      return pick(float{});
    case TypeId::float64:
      return pick(double{});
    default:
      return with_integer(type.id, pick, [&] { return pick(std::int64_t{}); });  // dates
  }
}

constexpr std::size_t kLanes = 8;
constexpr std::uint64_t kBlock = 1024;  // cells per joined sum

// Of at most kBlock numbers.
template <class At>
double lane_sum(std::uint64_t count, At at) {
  std::array<double, kLanes> lanes{};
  std::uint64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += at(i + k);
  double rest = 0;
  for (; i < count; ++i) rest += at(i);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])) + rest;
}

template <class T, bool Swap>
double sum_reals(const std::byte* cells, std::uint64_t count, const std::uint8_t* keep, double start, bool lanes) {
  const auto at = [&](std::uint64_t i) { return static_cast<double>(cell_at<T, Swap>(cells, i)); };
  const auto kept = [&](std::uint64_t i) { return keep[i] ? at(i) : 0.0; };
  if (lanes) {
    double sum = start;
    for (std::uint64_t done = 0; done < count; done += kBlock) {
      const std::uint64_t n = std::min(kBlock, count - done);
      sum += keep ? lane_sum(n, [&](std::uint64_t i) { return kept(done + i); })
                  : lane_sum(n, [&](std::uint64_t i) { return at(done + i); });
    }
    return sum;
  }
  double sum = start;
  if (keep) {
    for (std::uint64_t i = 0; i < count; ++i)
      if (keep[i]) sum += at(i);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) sum += at(i);
  }
  return sum;
}

// Takes several cells at a time, with a NaN among them noted in `lost`.
template <class T, class Better>
void extreme_or_nan(const std::byte* cells, std::uint64_t count, Better better, T& best, bool& lost) {
  constexpr std::size_t kWide = 64 / sizeof(T);
  std::array<T, kWide> lanes;
  lanes.fill(best);
  std::array<bool, kWide> nan{};
  for (std::uint64_t i = 0; i + kWide <= count; i += kWide)
    for (std::size_t k = 0; k < kWide; ++k) {
      const T cell = load<T>(cells + (i + k) * sizeof(T));
      lanes[k] = better(lanes[k], cell) ? lanes[k] : cell;
      nan[k] |= cell != cell;
    }
  for (std::size_t k = 0; k < kWide; ++k) {
    best = better(best, lanes[k]) ? best : lanes[k];
    lost |= nan[k];
  }
}

// Takes several cells at a time. TileDB's result depends on the order of the cells where there is a NaN or a tie
// between zeros of both signs: then this returns false, `best` is unchanged, and the caller takes the cells one by one.
template <class T, class Better>
bool extreme_lanes(const std::byte* cells, std::uint64_t count, Better better, T& best) {
  constexpr std::size_t kWide = 64 / sizeof(T);
  std::array<T, kWide> lanes;
  lanes.fill(best);
  std::array<T, kWide> numbers{};  // becomes NaN and stays so
  const std::uint64_t whole = count / kWide * kWide;
  for (std::uint64_t i = 0; i < whole; i += kWide)
    for (std::size_t k = 0; k < kWide; ++k) {
      const T cell = load<T>(cells + (i + k) * sizeof(T));
      lanes[k] = better(lanes[k], cell) ? lanes[k] : cell;
      numbers[k] += cell * T{0};
    }
  T found = best;
  for (std::size_t k = 0; k < kWide; ++k) {
    if (numbers[k] != T{0}) return false;
    found = better(found, lanes[k]) ? found : lanes[k];
  }
  for (std::uint64_t i = whole; i < count; ++i) {
    const T cell = load<T>(cells + i * sizeof(T));
    if (std::isnan(cell)) return false;
    found = better(found, cell) ? found : cell;
  }
  if (found == T{0} || std::isnan(best)) return false;
  best = found;
  return true;
}

template <class T>
bool undefined(T value, bool date) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return date && value == std::numeric_limits<T>::min();
}

}  // namespace

Int128 sum_integers(const Datatype& type, const std::byte* cells, std::uint64_t count, const std::uint8_t* keep) {
  return with_type(type, [&]<class T, bool Swap>() -> Int128 {
    if constexpr (!std::is_integral_v<T>) {
      return 0;
    } else {
      // The two halves of 64-bit numbers are summed separately, so that neither sum overflows within a block.
      constexpr std::uint64_t kCells = std::uint64_t{1} << 30;
      Int128 total = 0;
      for (std::uint64_t done = 0; done < count; done += kCells) {
        const std::uint64_t end = std::min(count, done + kCells);
        std::int64_t high = 0;
        std::uint64_t low = 0;
        for (std::uint64_t i = done; i < end; ++i) {
          const T cell = cell_at<T, Swap>(cells, i);
          const T value = !keep || keep[i] ? cell : T{0};
          if constexpr (sizeof(T) == 8) {
            high += static_cast<std::int64_t>(value >> 32);
            low += static_cast<std::uint32_t>(value);
          } else {
            high += value;
          }
        }
        total += sizeof(T) == 8 ? (Int128{high} * (Int128{1} << 32)) + Int128{low} : Int128{high};
      }
      return total;
    }
  });
}

double sum_reals(const Datatype& type, const std::byte* cells, std::uint64_t count, const std::uint8_t* keep,
                 double start, bool lanes) {
  return with_type(type, [&]<class T, bool Swap>() -> double {
    if constexpr (std::is_integral_v<T>)
      return start;
    else
      return sum_reals<T, Swap>(cells, count, keep, start, lanes);
  });
}

void Moments::merge(const Moments& other) {
  if (other.count == 0) return;
  const double total = count + other.count;
  const double delta = other.mean - mean;
  mean += delta * (other.count / total);
  squares += other.squares + delta * delta * (count * other.count / total);
  count = total;
}

double Moments::deviation() const { return std::sqrt(squares / count); }

Moments moments_of(const Datatype& type, const std::byte* cells, std::uint64_t count, const std::uint8_t* keep) {
  Moments all;
  with_type(type, [&]<class T, bool Swap>() {
    // Two passes over a block in the cache are the most exact way; blocks are merged without cancellation.
    for (std::uint64_t done = 0; done < count; done += kBlock) {
      const std::uint64_t n = std::min(kBlock, count - done);
      const auto at = [&](std::uint64_t i) { return static_cast<double>(cell_at<T, Swap>(cells, done + i)); };
      const auto counts = [&](std::uint64_t i) { return !keep || keep[done + i]; };
      Moments block;
      for (std::uint64_t i = 0; i < n; ++i) block.count += counts(i);
      if (block.count == 0) continue;
      block.mean = lane_sum(n, [&](std::uint64_t i) { return counts(i) ? at(i) : 0.0; }) / block.count;
      block.squares = lane_sum(n, [&](std::uint64_t i) {
        const double difference = counts(i) ? at(i) - block.mean : 0.0;
        return difference * difference;
      });
      all.merge(block);
    }
  });
  return all;
}

void extreme_number(const Datatype& type, bool min, bool propagate, const std::byte* cells, std::uint64_t count,
                    const std::uint8_t* keep, bool has_value, std::byte* value) {
  with_type(type, [&]<class T, bool Swap>() {
    using Number = decltype(cell_at<T, Swap>(cells, 0));
    std::uint64_t i = 0;
    if (!has_value)
      while (keep && !keep[i]) ++i;
    Number best = has_value ? cell_at<T, Swap>(value, 0) : cell_at<T, Swap>(cells, i++);
    bool lost = propagate && undefined(best, type.is_date());
    const auto loop = [&](auto better) {
      if constexpr (std::is_floating_point_v<T> && !Swap) {
        for (; !keep && propagate && !lost && i + kBlock <= count; i += kBlock)
          extreme_or_nan<T>(cells + i * sizeof(T), kBlock, better, best, lost);
        for (; !keep && !propagate && i + kBlock <= count; i += kBlock)
          if (!extreme_lanes<T>(cells + i * sizeof(T), kBlock, better, best)) break;
      }
      for (; i < count; ++i) {
        const Number cell = cell_at<T, Swap>(cells, i);
        const bool counts = !keep || keep[i];
        lost |= propagate && counts && undefined(cell, type.is_date());
        best = counts && !better(best, cell) ? cell : best;
      }
    };
    if (min)
      loop([](Number a, Number b) { return a < b; });
    else
      loop([](Number a, Number b) { return a > b; });
    // Which of two zeros came first must not show.
    if (propagate && best == Number{0}) best = Number{0};
    if (lost)
      best = std::is_floating_point_v<Number> ? std::numeric_limits<Number>::quiet_NaN()
                                              : std::numeric_limits<Number>::min();
    if constexpr (std::is_same_v<T, Half>) {
      const std::uint16_t bits = half_from_double(best);
      store(value, Swap ? swap_bytes(bits) : bits);
    } else {
      store(value, Swap ? swap_bytes(best) : best);
    }
  });
}

}  // namespace tegula
