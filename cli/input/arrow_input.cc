#include "input/arrow_input.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "arrow/ipc_reader.h"
#include "base/endian.h"
#include "base/fail.h"
#include "convert/cell_types.h"
#include "input/data_input.h"
#include "query/request/cell_input.h"
#include "query/request/value_text.h"
#include "tegula/capabilities.h"

namespace tegula::cli {

namespace {

// Nulls of a column that is not nullable in the array: NaT for dates, an error for everything else.
void settle_nulls(Column& column, const Column& to) {
  if (to.nullable && !column.nullable) column.validity.resize(column.cells(), std::byte{1});
  if (!to.nullable && column.nullable) {
    const bool dates = column.type.is_date() && column.values_per_cell == 1;
    for (std::size_t i = 0; i < column.cells(); ++i) {
      if (column.valid(i)) continue;
      if (!dates) fail(ErrorKind::invalid_argument, "'{}': cell {} is null, and the field takes no nulls", to.name, i);
      store_le(column.data.data() + i * 8, std::numeric_limits<std::int64_t>::min());
    }
    column.validity.clear();
  }
  column.nullable = to.nullable;
}

bool same_dates(const Datatype& a, const Datatype& b) {
  return a.id == b.id && a.unit == b.unit && a.unit_count == b.unit_count;
}

// Converts cell by cell; throws for a value that does not fit.
Column rewritten(const Column& column, Column to) {
  std::string text;
  for (std::size_t i = 0; i < column.cells(); ++i) {
    text.clear();
    append_json_cell(text, column, i, Dialect::common);
    append_cell(to, parse_json(bytes_of(text), "a value"));
  }
  return to;
}

Column fit(Column column, Column to) {
  if (column.type.is_date() && to.type.is_date() && !same_dates(column.type, to.type))
    fail(ErrorKind::invalid_argument, "'{}' is {} in the file and {} in the array", to.name, display_name(column.type),
         display_name(to.type));
  settle_nulls(column, to);
  const bool opaque = column.type.id == TypeId::raw || column.type.id == TypeId::blob;
  const bool same = column.type.id == to.type.id && column.values_per_cell == to.values_per_cell;
  if (same || (opaque && !to.type.is_integer() && !to.type.is_float()) ||
      (column.var() && to.var() && to.type.is_text())) {
    if (opaque && !column.var() && column.cell_size() == to.cell_size()) {
      // A type that Arrow lacks was written as its bytes.
      column.type = to.type;
      column.values_per_cell = to.values_per_cell;
    } else {
      Attribute like;
      like.type = to.type;
      like.values_per_cell = to.values_per_cell;
      as_type(column, like);
    }
    column.name = to.name;
    return column;
  }
  return rewritten(column, std::move(to));
}

Batch fit_columns(Batch batch, const Schema& schema, const std::string& name) {
  const bool unnamed = schema.attributes.size() == 1 && schema.attributes[0].name.empty();
  Batch out;
  out.cells = batch.cells;
  for (Column& column : batch.columns) {
    Column to = empty_column(unnamed && column.name == "value" ? "" : column.name, schema);
    out.columns.push_back(fit(std::move(column), std::move(to)));
  }
  check_all_there(out, schema, name);
  return out;
}

ArrowReader reader_of(const InputFile& file) {
  return ArrowReader([&file](std::uint64_t offset, MutableBytes into) { file.read(offset, into); }, file.size(),
                     file.name());
}

class ArrowRows final : public Rows {
 public:
  ArrowRows(const InputFile& file, const Schema& schema, const Work& work)
      : reader_(reader_of(file)), schema_(schema), name_(file.name()), work_(work) {
    fit_columns(reader_.like(), schema_, name_);  // fields that do not fit are found before anything is written
  }
  std::optional<Batch> next(std::uint64_t rows, std::uint64_t bytes) override {
    for (;;) {
      work_.check();
      if (part_)
        if (std::optional<Batch> some = part_->next(rows, bytes)) return some;
      std::optional<Batch> batch = reader_.next();
      if (!batch) return std::nullopt;
      part_ = rows_of(fit_columns(*std::move(batch), schema_, name_));
    }
  }

 private:
  ArrowReader reader_;
  const Schema schema_;
  const std::string name_;
  const Work work_;
  std::unique_ptr<Rows> part_;  // of the last record batch
};

}  // namespace

std::unique_ptr<Rows> arrow_rows(const InputFile& file, const Schema& schema, const Work& work) {
  return std::make_unique<ArrowRows>(file, schema, work);
}

void schema_like(SchemaFlags& flags, const InputFile& file, const Work& work) {
  if (!flags.schema_file.empty()) return;
  ArrowReader reader = reader_of(file);
  const Batch& like = reader.like();
  // What only the cells tell.
  std::vector<std::size_t> longest(like.columns.size(), 1);
  std::vector<char> nulls(like.columns.size(), 0);
  std::uint64_t cells = 0;
  while (const std::optional<Batch> batch = reader.next()) {
    work.check();
    cells += batch->cells;
    for (std::size_t c = 0; c < batch->columns.size(); ++c) {
      const Column& column = batch->columns[c];
      for (std::size_t i = 0; column.var() && i < column.cells(); ++i)
        longest[c] = std::max(longest[c], column.cell(i).size());
      if (std::find(column.validity.begin(), column.validity.end(), std::byte{0}) != column.validity.end())
        nulls[c] = 1;
    }
  }
  const Capabilities can = flags.format.empty() ? Capabilities{} : capabilities(flags.format);
  const bool any_length = can.text && !can.numpy_types;
  if (!flags.table && !flags.sparse && flags.dimensions.empty() && flags.shape.empty())
    flags.shape = fmt::format("{}", cells);
  if (!flags.attributes.empty() || !flags.type.empty()) return;
  for (std::size_t c = 0; c < like.columns.size(); ++c) {
    const Column& column = like.columns[c];
    const auto is_dimension = [&](const std::string& text) { return text.starts_with(column.name + ":"); };
    if (std::any_of(flags.dimensions.begin(), flags.dimensions.end(), is_dimension)) continue;
    std::string type = display_name(column.type), more;
    if (column.var() && !any_length) {
      type = fmt::format("S{}", longest[c]);
    } else if (column.var()) {
      more = ":var";
    } else if (column.values_per_cell != 1) {
      more = fmt::format(":{}", column.values_per_cell);
    }
    if (can.nullable && nulls[c]) more += ":nullable";
    flags.attributes.push_back(column.name + ":" + type + more);
  }
}

}  // namespace tegula::cli
