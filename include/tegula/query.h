// What can be asked of an array.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tegula/columns.h"
#include "tegula/selection.h"
#include "tegula/work.h"

namespace tegula {

enum class AggregateOp : std::uint8_t { count, sum, min, max, mean, null_count, std };

struct Aggregate {
  std::string name;  // of the result column
  AggregateOp op = AggregateOp::count;
  std::string field;  // empty for count
};

// "count(),sum(v), mn = min(v)". Names default to the text. Throws invalid_argument.
std::vector<Aggregate> parse_aggregates(std::string_view text);

struct DimensionRanges {
  std::string name;  // of a dimension or label
  std::vector<Range> ranges;
};

struct Query {
  std::optional<std::vector<std::string>> fields;  // default: every attribute; sparse arrays: dimensions too
  std::vector<DimensionRanges> ranges;             // dimensions not named are whole
  std::vector<DimensionRanges> label_ranges;
  std::optional<Selection> select;    // dense arrays; instead of ranges
  std::string where;                  // a condition, see docs/conditions.md
  std::vector<Aggregate> aggregates;  // instead of fields: one batch with one cell
  std::optional<Order> order;         // default: row for dense, unordered for sparse
  bool row_numbers = false;           // tables: adds the column "__row" (uint64)
  std::uint64_t skip = 0;
  std::uint64_t limit = UINT64_MAX;
  Work work;  // batches stay under work.memory
};

// Results in pieces. Not thread-safe; may be dropped at any point. Dense results that fit the budget come as one
// batch with its shape.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  virtual std::optional<Batch> next() = 0;
};

// Takes the whole stream; the caller answers for the memory.
Batch collect(BatchStream& stream);

}  // namespace tegula
