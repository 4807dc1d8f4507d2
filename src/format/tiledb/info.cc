#include "format/tiledb/info.h"

#include <algorithm>
#include <map>

#include "format/tiledb/fragment/tile_fetch.h"
#include "format/tiledb/fragment/tile_source.h"

namespace tegula::tiledb {

namespace {

void widen(std::optional<std::vector<Range>>& all, const NdRange& box, std::span<const DimensionType> types) {
  if (box.size() != types.size()) return;
  if (!all) {
    all = box;
    return;
  }
  for (std::size_t d = 0; d < box.size(); ++d) {
    const auto less = [&](const Value& a, const Value& b) {
      Bytes x, y;
      value_to_bytes(types[d].type, a, x);
      value_to_bytes(types[d].type, b, y);
      return compare_values(types[d].type, types[d].var, x, y) < 0;
    };
    if (less(box[d].low, (*all)[d].low)) (*all)[d].low = box[d].low;
    if (less((*all)[d].high, box[d].high)) (*all)[d].high = box[d].high;
  }
}

std::uint64_t decoded(const Fragment& fragment, const StoredField& field) {
  std::uint64_t bytes = 0;
  for (std::uint64_t t = 0; t < stored_tiles(fragment); ++t) bytes += decoded_bytes({&fragment, &field, t});
  return bytes;
}

// How many tiles of a dense array have cells in some fragment: tiles that several fragments hold count once. Where
// counting would take long, returns the smaller of `expected` and `stored`, the sum over all fragments.
std::uint64_t covered_tiles(const DenseGrid& grid, const std::vector<FragmentInfo>& fragments, std::uint64_t expected,
                            std::uint64_t stored) {
  constexpr std::uint64_t kMost = 1 << 24;
  if (fragments.size() < 2 || expected > kMost || stored > kMost) return std::min(stored, expected);
  std::vector<bool> seen(expected);
  std::uint64_t count = 0;
  for (const FragmentInfo& fragment : fragments) {
    std::vector<std::uint64_t> first, last;
    for (std::size_t d = 0; d < grid.dimensions() && d < fragment.domain.size(); ++d) {
      const auto low = grid.index(d, fragment.domain[d].low), high = grid.index(d, fragment.domain[d].high);
      if (!low || !high || *high < *low) break;
      first.push_back(*low / grid.extent[d]);
      last.push_back(*high / grid.extent[d]);
    }
    if (first.size() != grid.dimensions()) continue;
    for (std::vector<std::uint64_t> at = first; count < expected;) {
      std::uint64_t tile = 0;
      for (std::size_t d = 0; d < at.size(); ++d) tile = tile * (grid.last[d] / grid.extent[d] + 1) + at[d];
      count += !seen[tile];
      seen[tile] = true;
      std::size_t d = at.size();
      while (d > 0 && at[d - 1] == last[d - 1]) at[d - 1] = first[d - 1], --d;
      if (d == 0) break;
      ++at[d - 1];
    }
  }
  return count;
}

}  // namespace

Info array_info(const Snapshot& snapshot, const Work& work) {
  Info info;
  const std::vector<DimensionType> types = snapshot.schema().range_types();
  std::map<std::string, FieldSize> sizes;
  std::vector<std::string> names;
  for (const FieldInfo& field : snapshot.fields()) {
    if (field.dimension && !snapshot.schema().sparse) continue;
    names.push_back(field.name);
  }
  std::vector<WantedPlaces> places;
  for (const auto& fragment : snapshot.fragments(work)) {
    places.push_back({fragment.get(), {}});
    for (const StoredField& field : fragment->fields()) places.back().fields.push_back(&field);
  }
  prefetch_tile_places(snapshot.files(), places, work);
  for (const auto& fragment : snapshot.fragments(work)) {
    FragmentInfo& one = info.fragments.emplace_back();
    one.name = fragment->name();
    one.first_time = fragment->first_time();
    one.last_time = fragment->last_time();
    one.version = fragment->version();
    one.sparse = !fragment->dense();
    one.cells = fragment->total_cells();
    one.domain = fragment->domain();
    info.chunks_present += stored_tiles(*fragment);
    widen(info.non_empty_domain, fragment->domain(), types);
    std::uint64_t in_coords = 0;
    for (const StoredField& field : fragment->fields()) in_coords += field.in_coords ? 1 : 0;
    for (const StoredField& field : fragment->fields()) {
      const FooterSlot& slot = fragment->footer().slots[field.slot];
      // Dimensions of old fragments share a file.
      const std::uint64_t stored =
          (slot.file_size + slot.var_file_size + slot.validity_file_size) / (field.in_coords ? in_coords : 1);
      one.bytes += stored;
      if (std::find(names.begin(), names.end(), field.name) == names.end()) names.push_back(field.name);
      FieldSize& size = sizes[field.name];
      size.stored += stored;
      size.decoded += decoded(*fragment, field);
    }
    info.stored_bytes += one.bytes;
  }
  for (const std::string& name : names) {
    FieldSize& size = info.fields.emplace_back(sizes[name]);
    size.name = name;
  }
  info.chunks_expected = info.chunks_present;
  if (!snapshot.schema().sparse) {
    info.chunks_expected = 1;
    for (std::size_t d = 0; d < snapshot.grid().dimensions(); ++d)
      if (__builtin_mul_overflow(info.chunks_expected, snapshot.grid().last[d] / snapshot.grid().extent[d] + 1,
                                 &info.chunks_expected))
        info.chunks_expected = UINT64_MAX;
    info.chunks_present = covered_tiles(snapshot.grid(), info.fragments, info.chunks_expected, info.chunks_present);
  }
  return info;
}

}  // namespace tegula::tiledb
