#include "format/tiledb/order/cell_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/parallel.h"
#include "format/tiledb/disk/ordered_bits.h"
#include "format/tiledb/order/radix_sort.h"

namespace tegula::tiledb {

namespace {

constexpr std::size_t kBlock = 1 << 16;  // cells of one task
constexpr std::size_t kPiece = 1 << 12;  // cells whose values stay in the first-level cache

struct KeyedCell {
  std::uint64_t key = 0, index = 0;
};

void for_blocks(const Work& work, std::uint64_t n, const std::function<void(std::uint64_t, std::uint64_t)>& body) {
  parallel_for(work, (n + kBlock - 1) / kBlock,
               [&](std::size_t b) { body(b * kBlock, std::min<std::uint64_t>(n, (b + 1) * kBlock)); });
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

// Computes tile numbers by shifts and products: divisions would take most of the time.
class TileIndex {
 public:
  TileIndex(std::uint64_t extent, std::uint64_t largest)
      : extent_(extent),
        shift_(std::has_single_bit(extent) ? static_cast<unsigned>(std::countr_zero(extent)) : 64),
        near_(largest < (std::uint64_t{1} << 52)),
        inverse_(1.0 / static_cast<double>(extent)) {}
  std::uint64_t operator()(std::uint64_t offset) const {
    if (shift_ < 64) return offset >> shift_;
    if (!near_) return offset / extent_;
    const auto guess = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(offset)) * inverse_));
    const auto rest = static_cast<std::int64_t>(offset - guess * extent_);
    return guess - static_cast<std::uint64_t>(rest < 0) +
           static_cast<std::uint64_t>(rest >= static_cast<std::int64_t>(extent_));
  }

 private:
  std::uint64_t extent_;
  unsigned shift_;
  bool near_;
  double inverse_;
};

std::vector<const Column*> pointers(std::span<const Column> columns) {
  std::vector<const Column*> all;
  for (const Column& column : columns) all.push_back(&column);
  return all;
}

int compare_coordinate(const Column& column, std::uint64_t a, std::uint64_t b) {
  return compare_values(column.type, column.var(), column.cell(a), column.cell(b));
}

}  // namespace

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

void CellOrder::number_values(const Step& step, const Column& column, std::uint64_t begin,
                              std::span<std::uint64_t> out) {
  with_number(column.type, [&]<class T>(T) {
    const std::byte* in = column.data.data() + begin * sizeof(T);
    const auto each = [&](auto f) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = f(load_le<T>(in + i * sizeof(T)));
    };
    if (step.kind == Step::Kind::coordinate) return each([](T v) { return to_ordered(v); });
    if constexpr (std::is_floating_point_v<T>) {
      each([&](T v) {
        return static_cast<std::uint64_t>((v - static_cast<T>(step.float_low)) / static_cast<T>(step.float_extent));
      });
    } else {
      each([&](T v) { return to_ordered(v) - step.low; });
      const std::uint64_t largest = *std::max_element(out.begin(), out.end());
      const TileIndex tile(step.extent, std::max(largest, step.extent));
      if (step.kind == Step::Kind::tile)
        for (std::uint64_t& v : out) v = tile(v);
      else
        for (std::uint64_t& v : out) v -= tile(v) * step.extent;
    }
  });
}

Buffer<std::uint64_t> CellOrder::values_of(const Step& step, Coordinates coordinates, std::uint64_t cells,
                                           const Work& work) const {
  Buffer<std::uint64_t> values(cells);
  std::uint64_t* out = values.data();
  if (step.kind == Step::Kind::hilbert) {
    std::vector<ColumnView> columns;
    for (const Column* column : coordinates) columns.emplace_back(*column);
    for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
      curve_->places(columns, begin, {out + begin, end - begin});
    });
    return values;
  }
  const Column& column = *coordinates[step.dimension];
  const std::size_t skip = column.var() ? common_prefix(column, cells) : 0;
  for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
    if (column.var())
      for (std::uint64_t i = begin; i < end; ++i) out[i] = prefix_of(column.cell(i), skip);
    else
      number_values(step, column, begin, {out + begin, end - begin});
  });
  return values;
}

