// Queries and their results.
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

// Parses "count(), sum(v), mn = min(v)". Without "name =" the result column is named by its text. Throws
// invalid_argument.
std::vector<Aggregate> parse_aggregates(std::string_view text);

struct DimensionRanges {
  std::string name;  // of a dimension or label
  std::vector<Range> ranges;
};

struct Query {
  std::optional<std::vector<std::string>> fields;  // default: all attributes, and the dimensions of sparse arrays
  std::vector<DimensionRanges> ranges;             // default: the whole dimension
  std::vector<DimensionRanges> label_ranges;
  std::optional<Selection> select;    // dense arrays, instead of ranges
  std::string where;                  // a condition, see docs/conditions.md
  std::vector<Aggregate> aggregates;  // instead of fields: one batch with one cell
  std::optional<Order> order;         // default: row for dense, unordered for sparse
  bool row_numbers = false;           // tables: adds the column "__row" (uint64)
  // A dense TileDB array of one dimension as a table: only the rows that match and that somebody wrote, without a
  // shape; row_numbers, skip and limit are allowed, and row numbers count from the start of the domain.
  bool rows = false;
  // TileDB: aggregates follow libtiledb's rules instead of those of every format (docs/conditions.md).
  bool as_libtiledb = false;
  std::uint64_t skip = 0;  // cells left out at the start of the result
  std::uint64_t limit = UINT64_MAX;
  Work work;  // batches stay under work.memory
};

// The result of a query, batch by batch. A dense result that fits the memory budget comes as a single batch with a
// shape. May be destroyed before its end. Not thread-safe.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  virtual std::optional<Batch> next() = 0;  // no value at the end
};

// Reads the whole stream into one batch, which may exceed the memory budget.
Batch collect(BatchStream& stream);

}  // namespace tegula
