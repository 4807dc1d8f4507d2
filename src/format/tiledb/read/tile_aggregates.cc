#include "format/tiledb/read/tile_aggregates.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "format/tiledb/read/tile_pruning.h"

namespace tegula::tiledb {

namespace {

class OneBatch final : public BatchStream {
 public:
  explicit OneBatch(Batch batch) : batch_(std::move(batch)) {}
  std::optional<Batch> next() override { return std::exchange(batch_, std::nullopt); }

 private:
  std::optional<Batch> batch_;
};

// Whether a stored sum of signed integers may have overflowed on the way: libtiledb then continues from the limit of
// int64. Sums of other types stay at their limit.
bool may_have_overflowed(const Fragment& fragment, const StoredField& field, std::uint64_t tile, std::uint64_t cells) {
  if (field.type.size < 8 || field.type.arithmetic() != TypeId::int64) return false;
  const std::optional<Fragment::Extremes> extremes = fragment.extremes(field, tile);
  if (!extremes || extremes->min.size() != 8 || extremes->max.size() != 8) return true;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t bound = kMost / static_cast<std::int64_t>(std::max<std::uint64_t>(1, cells));
  return load_le<std::int64_t>(extremes->min.data()) < -bound || load_le<std::int64_t>(extremes->max.data()) > bound;
}

}  // namespace

std::unique_ptr<BatchStream> one_batch(Batch batch) { return std::make_unique<OneBatch>(std::move(batch)); }

bool add_statistics(AggregateSet& set, std::span<const Aggregate> aggregates, const Fragment& fragment,
                    std::uint64_t tile, std::uint64_t cells) {
  std::vector<AggregateStats> all(aggregates.size());
  for (std::size_t i = 0; i < aggregates.size(); ++i) {
    AggregateStats& stats = all[i];
    stats.cells = cells;
    const std::optional<std::size_t> input = set.field_of(i);
    if (!input) continue;
    const FieldInfo& field = set.fields()[*input];
    const StoredField* stored = stored_field(fragment, field);
    if (!stored || field.dimension || !(stored->type == field.type) ||
        stored->values_per_cell != field.values_per_cell || stored->nullable != field.nullable)
      return false;
    const AggregateOp op = aggregates[i].op;
    const Fragment::Trust trust = fragment.trust(*stored);
    if (field.nullable) {
      if (!trust.null_counts) return false;
      const auto nulls = fragment.null_counts(stored->slot);
      if (tile >= nulls.size() || nulls[tile] > cells) return false;
      stats.null_count = nulls[tile];
    }
    if (op == AggregateOp::min || op == AggregateOp::max) {
      const std::optional<Fragment::Extremes> extremes = fragment.extremes(*stored, tile);
      if (!extremes) return false;
      stats.min = extremes->min;
      stats.max = extremes->max;
    }
    if (op == AggregateOp::sum || op == AggregateOp::mean) {
      if (!trust.sums) return false;
      const auto sums = fragment.sums(stored->slot);
      if (tile >= sums.size() || may_have_overflowed(fragment, *stored, tile, cells)) return false;
      stats.sum = std::as_bytes(sums.subspan(tile, 1));
    }
    if (!set[i].can_add(stats)) return false;
  }
  for (std::size_t i = 0; i < aggregates.size(); ++i) set[i].add(all[i]);
  return true;
}

}  // namespace tegula::tiledb
