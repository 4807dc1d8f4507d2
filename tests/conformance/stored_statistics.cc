#include "stored_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/endian.h"
#include "base/json.h"
#include "query/request/result_json.h"
#include "tegula/error.h"
#include "tegula/query.h"

namespace tegula::conformance {

namespace {

bool is_number(const auto& field) {
  return field.values_per_cell == 1 && (field.type.is_integer() || field.type.is_float());
}

// True for every cell. Arithmetic is not decided by statistics.
std::optional<std::string> always(const Schema& schema) {
  for (const Dimension& dimension : schema.dimensions)
    if (is_number(dimension)) return fmt::format("dim('{}') * 0 == 0", dimension.name);
  for (const Attribute& attribute : schema.attributes)
    if (is_number(attribute) && attribute.type.is_integer() && !attribute.nullable)
      return fmt::format("attr('{}') * 0 == 0", attribute.name);
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

std::optional<double> number(const std::optional<Column>& column) {
  if (!column) return std::nullopt;
  const Json value = parse_json(bytes_of(text(*column)), "an answer");
  const Json* one = value.contains("r") ? &value["r"] : nullptr;
  if (one && one->is_array() && one->size() == 1) one = &(*one)[0];
  return one && one->is_number() ? std::optional(one->get<double>()) : std::nullopt;
}

// Numbers around which tiles lie on either side.
std::vector<std::string> limits(const Array& array, const Attribute& attribute, unsigned threads) {
  const auto least = number(answer(array, {"r", AggregateOp::min, attribute.name}, "", threads));
  const auto most = number(answer(array, {"r", AggregateOp::max, attribute.name}, "", threads));
  if (!least || !most || !std::isfinite(*least) || !std::isfinite(*most)) return {};
  std::vector<std::string> out;
  for (const double x : {*least, *least / 2 + *most / 2, *most}) out.push_back(fmt::format("{:.0f}", std::floor(x)));
  return out;
}

// Which tiles a condition leaves out is decided by their statistics; with arithmetic, none.
void check_conditions(const Array& array, const Attribute& attribute, unsigned threads, std::size_t& checks,
                      std::vector<std::string>& wrong) {
  const Aggregate count{"r", AggregateOp::count, ""};
  for (const std::string& limit : limits(array, attribute, threads))
    for (const char* op : {"<", ">=", "==", "!="}) {
      const std::string test = fmt::format("{} {}", op, limit);
      const auto quick = answer(array, count, fmt::format("attr('{}') {}", attribute.name, test), threads);
      const auto slow = answer(array, count, fmt::format("attr('{}') + 0 {}", attribute.name, test), threads);
      if (!quick || !slow) continue;
      ++checks;
      if (text(*quick) != text(*slow))
        wrong.push_back(
            fmt::format("'{}' {}: {} cells, by their values {}", attribute.name, test, text(*quick), text(*slow)));
    }
}

}  // namespace

std::vector<std::string> wrong_statistics(const Array& array, unsigned threads, std::size_t& checks) {
  std::vector<std::string> wrong;
  const Schema& schema = array.schema();
  const std::optional<std::string> where = always(schema);
  if (schema.format != "tiledb" || !where) return wrong;
  for (const Attribute& attribute : schema.attributes) {
    if (is_number(attribute) && attribute.enumeration.empty())
      check_conditions(array, attribute, threads, checks, wrong);
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
