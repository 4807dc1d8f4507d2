#include "input/data_input.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "base/json.h"
#include "base/name_list.h"
#include "convert/cell_types.h"
#include "query/columns/gather.h"
#include "query/request/cell_input.h"
#include "query/request/request.h"
#include "query/request/value_text.h"

namespace tegula::cli {

Column empty_column(const std::string& name, const Schema& schema) {
  Column column;
  column.name = name;
  if (const Attribute* a = schema.attribute(name)) {
    column.type = a->type;
    column.values_per_cell = a->values_per_cell;
    column.nullable = a->nullable;
  } else if (const Dimension* d = schema.dimension(name); d && schema.sparse) {
    column.type = d->type;
    column.values_per_cell = d->values_per_cell;
  } else {
    std::vector<std::string_view> known;
    if (schema.sparse)
      for (const Dimension& dim : schema.dimensions) known.push_back(dim.name);
    for (const Attribute& attribute : schema.attributes) known.push_back(attribute.name);
    fail(ErrorKind::invalid_argument, "there is no field '{}'; the array has {}", name, name_list(known));
  }
  if (column.var()) column.offsets.push_back(0);
  return column;
}

void check_all_there(const Batch& batch, const Schema& schema, const std::string& name) {
  const auto need = [&](const std::string& field) {
    if (!batch.column(field)) fail(ErrorKind::invalid_argument, "{} has no field '{}'", name, field);
  };
  if (schema.sparse)
    for (const Dimension& d : schema.dimensions) need(d.name);
  for (const Attribute& a : schema.attributes) need(a.name);
}

DataKind data_kind(const std::string& path, const std::string& as) {
  const std::string end = as.empty() ? path.substr(std::min(path.size(), path.rfind('.') + 1)) : as;
  if (end == "npy") return DataKind::npy;
  if (end == "csv") return DataKind::csv;
  if (end == "json") return DataKind::json;
  if (end == "arrow" || end == "arrows" || end == "feather") return DataKind::arrow;
  fail(ErrorKind::invalid_argument,
       "what is in '{}'? Its name should end in .npy, .csv, .json or .arrow, or say --as npy|csv|json|arrow", path);
}

namespace {

class BatchRows final : public Rows {
 public:
  explicit BatchRows(Batch batch) : batch_(std::move(batch)) {}
  std::optional<Batch> next(std::uint64_t rows, std::uint64_t) override {
    const std::uint64_t count = std::min(rows, batch_.cells - at_);
    if (count == 0) return std::nullopt;
    if (at_ == 0 && count == batch_.cells) {
      at_ = count;
      const std::uint64_t cells = batch_.cells;
      Batch all = std::exchange(batch_, {});
      batch_.cells = cells;
      return all;
    }
    Batch part = slice(batch_, at_, count);
    at_ += count;
    return part;
  }

 private:
  Batch batch_;
  std::uint64_t at_ = 0;
};

}  // namespace

std::unique_ptr<Rows> rows_of(Batch batch) { return std::make_unique<BatchRows>(std::move(batch)); }

Batch read_json_cells(const InputFile& file, const Schema& schema) {
  const std::string& name = file.name();
  Json document = json_argument(std::string(text_of(file.piece(0, file.size()))), name);
  Batch batch;
  if (document.is_object() && document.contains("fields") && document["fields"].is_object())
    document = Json(document["fields"]);
  if (document.is_object()) {
    for (const auto& [key, values] : document.items()) {
      if (!values.is_array()) fail(ErrorKind::invalid_argument, "{}: '{}' is no list of values", name, key);
      Column column = empty_column(key, schema);
      for (const Json& value : values) append_cell(column, value);
      if (!batch.columns.empty() && values.size() != batch.cells)
        fail(ErrorKind::invalid_argument, "{}: '{}' has {} values, the fields before it {}", name, key, values.size(),
             batch.cells);
      batch.cells = values.size();
      batch.columns.push_back(std::move(column));
    }
  } else if (document.is_array()) {
    if (!document.empty())
      for (const auto& [key, value] : document[0].items()) batch.columns.push_back(empty_column(key, schema));
    for (const Json& row : document) {
      if (!row.is_object()) fail(ErrorKind::invalid_argument, "{}: row {} is no object", name, batch.cells);
      for (Column& column : batch.columns) {
        const auto found = row.find(column.name);
        append_cell(column, found == row.end() ? Json() : *found);
      }
      ++batch.cells;
    }
  } else {
    fail(ErrorKind::invalid_argument, "{} holds neither an object of lists nor a list of objects", name);
  }
  check_all_there(batch, schema, name);
  return batch;
}

Column column_of_npy(const Datatype& type, Bytes cells, const Attribute& attribute) {
  Column column;
  column.name = attribute.name;
  column.type = type;
  column.data = std::move(cells);
  if (attribute.type.id == type.id || attribute.type.is_text()) {
    as_type(column, attribute);
    return column;
  }
  // Another number type: converts value by value; throws for one that does not fit.
  Column out;
  out.name = attribute.name;
  out.type = attribute.type;
  const std::size_t size = std::max<std::size_t>(1, type.full_size());
  std::string text;
  for (std::size_t i = 0; i < column.data.size() / size; ++i) {
    text.clear();
    append_json_value(text, type, column.data.data() + i * size, Dialect::common);
    append_cell(out, parse_json(bytes_of(text), "a value"));
  }
  return out;
}

}  // namespace tegula::cli
