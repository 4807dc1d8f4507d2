#include "stored_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/endian.h"
#include "query/request/result_json.h"
#include "tegula/error.h"
#include "tegula/query.h"

namespace tegula::conformance {

namespace {

// True for every cell. Arithmetic is not decided by statistics.
std::optional<std::string> always(const Schema& schema) {
  for (const Dimension& dimension : schema.dimensions)
    if (dimension.values_per_cell == 1 && (dimension.type.is_integer() || dimension.type.is_float()))
      return fmt::format("dim('{}') * 0 == 0", dimension.name);
  return std::nullopt;
}

std::optional<Column> answer(const Array& array, const Aggregate& aggregate, const std::string& where,
                             unsigned threads) {
  Query query;
  query.aggregates = {aggregate};
  query.where = where;
  query.work.threads = threads;
  try {
    return collect(*array.query(query)).columns.at(0);
  } catch (const Error& error) {
    // Types that have no such aggregate, and domains that are too large.
    if (error.kind() != ErrorKind::invalid_argument && error.kind() != ErrorKind::unsupported) throw;
    return std::nullopt;
  }
}

std::string text(const Column& column) {
  Batch batch;
  batch.cells = 1;
  batch.columns = {column};
  batch.columns[0].name = "r";
  return result_json(batch, Dialect::common);
}

// The last digits of sums of floats depend on how cells are grouped.
bool close(const Column& a, const Column& b) {
  if (a.type.id != TypeId::float64 || !a.valid(0) || !b.valid(0)) return false;
  const auto x = load_le<double>(a.data.data()), y = load_le<double>(b.data.data());
  return std::fabs(x - y) <= 1e-9 * std::max({1.0, std::fabs(x), std::fabs(y)});
}

}  // namespace

std::vector<std::string> wrong_statistics(const Array& array, unsigned threads, std::size_t& checks) {
  std::vector<std::string> wrong;
  const Schema& schema = array.schema();
  const std::optional<std::string> where = always(schema);
  if (schema.format != "tiledb" || !where) return wrong;
  for (const Attribute& attribute : schema.attributes) {
    for (const AggregateOp op : {AggregateOp::count, AggregateOp::sum, AggregateOp::min, AggregateOp::max,
                                 AggregateOp::mean, AggregateOp::null_count}) {
      const Aggregate aggregate{"r", op, op == AggregateOp::count ? "" : attribute.name};
      const std::optional<Column> quick = answer(array, aggregate, "", threads);
      const std::optional<Column> slow = quick ? answer(array, aggregate, *where, threads) : std::nullopt;
      if (!quick || !slow) continue;
      ++checks;
      if (text(*quick) != text(*slow) && !close(*quick, *slow))
        wrong.push_back(fmt::format("aggregate {} of '{}' is {}, of the cells {}", static_cast<int>(op), attribute.name,
                                    text(*quick), text(*slow)));
    }
  }
  return wrong;
}

}  // namespace tegula::conformance
