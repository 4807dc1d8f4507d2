// Running aggregates over columns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/columns/field.h"
#include "tegula/columns.h"
#include "tegula/query.h"

namespace tegula {

// The statistics of a tile, from which an aggregate is answered without reading it. Only what the aggregate needs must
// be set.
struct AggregateStats {
  std::uint64_t cells = 0;
  std::uint64_t null_count = 0;
  ByteView min, max;            // one cell; ignored when every cell is null
  std::optional<ByteView> sum;  // 8 bytes: int64, uint64 or float64 by the field's type
};

// The rule of every format (docs/conditions.md, "Aggregates"), or what libtiledb does with TileDB arrays.
enum class AggregateRules : std::uint8_t { common, libtiledb };

// Throws invalid_argument when the query asks for libtiledb's rules: for arrays of other families.
void refuse_libtiledb_rules(const Query& query);

// One aggregate over one field. Not thread-safe: give each block of cells its own and merge them in the order of the
// blocks, so that results do not depend on threads. Integer sums are exact and saturate at the end.
class Accumulator {
 public:
  // `field` is ignored by count. Throws invalid_argument for an operation the field's type does not have.
  Accumulator(const Aggregate& aggregate, const FieldInfo& field, AggregateRules rules);
  Accumulator(Accumulator&&) noexcept;
  Accumulator& operator=(Accumulator&&) noexcept;
  ~Accumulator();

  // Cells first .. first + count, those with mask != 0 when there is a mask (one byte per cell of the range). An absent
  // view adds nothing, except to count.
  void update(const ColumnView& column, std::uint64_t first, std::uint64_t count, const std::uint8_t* mask = nullptr);
  // Whether these statistics give the exact answer; if so, add() may replace update().
  bool can_add(const AggregateStats& stats) const;
  void add(const AggregateStats& stats);
  // The cells of `later` come after the cells seen here. Both must be of the same aggregate and field.
  void merge(const Accumulator& later);

  // One cell named after the aggregate. Over nothing min, max, mean and std are null, and a sum is 0; by libtiledb's
  // rules all are null for nullable fields, else 0, NaN for mean and std, '' for text.
  Column finish() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

// All aggregates of a query, for readers that work block by block.
class AggregateSet {
 public:
  // Throws invalid_argument for unknown fields.
  AggregateSet(std::span<const Aggregate> aggregates, std::span<const FieldInfo> fields,
               AggregateRules rules = AggregateRules::common);

  // The fields they read, each once; columns are given in this order.
  const std::vector<FieldInfo>& fields() const { return fields_; }
  AggregateRules rules() const { return rules_; }
  void update(std::span<const ColumnView> columns, std::uint64_t first, std::uint64_t count,
              const std::uint8_t* mask = nullptr);
  void merge(const AggregateSet& later);
  // A set of the same aggregates that has seen nothing.
  AggregateSet fresh() const;
  Batch finish() const;  // one cell

  std::size_t size() const { return accumulators_.size(); }
  Accumulator& operator[](std::size_t i) { return accumulators_[i]; }
  // Index in fields(); no value for count.
  std::optional<std::size_t> field_of(std::size_t aggregate) const { return inputs_[aggregate]; }

 private:
  AggregateSet() = default;
  std::vector<Aggregate> aggregates_;
  std::vector<FieldInfo> fields_;
  std::vector<std::optional<std::size_t>> inputs_;
  std::vector<Accumulator> accumulators_;
  AggregateRules rules_ = AggregateRules::common;
};

}  // namespace tegula
