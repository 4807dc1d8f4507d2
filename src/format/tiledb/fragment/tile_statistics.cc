#include "format/tiledb/fragment/tile_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "format/tiledb/disk/with_type.h"

namespace tegula::tiledb {

namespace {

bool is_char_text(const Datatype& type) { return type.id == TypeId::character || type.id == TypeId::ascii; }

// As C's strncmp over the shorter length; among equals the shorter is less.
int compare_text(ByteView a, ByteView b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    if (a[i] == std::byte{0}) return 0;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

// A sum that reaches the limit of its type stays there.
std::int64_t add_clamped(std::int64_t a, std::int64_t b, bool& full) {
  std::int64_t sum = 0;
  full = __builtin_add_overflow(a, b, &sum);
  if (!full) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

std::uint64_t add_clamped(std::uint64_t a, std::uint64_t b, bool& full) {
  std::uint64_t sum = 0;
  full = __builtin_add_overflow(a, b, &sum);
  return full ? std::numeric_limits<std::uint64_t>::max() : sum;
}

double add_clamped(double a, double b, bool& full) {
  constexpr double kMost = std::numeric_limits<double>::max();
  full = true;
  if (a < 0 && b < -kMost - a) return -kMost;
  if (a > 0 && b > kMost - a) return kMost;
  full = false;
  return a + b;
}

template <class T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, double,
                                 std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

// Calls f(begin, end) for the runs of cells that count and are not null.
template <class F>
void for_valid(const StoredField& field, const TileColumn& column, std::uint64_t cells, F&& f) {
  const CellRun all{0, cells};
  const std::span<const CellRun> runs =
      column.counted.empty() ? std::span<const CellRun>(&all, 1) : std::span<const CellRun>(column.counted);
  for (const CellRun& run : runs) {
    const std::uint64_t end = run.begin + run.count;
    if (!field.nullable) {
      f(run.begin, end);
      continue;
    }
    for (std::uint64_t i = run.begin; i < end;) {
      while (i < end && column.validity[i] == std::byte{0}) ++i;
      const std::uint64_t first = i;
      while (i < end && column.validity[i] != std::byte{0}) ++i;
      if (i > first) f(first, i);
    }
  }
}

// Smallest and largest of some values.
template <class T>
struct Extremes {
  T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
  // The comparisons are libtiledb's: a NaN replaces the extreme, and the next value replaces the NaN.
  void take(T v) {
    low = low < v ? low : v;
    high = high > v ? high : v;
  }
};

// Keeps many extremes side by side, which is fast. Only for values whose order does not matter: without NaNs.
template <class T>
void take_strands(const std::byte* data, std::uint64_t count, Extremes<T>& extremes) {
  constexpr std::size_t kStrands = 128 / sizeof(T);
  T low[kStrands], high[kStrands];
  std::fill_n(low, kStrands, extremes.low);
  std::fill_n(high, kStrands, extremes.high);
  std::uint64_t i = 0;
  for (; i + kStrands <= count; i += kStrands) {
    T v[kStrands];
    for (std::size_t s = 0; s < kStrands; ++s) v[s] = load_le<T>(data + (i + s) * sizeof(T));
    for (std::size_t s = 0; s < kStrands; ++s) low[s] = low[s] < v[s] ? low[s] : v[s];
    for (std::size_t s = 0; s < kStrands; ++s) high[s] = high[s] > v[s] ? high[s] : v[s];
  }
  for (std::size_t s = 0; s < kStrands; ++s) {
    extremes.low = std::min(extremes.low, low[s]);
    extremes.high = std::max(extremes.high, high[s]);
  }
  for (; i < count; ++i) extremes.take(load_le<T>(data + i * sizeof(T)));
}

// Whether no partial sum can come near the limits of its type.
template <class T>
bool sums_fit(const Extremes<T>& extremes, std::uint64_t cells) {
  const double most =
      std::max(std::abs(static_cast<double>(extremes.low)), std::abs(static_cast<double>(extremes.high)));
  return most <= static_cast<double>(std::numeric_limits<SumOf<T>>::max()) / 4 / static_cast<double>(cells + 1);
}

template <class T>
void number_statistics(const StoredField& field, const TileColumn& column, std::uint64_t cells, TileStatistics& out) {
  using Sum = SumOf<T>;
  using Plain = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;  // wraps instead of overflowing
  Extremes<T> extremes;
  const std::byte* data = column.data.data();
  const auto each = [&](auto f) {
    for_valid(field, column, cells, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) f(load_le<T>(data + i * sizeof(T)));
    });
  };
  const auto add_plain = [&] {
    Plain sum{};
    each([&](T v) { sum += static_cast<Plain>(v); });
    return static_cast<Sum>(sum);
  };
  // A finite sum says that there are no NaNs.
  Sum sum = add_plain();
  bool ordered = true;
  if constexpr (std::is_floating_point_v<T>) ordered = std::isfinite(sum);
  for_valid(field, column, cells, [&](std::uint64_t begin, std::uint64_t end) {
    out.any = true;
    if (ordered) take_strands(data + begin * sizeof(T), end - begin, extremes);
  });
  // Which of two zeros is stored depends on the order as well.
  if (std::is_floating_point_v<T> && out.any && (!ordered || extremes.low == T{} || extremes.high == T{})) {
    extremes = {};
    each([&](T v) { extremes.take(v); });
  }
  if (!ordered || !sums_fit(extremes, cells)) {
    sum = Sum{};
    bool full = false;
    each([&](T v) {
      if (!full) sum = add_clamped(sum, static_cast<Sum>(v), full);
    });
  }
  if (!out.any) extremes = {T{}, T{}};
  out.min.resize(sizeof(T));
  out.max.resize(sizeof(T));
  store_le<T>(out.min.data(), extremes.low);
  store_le<T>(out.max.data(), extremes.high);
  out.sum = std::bit_cast<std::uint64_t>(sum);
}

void text_statistics(const StoredField& field, const TileColumn& column, std::uint64_t cells, TileStatistics& out) {
  const std::uint64_t size = field.cell_size();
  const ByteView data = column.data;
  const auto cell = [&](std::uint64_t i) {
    if (!field.var()) return data.subspan(i * size, size);
    const std::uint64_t end = i + 1 < cells ? column.offsets[i + 1] : data.size();
    return data.subspan(column.offsets[i], end - column.offsets[i]);
  };
  ByteView low, high;
  for_valid(field, column, cells, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const ByteView v = cell(i);
      if (!out.any || compare_text(v, low) < 0) low = v;
      if (!out.any || compare_text(v, high) > 0) high = v;
      out.any = true;
    }
  });
  out.min = copy_of(low);
  out.max = copy_of(high);
  if (!out.any && !field.var()) {
    out.min.assign(size, std::byte{0});
    out.max.assign(size, std::byte{0});
  }
  if (field.type.id != TypeId::character || field.values_per_cell != 1) return;
  std::int64_t sum = 0;
  for_valid(field, column, cells, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) sum += static_cast<std::int8_t>(data[i]);
  });
  out.sum = std::bit_cast<std::uint64_t>(sum);
}

}  // namespace

