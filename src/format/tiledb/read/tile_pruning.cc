#include "format/tiledb/read/tile_pruning.h"

#include <optional>
#include <vector>

#include "format/tiledb/read/snapshot.h"

namespace tegula::tiledb {

const StoredField* stored_field(const Fragment& fragment, const FieldInfo& field) {
  return field.dimension ? fragment.field(field.name) : stored_attribute(fragment, field);
}

Match match_by_statistics(const Condition& condition, const Fragment& fragment, std::uint64_t tile) {
  if (condition.empty()) return Match::all;
  std::vector<FieldStats> stats;
  for (const FieldInfo& field : condition.fields()) {
    FieldStats& known = stats.emplace_back();
    known.cells = fragment.cells(tile);
    const StoredField* stored = stored_field(fragment, field);
    known.absent = stored == nullptr;
    if (!stored) continue;
    if (field.dimension) {
      const MbrTable& mbrs = fragment.rtree().leaves();
      const std::size_t d = stored->index;
      known.min = mbrs.low(d, tile);
      known.max = mbrs.high(d, tile);
      known.no_nan = true;
      continue;
    }
    // Added again with another type: the statistics are those of the old one.
    if (!(stored->type == field.type)) continue;
    const Fragment::Trust trust = fragment.trust(*stored);
    if (stored->nullable) {
      const auto nulls = fragment.null_counts(stored->slot);
      if (!trust.null_counts || tile >= nulls.size()) continue;
      known.null_count = nulls[tile];
    }
    const std::optional<Fragment::Extremes> extremes = fragment.extremes(*stored, tile);
    if (!extremes) continue;
    known.min = extremes->min;
    known.max = extremes->max;
    known.no_nan = true;
  }
  return condition.may_match(stats);
}

}  // namespace tegula::tiledb
