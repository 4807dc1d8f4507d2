#include "format/tiledb/disk/schema_defaults.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/endian.h"
#include "base/fail.h"
#include "format/tiledb/disk/nd_range.h"
#include "format/tiledb/disk/with_type.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kTileBytes = 1 << 20;
constexpr std::uint64_t kVarCellBytes = 16;  // a guess

Filter compressor(std::string name, std::int64_t level) { return {std::move(name), {{"level", level}}}; }

void choose(std::vector<Filter>& filters, std::vector<Filter> standard) {
  if (filters.empty()) {
    filters = std::move(standard);
  } else {
    std::erase_if(filters, [](const Filter& filter) { return filter.name == "none"; });
  }
}

std::vector<Filter> attribute_filters(const Attribute& attribute) {
  std::vector<Filter> filters;
  if (is_number(attribute.type) && attribute.type.size > 1) filters.push_back({"byteshuffle", {}});
  filters.push_back(compressor("zstd", 3));
  return filters;
}

bool missing(const Value& value) { return std::holds_alternative<std::monostate>(value); }

// The number of cells along a dimension of integers or dates, minus one.
std::uint64_t last_cell(const Dimension& dimension) {
  Bytes bounds;
  value_to_bytes(dimension.type, dimension.domain.low, bounds);
  value_to_bytes(dimension.type, dimension.domain.high, bounds);
  return with_number(dimension.type, [&]<class T>(T) -> std::uint64_t {
    if constexpr (std::is_floating_point_v<T>) {
      return 0;
    } else {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<Unsigned>(static_cast<Unsigned>(load_le<T>(bounds.data() + sizeof(T))) -
                                   static_cast<Unsigned>(load_le<T>(bounds.data())));
    }
  });
}

// An extent of at most `wanted` whose last tile does not reach past the largest value of the type.
Value fitting_extent(const Dimension& dimension, std::uint64_t wanted) {
  Bytes low;
  value_to_bytes(dimension.type, dimension.domain.low, low);
  const std::uint64_t last = last_cell(dimension);
  return with_number(dimension.type, [&]<class T>(T) -> Value {
    if constexpr (std::is_floating_point_v<T>) {
      return {};
    } else {
      using Unsigned = std::make_unsigned_t<T>;
      constexpr auto kMax = std::numeric_limits<T>::max();
      const std::uint64_t room =
          static_cast<Unsigned>(static_cast<Unsigned>(kMax) - static_cast<Unsigned>(load_le<T>(low.data())));
      std::uint64_t extent = std::min<std::uint64_t>(wanted, static_cast<std::uint64_t>(kMax));
      const auto reaches_past = [&] { return last / extent * extent > room - (extent - 1); };
      // Domains that end with the type are mostly multiples of a power of two.
      if (reaches_past()) extent = std::bit_floor(extent);
      while (extent > 1 && reaches_past()) extent /= 2;
      return std::is_signed_v<T> ? Value(static_cast<std::int64_t>(extent)) : Value(extent);
    }
  });
}

std::uint64_t count_of(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i > 0 ? static_cast<std::uint64_t>(*i) : 1;
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return std::max<std::uint64_t>(1, *u);
  return 1;
}

// Shares the cells of a tile evenly among the dimensions that have no extent. Short dimensions leave more to the
// others.
void choose_dense_extents(Schema& schema) {
  std::uint64_t cell = 1;
  for (const Attribute& attribute : schema.attributes)
    cell = std::max(cell, attribute.values_per_cell == kVar ? kVarCellBytes : attribute.cell_size());
  double cells = std::max(1.0, static_cast<double>(kTileBytes) / static_cast<double>(cell));
  std::vector<Dimension*> open;
  for (Dimension& dimension : schema.dimensions) {
    if (missing(dimension.tile)) {
      open.push_back(&dimension);
    } else {
      cells = std::max(1.0, cells / static_cast<double>(count_of(dimension.tile)));
    }
  }
  std::sort(open.begin(), open.end(),
            [](const Dimension* a, const Dimension* b) { return last_cell(*a) < last_cell(*b); });
  for (std::size_t i = 0; i < open.size(); ++i) {
    const double side = std::max(1.0, std::floor(std::pow(cells, 1.0 / static_cast<double>(open.size() - i)) + 1e-6));
    const std::uint64_t last = last_cell(*open[i]);
    const std::uint64_t extent = static_cast<double>(last) < side ? last + 1 : static_cast<std::uint64_t>(side);
    open[i]->tile = fitting_extent(*open[i], extent);
    cells = std::max(1.0, cells / static_cast<double>(count_of(open[i]->tile)));
  }
}

// One space tile for the whole domain: only the capacity divides the cells into tiles.
void choose_sparse_extent(Dimension& dimension) {
  if (dimension.type.is_float()) {
    const auto *low = std::get_if<double>(&dimension.domain.low), *high = std::get_if<double>(&dimension.domain.high);
    if (low && high && std::isfinite(*high - *low) && *high > *low) dimension.tile = *high - *low;
    return;
  }
  const std::uint64_t last = last_cell(dimension);
  if (last != std::numeric_limits<std::uint64_t>::max()) dimension.tile = fitting_extent(dimension, last + 1);
}

}  // namespace

Schema with_defaults(Schema schema) {
  for (Attribute& attribute : schema.attributes) choose(attribute.filters, attribute_filters(attribute));
  choose(schema.coords_filters, {compressor("zstd", -1)});
  choose(schema.offsets_filters, {compressor("zstd", -1)});
  choose(schema.validity_filters, {compressor("rle", -1)});
  for (Dimension& dimension : schema.dimensions) choose(dimension.filters, {});
  const auto plain = [](const Dimension& d) {
    return d.values_per_cell == 1 && is_number(d.type) && d.type.id != TypeId::boolean && !missing(d.domain.low) &&
           !missing(d.domain.high);
  };
  if (schema.sparse) {
    for (Dimension& dimension : schema.dimensions)
      if (missing(dimension.tile) && plain(dimension)) choose_sparse_extent(dimension);
  } else if (std::all_of(schema.dimensions.begin(), schema.dimensions.end(),
                         [&](const Dimension& d) { return plain(d) && !d.type.is_float(); })) {
    choose_dense_extents(schema);
  }
  return schema;
}

}  // namespace tegula::tiledb
