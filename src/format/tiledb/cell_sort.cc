#include "format/tiledb/cell_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/parallel.h"
#include "format/tiledb/ordered.h"

namespace tegula::tiledb {

namespace {

constexpr std::size_t kBlock = 1 << 16;  // cells of one task
constexpr unsigned kDigitBits = 11;
constexpr std::size_t kSmall = 1 << 13;  // below, comparing beats distributing

void for_blocks(const Work& work, std::uint64_t n, const std::function<void(std::uint64_t, std::uint64_t)>& body) {
  parallel_for(work, (n + kBlock - 1) / kBlock,
               [&](std::size_t b) { body(b * kBlock, std::min<std::uint64_t>(n, (b + 1) * kBlock)); });
}

bool before(const KeyedCell& a, const KeyedCell& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; }

// Distributes by the highest digit that differs, then sorts each bucket by itself.
void sort_range(std::span<KeyedCell> cells, std::span<KeyedCell> spare, const Work& work) {
  if (cells.size() <= kSmall) {
    std::sort(cells.begin(), cells.end(), before);
    return;
  }
  std::uint64_t differing = 0;
  for (const KeyedCell& cell : cells) differing |= cell.key ^ cells[0].key;
  if (differing == 0) {
    std::sort(cells.begin(), cells.end(), before);
    return;
  }
  const unsigned top = 64 - static_cast<unsigned>(std::countl_zero(differing));
  const unsigned shift = top > kDigitBits ? top - kDigitBits : 0;
  constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;
  const auto digit = [&](std::uint64_t key) { return (key >> shift) & (kBuckets - 1); };

  const std::size_t blocks = (cells.size() + kBlock - 1) / kBlock;
  std::vector<std::uint64_t> starts(blocks * kBuckets, 0);
  for_blocks(work, cells.size(), [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t* counts = starts.data() + begin / kBlock * kBuckets;
    for (std::uint64_t i = begin; i < end; ++i) ++counts[digit(cells[i].key)];
  });
  std::vector<std::uint64_t> bounds(kBuckets + 1, 0);
  std::uint64_t sum = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    bounds[bucket] = sum;
    for (std::size_t block = 0; block < blocks; ++block) sum += std::exchange(starts[block * kBuckets + bucket], sum);
  }
  bounds[kBuckets] = sum;
  for_blocks(work, cells.size(), [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t* places = starts.data() + begin / kBlock * kBuckets;
    for (std::uint64_t i = begin; i < end; ++i) spare[places[digit(cells[i].key)]++] = cells[i];
  });
  parallel_for(work, kBuckets, [&](std::size_t bucket) {
    const std::uint64_t begin = bounds[bucket], count = bounds[bucket + 1] - begin;
    if (count == 0) return;
    sort_range(spare.subspan(begin, count), cells.subspan(begin, count), work);
    std::copy_n(spare.begin() + static_cast<std::ptrdiff_t>(begin), count,
                cells.begin() + static_cast<std::ptrdiff_t>(begin));
  });
}

// The eight bytes from `skip` on, most significant first.
std::uint64_t prefix_of(ByteView text, std::size_t skip) {
  std::uint64_t prefix = 0;
  const std::size_t n = text.size() > skip ? std::min<std::size_t>(8, text.size() - skip) : 0;
  for (std::size_t i = 0; i < n; ++i) prefix |= std::to_integer<std::uint64_t>(text[skip + i]) << (56 - 8 * i);
  return prefix;
}

std::size_t common_prefix(const Column& column, std::uint64_t cells) {
  const std::string_view first = text_of(column.cell(0));
  std::size_t common = first.size();
  for (std::uint64_t i = 1; i < cells && common > 0; ++i) {
    const std::string_view text = text_of(column.cell(i));
    common = std::min(common, text.size());
    while (common > 0 && std::memcmp(text.data(), first.data(), common) != 0) --common;
  }
  return common;
}

int compare_coordinate(const Column& column, std::uint64_t a, std::uint64_t b) {
  return compare_values(column.type, column.var(), column.cell(a), column.cell(b));
}

}  // namespace

void sort_by_key(Buffer<KeyedCell>& cells, const Work& work) {
  if (std::is_sorted(cells.begin(), cells.end(), before)) return;
  Buffer<KeyedCell> spare(cells.size());
  sort_range(cells, spare, work);
}

CellOrder::CellOrder(const ArraySchema& schema, Order order) {
  const std::size_t n = schema.dimensions.size();
  const auto add = [&](Order direction, auto make) {
    for (std::size_t i = 0; i < n; ++i) make(direction == Order::col ? n - 1 - i : i);
  };
  if (order == Order::global && schema.cell_order == Order::hilbert) {
    curve_ = std::make_shared<HilbertCurve>(schema);
    steps_.push_back({Step::Kind::hilbert});
    add(Order::row, [&](std::size_t d) { steps_.push_back({Step::Kind::coordinate, d}); });
    return;
  }
  if (order != Order::global) {
    add(order, [&](std::size_t d) { steps_.push_back({Step::Kind::coordinate, d}); });
    return;
  }
  std::vector<Step> tiles(n);
  std::vector<bool> has_tiles(n, false);
  add(schema.tile_order, [&](std::size_t d) {
    const SchemaDimension& dimension = schema.dimensions[d];
    if (dimension.var() || dimension.extent.empty()) return;
    Step step{Step::Kind::tile, d};
    with_number(dimension.type, [&]<class T>(T) {
      const T low = load_le<T>(dimension.domain.data()), extent = load_le<T>(dimension.extent.data());
      if constexpr (std::is_floating_point_v<T>) {
        step.float_low = low;
        step.float_extent = extent;
      } else {
        step.low = to_ordered(low);
        step.extent = static_cast<std::make_unsigned_t<T>>(extent);
      }
    });
    if (step.extent == 0 || step.float_extent == 0) return;
    has_tiles[d] = true;
    tiles[d] = step;
    steps_.push_back(step);
  });
  add(schema.cell_order, [&](std::size_t d) {
    Step step{Step::Kind::coordinate, d};
    if (has_tiles[d] && !schema.dimensions[d].type.is_float()) {
      step = tiles[d];
      step.kind = Step::Kind::in_tile;
    }
    steps_.push_back(step);
  });
}