CellOrder::Parts CellOrder::plan_key(Coordinates coordinates, std::uint64_t cells, const Work& work) const {
  // Each step takes as many bits of the key as its values need; what does not fit is compared where keys tie.
  Parts all;
  std::size_t used = 0;
  for (; used < steps_.size() && all.exact && all.bits < 64; ++used) {
    const Step& step = steps_[used];
    const bool hilbert = step.kind == Step::Kind::hilbert;
    const bool text = !hilbert && coordinates[step.dimension]->var();
    Part part;
    part.step = &step;
    if (hilbert || text) part.values = values_of(step, coordinates, cells, work);
    const std::size_t blocks = (cells + kBlock - 1) / kBlock;
    std::vector<std::uint64_t> low(blocks, UINT64_MAX), high(blocks, 0);
    for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
      std::array<std::uint64_t, kPiece> piece;
      for (std::uint64_t at = begin; at < end; at += kPiece) {
        std::span<const std::uint64_t> values;
        const std::size_t n = std::min<std::uint64_t>(kPiece, end - at);
        if (part.values.empty()) {
          number_values(step, *coordinates[step.dimension], at, std::span(piece).first(n));
          values = std::span(piece).first(n);
        } else {
          values = std::span(part.values).subspan(at, n);
        }
        std::uint64_t least = low[begin / kBlock], most = high[begin / kBlock];
        for (const std::uint64_t v : values) {
          least = std::min(least, v);
          most = std::max(most, v);
        }
        low[begin / kBlock] = least;
        high[begin / kBlock] = most;
      }
    });
    part.base = *std::min_element(low.begin(), low.end());
    part.bits = static_cast<unsigned>(std::bit_width(*std::max_element(high.begin(), high.end()) - part.base));
    part.taken = std::min(part.bits, 64 - all.bits);
    all.exact = !text && part.taken == part.bits;
    all.bits += part.taken;
    if (part.taken > 0) all.parts.push_back(std::move(part));
  }
  // Steps behind a full key have values to compare as well, unless they have one value only.
  all.exact = all.exact && used == steps_.size();
  const std::size_t whole = all.exact ? used : used - 1;
  all.tiles_in_key = std::none_of(steps_.begin() + static_cast<std::ptrdiff_t>(whole), steps_.end(), [](const Step& s) {
    return s.kind == Step::Kind::tile || s.kind == Step::Kind::hilbert;
  });
  return all;
}

void CellOrder::keys(const Parts& parts, Coordinates coordinates, std::uint64_t begin,
                     std::span<std::uint64_t> out) const {
  std::fill(out.begin(), out.end(), 0);
  std::array<std::uint64_t, kPiece> piece;
  for (const Part& part : parts.parts) {
    const std::uint64_t* values = piece.data();
    if (part.values.empty())
      number_values(*part.step, *coordinates[part.step->dimension], begin, std::span(piece).first(out.size()));
    else
      values = part.values.data() + begin;
    const unsigned cut = part.bits - part.taken;
    if (part.taken == 64) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i] - part.base;
    } else {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = (out[i] << part.taken) | ((values[i] - part.base) >> cut);
    }
  }
}

int CellOrder::compare(Coordinates coordinates, std::uint64_t a, std::uint64_t b) const {
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::hilbert || step.kind == Step::Kind::tile) continue;
    if (const int c = compare_coordinate(*coordinates[step.dimension], a, b); c != 0) return c;
  }
  return 0;
}

