#include "serve/api/api.h"

#include <algorithm>

#include "arrow/ipc_writer.h"
#include "base/error_message.h"
#include "base/fail.h"
#include "query/columns/gather.h"
#include "query/request/npy_header.h"
#include "query/request/request.h"
#include "query/request/result_json.h"
#include "serve/api/descriptions.h"
#include "serve/api/overview.h"
#include "serve/view/kept_cells.h"
#include "serve/view/view.h"

namespace tegula::serve {

namespace {

Answer json_answer(std::string text) {
  Answer answer = text_answer(200, text);
  answer.type = "application/json";
  return answer;
}

std::string parameter(const Request& request, std::string_view name, std::string_view otherwise) {
  const std::string* given = request.parameter(name);
  return given ? *given : std::string(otherwise);
}

std::uint64_t number_parameter(const Request& request, std::string_view name, std::uint64_t otherwise,
                               std::uint64_t most) {
  const std::string* given = request.parameter(name);
  if (!given) return otherwise;
  std::uint64_t value = 0;
  for (const char c : *given) {
    if (c < '0' || c > '9' || value > most) fail(ErrorKind::invalid_argument, "'{}' is no number up to {}", name, most);
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (given->empty() || value == 0 || value > most)
    fail(ErrorKind::invalid_argument, "'{}' must be a number from 1 to {}", name, most);
  return value;
}

// The whole result, which may not be larger than the share of the budget that a request has.
Batch result_of(const Array& array, const Query& query) {
  Batch all;
  const std::unique_ptr<BatchStream> stream = array.query(query);
  bool first = true;
  while (std::optional<Batch> next = stream->next()) {
    if (first)
      all = std::move(*next);
    else
      append(all, *next);
    first = false;
    if (held_bytes(all) > query.work.memory)
      throw Unavailable(fmt::format("the result takes more than the {} of a request; ask for less at a time",
                                    format_size(query.work.memory)));
  }
  return all;
}

void append_bytes(Bytes& out, ByteView bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

Answer npy_answer(const Column& column, std::vector<std::uint64_t> shape) {
  const std::optional<NpyLayout> layout = npy_layout(column);
  if (!layout) fail(ErrorKind::invalid_argument, "'{}' has cells of any length, which .npy does not hold", column.name);
  for (std::size_t i = 0; i < column.cells(); ++i)
    if (!column.valid(i)) fail(ErrorKind::invalid_argument, "'{}' has nulls, which .npy does not hold", column.name);
  shape.insert(shape.end(), layout->shape.begin(), layout->shape.end());
  Answer answer;
  answer.type = "application/x-npy";
  append_bytes(answer.body, bytes_of(npy_header(layout->type, shape)));
  append_bytes(answer.body, column.data);
  return answer;
}

Answer result_answer(Batch batch, const Schema& schema, const std::string& format) {
  if (format == "json") return json_answer(result_json(batch, Dialect::common));
  if (format == "npy") {
    if (batch.columns.size() != 1)
      fail(ErrorKind::invalid_argument, "a .npy holds one field, and the result has {}; name one in `fields`",
           batch.columns.size());
    return npy_answer(batch.columns[0], batch.shape.value_or(std::vector<std::uint64_t>{batch.cells}));
  }
  if (format != "arrow") fail(ErrorKind::invalid_argument, "the format '{}' is none of json, arrow, npy", format);
  Answer answer;
  answer.type = "application/vnd.apache.arrow.file";
  arrow::IpcWriter writer(schema, [&](ByteView bytes) { append_bytes(answer.body, bytes); });
  writer.add(std::make_shared<const Batch>(std::move(batch)));
  writer.finish();
  return answer;
}

Answer query_answer(const Request& request, const Array& array, const Work& work) {
  const Json document = json_argument(parameter(request, "query", "{}"), "query");
  if (document.is_object() && document.contains("open_at") && !document["open_at"].is_null())
    fail(ErrorKind::invalid_argument, "times are given in the path, as NAME@TIME");
  Query query = query_of(document, array.schema());
  query.work = work;
  return result_answer(result_of(array, query), array.schema(), parameter(request, "format", "json"));
}

// Aggregates of every field that has numbers.
Answer statistics_answer(const Request& request, const Array& array, const Work& work) {
  const Schema& schema = array.schema();
  const std::string only = parameter(request, "field", "");
  Query query;
  query.work = work;
  query.where = parameter(request, "where", "");
  query.aggregates = {{"count", AggregateOp::count, ""}};
  bool found = only.empty();
  for (const Attribute& a : schema.attributes) {
    const std::string shown = a.name.empty() ? "value" : a.name;
    if (!only.empty() && shown != only) continue;
    found = true;
    const bool numbers = (a.type.is_integer() || a.type.is_float() || a.type.is_date()) && a.values_per_cell == 1;
    constexpr std::pair<const char*, AggregateOp> kOps[] = {
        {"min", AggregateOp::min}, {"max", AggregateOp::max}, {"mean", AggregateOp::mean}, {"std", AggregateOp::std}};
    for (const auto& [name, op] : kOps)
      if (numbers && !(a.type.is_date() && (op == AggregateOp::mean || op == AggregateOp::std)))
        query.aggregates.push_back({fmt::format("{}({})", name, shown), op, a.name});
    if (a.nullable) query.aggregates.push_back({fmt::format("null_count({})", shown), AggregateOp::null_count, a.name});
  }
  if (!found) fail(ErrorKind::invalid_argument, "there is no field '{}'", only);
  return json_answer(result_json(result_of(array, query), Dialect::common));
}

Answer overview_answer(const Request& request, const Array& array, const Work& work) {
  OverviewRequest asked;
  asked.field = field_named(parameter(request, "field", "value"), array.schema());
  if (!request.parameter("field") && array.schema().attributes.size() == 1)
    asked.field = array.schema().attributes[0].name;
  asked.select = parse_selection(parameter(request, "select", "[...]"));
  asked.width = number_parameter(request, "width", 512, 4096);
  asked.height = number_parameter(request, "height", 512, 4096);
  asked.how = reduction(parameter(request, "how", "mean"));
  const std::string format = parameter(request, "format", "npy");
  const Overview made = overview_of(array, asked, work);
  if (format == "png") {
    Answer answer;
    answer.type = "image/png";
    append_bytes(answer.body, bytes_of(overview_png(made)));
    return answer;
  }
  Column column;
  column.name = asked.field;
  column.type = Datatype(TypeId::float64);
  column.data = copy_of(std::as_bytes(std::span(made.values)));
  Batch batch;
  batch.cells = made.values.size();
  batch.shape = std::vector<std::uint64_t>{made.height, made.width};
  batch.columns.push_back(std::move(column));
  return result_answer(std::move(batch), array.schema(), format);
}

Answer answer_for(const Request& request, const std::string& what, const std::shared_ptr<const Place>& place,
                  Tree& tree) {
  if (what == "list")
    return json_answer(strict_json(
        listing_json(tree, *place, parameter(request, "after", ""), number_parameter(request, "limit", 1000, 10000))));
  if (what == "info") return json_answer(strict_json(info_json(*place, tree.work())));
  if (!place->array) return text_answer(404, "there is no array; /api/list shows what is there");
  Work work = tree.work();
  if (what == "query") return query_answer(request, *place->array, work);
  if (what == "stats") return statistics_answer(request, *place->array, work);
  work.threads = 0;
  return overview_answer(request, *place->array, work);
}

}  // namespace

Answer Api::get(const Request& request, std::span<const std::string> path) {
  constexpr std::string_view kKnown[] = {"list", "info", "query", "stats", "overview"};
  if (path.empty() || std::ranges::find(kKnown, path[0]) == std::end(kKnown))
    return text_answer(404, "/api has list, info, query, stats and overview");
  const Tree::Way found = tree_->find(path.subspan(1));
  if (found.used + 1 != path.size()) return text_answer(404, "there is nothing of that name");
  try {
    Answer answer = answer_for(request, path[0], found.place, *tree_);
    answer.tag = tag_of(answer.body);
    return answer;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_argument) throw;
    return text_answer(400, error_message(error));
  }
}

}  // namespace tegula::serve
