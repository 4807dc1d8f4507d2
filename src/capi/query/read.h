// Reads: results flow into the buffers of the caller as far as these go, and on from there with the next submit.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "capi/query/query.h"

namespace tegula::capi {

class Reader {
 public:
  // Checks the buffers. Throws Refusal.
  explicit Reader(QueryState& query);
  void submit();

 private:
  Query engine_query() const;
  std::optional<Batch> next_batch();
  std::uint64_t fitting(const Batch& batch, std::uint64_t first, std::uint64_t count) const;
  void copy(const Batch& batch, std::uint64_t first, std::uint64_t count);
  void copy_offsets(const Column& column, std::size_t field, std::uint64_t first, std::uint64_t count);
  void report();
  void add_aggregates();

  // What the buffers of a field hold since the last submit.
  struct Filled {
    std::uint64_t cells = 0, data = 0;
  };
  QueryState& query_;
  const OffsetStyle style_;
  std::vector<std::size_t> cells_;  // buffers of fields, as places in the query's list
  std::vector<QueryField> fields_;  // of all buffers
  std::vector<Filled> filled_;
  std::deque<Query> queries_;  // not begun; results follow each other
  std::unique_ptr<BatchStream> stream_;
  std::optional<Batch> batch_;  // not all given yet
  std::uint64_t given_ = 0;     // cells of it
};

// Type and size of the result of an aggregate.
QueryField aggregate_field(const QueryState& query, const Aggregate& aggregate);

}  // namespace tegula::capi
