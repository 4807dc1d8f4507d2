#include "run/reading.h"

#include <algorithm>

#include "base/fail.h"
#include "query/columns/gather.h"
#include "query/request/request.h"
#include "run/written_part.h"

namespace tegula::cli {

void PartFlags::describe(Verb& verb) {
  verb.option("-f,--fields", fields, "A,B", "fields to read (default: all)")
      .option("-r,--range", ranges, "DIM=LO:HI", "part of a dimension, both ends included; repeatable")
      .option("-s,--select", select, "TEXT", "numpy-like selection of a dense array or table: '[2:5, ::2]'")
      .option("-w,--where", where, "EXPR", "condition on the cells: \"a > 3 and name == 'x'\"")
      .option("--order", order, "ORDER", "row, col, global or unordered")
      .option("-n,--limit", limit, "N", "at most N cells");
}

bool PartFlags::any() const {
  return fields || !ranges.empty() || !select.empty() || !where.empty() || !order.empty() || limit;
}

Query PartFlags::query(const Schema& schema, const Globals& globals) const {
  Query query;
  if (fields) query.fields = split_names(*fields);
  if (fields)
    for (std::string& name : *query.fields) name = field_named(name, schema);
  for (const std::string& range : ranges)
    add_range(schema.dimension(range.substr(0, range.find('='))) ? query.ranges : query.label_ranges, range, schema);
  if (!select.empty()) {
    if (!ranges.empty()) fail(ErrorKind::invalid_argument, "--select and --range exclude each other");
    query.select = parse_selection(select);
  }
  query.where = where;
  if (!order.empty()) query.order = parse_order(order);
  if (limit) query.limit = *limit;
  query.work = globals.work;
  return query;
}

namespace {

bool plain_dense(const Schema& schema) { return !schema.sparse && !schema.table; }

// The leading part of a dense array that holds the first `limit` cells, so that no more than that is decoded.
Selection leading_part(const std::vector<std::uint64_t>& shape, std::uint64_t limit) {
  Selection part;
  std::uint64_t below = 1;  // cells of one index along the axis
  std::vector<std::uint64_t> counts(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::uint64_t wanted = (std::max<std::uint64_t>(limit, 1) + below - 1) / below;
    counts[i] = std::min(shape[i], wanted);
    below = shape[i] != 0 && below > limit / shape[i] ? limit + 1 : below * std::max<std::uint64_t>(shape[i], 1);
  }
  for (const std::uint64_t count : counts) part.axes.push_back(Slice{0, static_cast<std::int64_t>(count), 1});
  return part;
}

// A budget for the first `limit` cells: batches are as large as memory allows, and only the first ones are needed.
std::uint64_t memory_for(const Schema& schema, std::uint64_t limit) {
  constexpr std::uint64_t kLeast = 8 << 20;
  std::uint64_t cell = 8 * schema.dimensions.size();
  for (const Attribute& attribute : schema.attributes) cell += std::max<std::uint64_t>(attribute.cell_size(), 32);
  return kLeast + (limit > UINT64_MAX / 8 / cell ? UINT64_MAX / 2 : 4 * limit * cell);
}

}  // namespace

bool plain_table(const Schema& schema) {
  return plain_dense(schema) && schema.dimensions.size() == 1 && schema.attributes.size() > 1;
}

void with_coordinates(Query& query, const Schema& schema) {
  if (query.fields || !query.aggregates.empty() || !plain_dense(schema) || schema.dimensions.empty()) return;
  query.fields.emplace();
  for (const Dimension& dimension : schema.dimensions) query.fields->push_back(dimension.name);
  for (const Attribute& attribute : schema.attributes) query.fields->push_back(attribute.name);
}

void stream(const Array& array, Query query, Output& output) {
  leave_out_the_unwritten(query, array);
  std::uint64_t left = UINT64_MAX;
  if (plain_dense(array.schema()) && query.aggregates.empty() && query.limit != UINT64_MAX && !query.rows) {
    left = query.limit;
    query.limit = UINT64_MAX;
    const bool row = !query.order || *query.order == Order::row;
    if (!query.select && query.ranges.empty() && query.label_ranges.empty() && row)
      query.select = leading_part(array.schema().shape(), left);
    query.work.memory = std::min(query.work.memory, memory_for(array.schema(), left));
  }
  const std::unique_ptr<BatchStream> batches = array.query(query);
  while (std::optional<Batch> batch = batches->next()) {
    // Row numbers are the last column of the result; readers expect them first.
    if (query.row_numbers && batch->columns.size() > 1 && batch->columns.back().name == "__row")
      std::rotate(batch->columns.begin(), batch->columns.end() - 1, batch->columns.end());
    if (batch->cells <= left) {
      output.add(*batch);
      left -= left == UINT64_MAX ? 0 : batch->cells;
    } else {
      Batch part = slice(*batch, 0, left);
      part.shape.reset();
      output.add(part);
      left = 0;
    }
    if (left == 0) break;
  }
  output.finish();
}

}  // namespace tegula::cli
