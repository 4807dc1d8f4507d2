#include "input/data_input.h"

#include <algorithm>

#include "base/error_message.h"
#include "base/fail.h"
#include "base/json.h"
#include "convert/cell_types.h"
#include "model/strided.h"
#include "query/request/cell_input.h"
#include "query/request/request.h"
#include "query/request/value_text.h"

namespace tegula::cli {

namespace {

struct CsvField {
  std::string text;
  bool quoted = false;
};

// One record of CSV; false at the end. `line` is the one that it ends on, for messages.
bool next_record(const std::string& text, std::size_t& at, std::vector<CsvField>& fields, std::uint64_t& line,
                 const std::string& name) {
  if (at >= text.size()) return false;
  fields.assign(1, {});
  bool quoted = false;
  const std::uint64_t first_line = ++line;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"') {
        line += c == '\n';
        fields.back().text += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        fields.back().text += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = fields.back().quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c != '\r') {
      fields.back().text += c;
    }
  }
  if (quoted) fail(ErrorKind::invalid_argument, "{}, line {}: a quote is opened and never closed", name, first_line);
  return true;
}

}  // namespace

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
    std::string known;
    if (schema.sparse)
      for (const Dimension& dim : schema.dimensions) known += (known.empty() ? "" : ", ") + dim.name;
    for (const Attribute& attribute : schema.attributes) known += (known.empty() ? "" : ", ") + attribute.name;
    fail(ErrorKind::invalid_argument, "there is no field '{}'; the array has {}", name, known);
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

Batch read_csv(const std::string& text, const Schema& schema, const std::string& name) {
  Batch batch;
  std::size_t at = 0;
  std::uint64_t line = 0;
  std::vector<CsvField> fields;
  if (!next_record(text, at, fields, line, name))
    fail(ErrorKind::invalid_argument, "{} is empty; its first line names the fields", name);
  const bool unnamed = schema.attributes.size() == 1 && schema.attributes[0].name.empty();
  for (const CsvField& field : fields)
    batch.columns.push_back(empty_column(unnamed && field.text == "value" ? "" : field.text, schema));
  check_all_there(batch, schema, name);
  while (next_record(text, at, fields, line, name)) {
    if (fields.size() == 1 && fields[0].text.empty() && batch.columns.size() > 1) continue;
    if (fields.size() != batch.columns.size())
      fail(ErrorKind::invalid_argument, "{}, line {}: {} fields, the header has {}", name, line, fields.size(),
           batch.columns.size());
    for (std::size_t c = 0; c < fields.size(); ++c) {
      try {
        append_cell_text(batch.columns[c], fields[c].text, fields[c].quoted);
      } catch (const Error& error) {
        fail(ErrorKind::invalid_argument, "{}, line {}, field '{}': {}", name, line, batch.columns[c].name,
             error_message(error));
      }
    }
    ++batch.cells;
  }
  return batch;
}

Batch read_json_cells(const std::string& text, const Schema& schema, const std::string& name) {
  Json document = json_argument(text, name);
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

Column column_of_npy(const NpyArray& array, const Attribute& attribute) {
  Column column;
  column.name = attribute.name;
  column.type = array.type;
  column.data = array.data;
  if (array.fortran && array.shape.size() > 1) {
    const std::size_t item = array.type.full_size();
    copy_box(column.data.data(), contiguous_strides(array.shape, item), array.data.data(),
             contiguous_strides(array.shape, item, true), array.shape, item);
  }
  if (attribute.type.id == array.type.id || attribute.type.is_text()) {
    as_type(column, attribute);
    return column;
  }
  // Another number type: converts value by value; throws for one that does not fit.
  Column out;
  out.name = attribute.name;
  out.type = attribute.type;
  const std::size_t cells = column.data.size() / std::max<std::uint64_t>(1, column.type.full_size());
  std::string text;
  for (std::size_t i = 0; i < cells; ++i) {
    text.clear();
    append_json_value(text, column.type, column.data.data() + i * column.type.full_size(), Dialect::tiledb);
    append_cell(out, parse_json(bytes_of(text), "a value"));
  }
  return out;
}

}  // namespace tegula::cli
