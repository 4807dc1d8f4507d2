// Runs a query and passes the result to an output.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/command.h"
#include "output/output.h"
#include "tegula/array.h"

namespace tegula::cli {

// The flags that say which cells: shared by read, head, stats, plot and diff.
struct PartFlags {
  std::optional<std::string> fields;
  std::vector<std::string> ranges;
  std::string select;
  std::string where;
  std::string order;
  std::optional<std::uint64_t> limit;

  void describe(Verb& verb);
  bool any() const;
  Query query(const Schema& schema, const Globals& globals) const;
};

// Streams the result of `query` into `output`, at most query.limit cells of it. A query for all of a huge domain
// becomes one for what was written.
void stream(const Array& array, Query query, Output& output);

// A dense array that is read as a table: of one dimension, with several attributes, as data frames are stored.
bool plain_table(const Schema& schema);

// Adds the coordinates to the fields of a dense result, so that a reader sees where each cell is.
void with_coordinates(Query& query, const Schema& schema);

}  // namespace tegula::cli