CellOrder::Values CellOrder::values_of(const Step& step, std::span<const Column> coordinates, std::uint64_t cells,
                                       const Work& work) const {
  Values result;
  result.values.resize(cells);
  std::uint64_t* out = result.values.data();
  if (step.kind == Step::Kind::hilbert) {
    for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
      std::vector<ByteView> columns;
      std::vector<std::span<const std::uint64_t>> offsets;
      for (const Column& column : coordinates) {
        if (column.var()) {
          columns.emplace_back(column.data);
          offsets.emplace_back(column.offsets.data() + begin, end - begin + 1);
        } else {
          columns.push_back(ByteView(column.data).subspan(begin * column.type.size, (end - begin) * column.type.size));
          offsets.emplace_back();
        }
      }
      curve_->places(columns, offsets, {out + begin, end - begin});
    });
    return result;
  }
  const Column& column = coordinates[step.dimension];
  if (column.var()) {
    result.exact = false;
    const std::size_t skip = common_prefix(column, cells);
    for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) out[i] = prefix_of(column.cell(i), skip);
    });
    return result;
  }
  with_number(column.type, [&]<class T>(T) {
    const std::byte* in = column.data.data();
    for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        const T value = load_le<T>(in + i * sizeof(T));
        std::uint64_t v = to_ordered(value);
        if constexpr (std::is_floating_point_v<T>) {
          if (step.kind == Step::Kind::tile)
            v = static_cast<std::uint64_t>((value - static_cast<T>(step.float_low)) /
                                           static_cast<T>(step.float_extent));
        } else {
          if (step.kind == Step::Kind::tile) v = (v - step.low) / step.extent;
          if (step.kind == Step::Kind::in_tile) v = (v - step.low) % step.extent;
        }
        out[i] = v;
      }
    });
  });
  return result;
}

int CellOrder::compare(std::span<const Column> coordinates, std::uint64_t a, std::uint64_t b) const {
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::hilbert || step.kind == Step::Kind::tile) continue;
    if (const int c = compare_coordinate(coordinates[step.dimension], a, b); c != 0) return c;
  }
  return 0;
}

Buffer<std::uint64_t> CellOrder::sort(std::span<const Column> coordinates, const Work& work) const {
  const std::uint64_t cells = coordinates.empty() ? 0 : coordinates[0].cells();
  Buffer<KeyedCell> keyed(cells);
  for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) keyed[i] = {0, i};
  });
  // Each step takes as many bits of the key as its values need; what does not fit is compared where keys tie.
  unsigned left = 64;
  bool exact = true;
  std::size_t packed = 0;
  for (; packed < steps_.size() && exact && cells > 1; ++packed) {
    const Values step = values_of(steps_[packed], coordinates, cells, work);
    const auto [low, high] = std::minmax_element(step.values.begin(), step.values.end());
    const std::uint64_t base = *low;
    const unsigned bits = 64 - static_cast<unsigned>(std::countl_zero(*high - base));
    const unsigned taken = std::min(bits, left);
    exact = step.exact && taken == bits;
    if (taken == 0) {
      if (!exact) break;
      continue;
    }
    for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::uint64_t value = (step.values[i] - base) >> (bits - taken);
        keyed[i].key = taken == 64 ? value : (keyed[i].key << taken) | value;
      }
    });
    left -= taken;
  }
  // A space tile that was cut off by the end of the key must not be skipped by compare(): then whole steps are redone.
  const bool tiles_cut =
      !exact && std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(packed == 0 ? 0 : packed - 1), steps_.end(),
                            [](const Step& s) { return s.kind == Step::Kind::tile || s.kind == Step::Kind::hilbert; });
  sort_by_key(keyed, work);
  if (!exact && cells > 1) {
    std::vector<Values> full;
    if (tiles_cut)
      for (const Step& step : steps_)
        if (step.kind == Step::Kind::tile || step.kind == Step::Kind::hilbert)
          full.push_back(values_of(step, coordinates, cells, work));
    const auto less = [&](const KeyedCell& a, const KeyedCell& b) {
      for (const Values& values : full)
        if (values.values[a.index] != values.values[b.index]) return values.values[a.index] < values.values[b.index];
      const int c = compare(coordinates, a.index, b.index);
      return c != 0 ? c < 0 : a.index < b.index;
    };
    for (std::uint64_t begin = 0; begin < cells;) {
      std::uint64_t end = begin + 1;
      while (end < cells && keyed[end].key == keyed[begin].key) ++end;
      if (end - begin > 1)
        std::sort(keyed.begin() + static_cast<std::ptrdiff_t>(begin), keyed.begin() + static_cast<std::ptrdiff_t>(end),
                  less);
      begin = end;
    }
  }
  Buffer<std::uint64_t> order(cells);
  for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) order[i] = keyed[i].index;
  });
  return order;
}

bool CellOrder::same_place(std::span<const Column> coordinates, std::uint64_t a, std::uint64_t b) {
  return std::all_of(coordinates.begin(), coordinates.end(),
                     [&](const Column& column) { return compare_coordinate(column, a, b) == 0; });
}

}  // namespace tegula::tiledb