// `make` joins a key and an index; `key` separates them again, the key still shifted by `low` bits.
template <class E, class Make, class Key>
Buffer<std::uint64_t> CellOrder::sort_as(const Parts& parts, Coordinates coordinates, std::uint64_t cells, Make make,
                                         Key key, unsigned low, const Work& work, Twins* twins) const {
  Buffer<E> sorted(cells);
  for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
    std::array<std::uint64_t, kPiece> piece;
    for (std::uint64_t at = begin; at < end; at += kPiece) {
      const std::span<std::uint64_t> values = std::span(piece).first(std::min<std::uint64_t>(kPiece, end - at));
      keys(parts, coordinates, at, values);
      for (std::size_t i = 0; i < values.size(); ++i) sorted[at + i] = make(values[i], at + i);
    }
  });
  const auto bits = [&](const E& e) { return key(e).first; };
  const auto index = [&](const E& e) { return key(e).second; };
  if (!std::is_sorted(sorted.begin(), sorted.end(), [&](const E& a, const E& b) { return bits(a) < bits(b); }))
    RadixSort<E, decltype(bits)>(bits, low, work).sort(sorted, low + parts.bits);

  if (!parts.exact) {
    // compare() ignores tiles, so those that the key does not hold completely are compared first.
    std::vector<Buffer<std::uint64_t>> tiles;
    for (const Step& step : steps_)
      if (!parts.tiles_in_key && (step.kind == Step::Kind::tile || step.kind == Step::Kind::hilbert))
        tiles.push_back(values_of(step, coordinates, cells, work));
    const auto less = [&](const E& a, const E& b) {
      for (const Buffer<std::uint64_t>& values : tiles)
        if (values[index(a)] != values[index(b)]) return values[index(a)] < values[index(b)];
      const int c = compare(coordinates, index(a), index(b));
      return c != 0 ? c < 0 : index(a) < index(b);
    };
    for (std::uint64_t begin = 0; begin < cells;) {
      std::uint64_t end = begin + 1;
      while (end < cells && bits(sorted[end]) == bits(sorted[begin])) ++end;
      if (end - begin > 1)
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                  sorted.begin() + static_cast<std::ptrdiff_t>(end), less);
      begin = end;
    }
  }
  Buffer<std::uint64_t> order(cells);
  std::vector<std::uint64_t> twin(cells / kBlock + 1, cells);  // the second of the first pair in each block
  for_blocks(work, cells, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) order[i] = index(sorted[i]);
    for (std::uint64_t i = std::max<std::uint64_t>(1, begin); twins && i < end; ++i) {
      if (bits(sorted[i - 1]) != bits(sorted[i])) continue;
      if (!parts.exact && !same_place(coordinates, index(sorted[i - 1]), index(sorted[i]))) continue;
      twin[begin / kBlock] = i;
      break;
    }
  });
  if (const auto first = std::find_if(twin.begin(), twin.end(), [&](std::uint64_t i) { return i < cells; });
      twins && first != twin.end())
    *twins = {order[*first - 1], order[*first]};
  return order;
}

Buffer<std::uint64_t> CellOrder::sort(Coordinates coordinates, const Work& work, Twins* twins) const {
  if (twins) twins->reset();
  const std::uint64_t cells = coordinates.empty() ? 0 : coordinates[0]->cells();
  if (cells < 2) return Buffer<std::uint64_t>(cells, 0);
  const Parts parts = plan_key(coordinates, cells, work);
  // Key and index share one integer where they fit, which halves the memory that is moved.
  const unsigned index_bits = static_cast<unsigned>(std::bit_width(cells - 1));
  if (parts.bits + index_bits <= 64) {
    const std::uint64_t mask = (std::uint64_t{1} << index_bits) - 1;
    return sort_as<std::uint64_t>(
        parts, coordinates, cells, [&](std::uint64_t key, std::uint64_t index) { return (key << index_bits) | index; },
        [&](std::uint64_t packed) { return std::pair(packed & ~mask, packed & mask); }, index_bits, work, twins);
  }
  return sort_as<KeyedCell>(
      parts, coordinates, cells, [](std::uint64_t key, std::uint64_t index) { return KeyedCell{key, index}; },
      [](const KeyedCell& cell) { return std::pair(cell.key, cell.index); }, 0, work, twins);
}

Buffer<std::uint64_t> CellOrder::sort(std::span<const Column> coordinates, const Work& work, Twins* twins) const {
  return sort(pointers(coordinates), work, twins);
}

bool CellOrder::same_place(Coordinates coordinates, std::uint64_t a, std::uint64_t b) {
  return std::all_of(coordinates.begin(), coordinates.end(),
                     [&](const Column* column) { return compare_coordinate(*column, a, b) == 0; });
}

bool CellOrder::same_place(std::span<const Column> coordinates, std::uint64_t a, std::uint64_t b) {
  return std::all_of(coordinates.begin(), coordinates.end(),
                     [&](const Column& column) { return compare_coordinate(column, a, b) == 0; });
}

}  // namespace tegula::tiledb