bool type_has_extremes(const Datatype& type, std::uint32_t values_per_cell) {
  if (is_char_text(type)) return true;
  return is_number(type) && values_per_cell == 1;
}

bool type_has_sums(const Datatype& type, std::uint32_t values_per_cell) {
  return values_per_cell == 1 && (is_number(type) || type.id == TypeId::character);
}

StatisticsKind statistics_kind(const StoredField& field) {
  return {field.kind != FieldKind::dimension && type_has_extremes(field.type, field.values_per_cell),
          type_has_sums(field.type, field.values_per_cell), field.nullable};
}

TileStatistics tile_statistics(const StoredField& field, const TileColumn& column) {
  TileStatistics out;
  const std::uint64_t cells = field.var() ? column.offsets.size() : column.data.size() / field.cell_size();
  const StatisticsKind kind = statistics_kind(field);
  if (is_number(field.type) && (kind.extremes || kind.sums)) {
    with_number(field.type, [&]<class T>(T) { number_statistics<T>(field, column, cells, out); });
  } else if (kind.extremes) {
    text_statistics(field, column, cells, out);
  }
  if (!kind.null_counts) return out;
  std::uint64_t counted = 0, valid = 0;
  for (const CellRun& run : column.counted) counted += run.count;
  if (column.counted.empty()) counted = cells;
  for_valid(field, column, cells, [&](std::uint64_t begin, std::uint64_t end) { valid += end - begin; });
  out.null_count = counted - valid;
  return out;
}

FieldStatistics fragment_statistics(const StoredField& field, std::span<const TileStatistics> tiles) {
  FieldStatistics out;
  const StatisticsKind kind = statistics_kind(field);
  for (const TileStatistics& tile : tiles) out.null_count += tile.null_count;
  if (is_number(field.type) && (kind.extremes || kind.sums)) {
    with_number(field.type, [&]<class T>(T) {
      using Sum = SumOf<T>;
      T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
      Sum sum{};
      bool any = false, full = false;
      for (const TileStatistics& tile : tiles) {
        if (!tile.any) continue;
        any = true;
        const T tile_low = load_le<T>(tile.min.data()), tile_high = load_le<T>(tile.max.data());
        low = low < tile_low ? low : tile_low;
        high = high > tile_high ? high : tile_high;
        if (!full) sum = add_clamped(sum, std::bit_cast<Sum>(tile.sum), full);
      }
      out.sum = kind.sums ? std::bit_cast<std::uint64_t>(sum) : 0;
      if (!any || !kind.extremes) return;
      out.min.resize(sizeof(T));
      out.max.resize(sizeof(T));
      store_le<T>(out.min.data(), low);
      store_le<T>(out.max.data(), high);
    });
  } else if (kind.extremes) {
    bool any = false;
    for (const TileStatistics& tile : tiles) {
      if (!tile.any) continue;
      if (!any || compare_text(tile.min, out.min) < 0) out.min = tile.min;
      if (!any || compare_text(tile.max, out.max) > 0) out.max = tile.max;
      any = true;
    }
  }
  return out;
}

}  // namespace tegula::tiledb
