#include "convert/convert.h"

#include <algorithm>

#include "base/fail.h"
#include "convert/blocks.h"
#include "convert/cell_types.h"
#include "convert/metadata.h"
#include "format/open.h"
#include "model/strided.h"

namespace tegula {

namespace {

// Null cells of a column become the fill value; the column is no longer nullable.
void drop_nulls(Column& column, const Attribute& to) {
  if (!column.nullable) return;
  const std::uint64_t size = column.cell_size();
  for (std::size_t i = 0; i < column.validity.size() && !column.var(); ++i)
    if (!column.valid(i) && to.fill.size() == size)
      std::copy(to.fill.begin(), to.fill.end(), column.data.begin() + static_cast<std::ptrdiff_t>(i * size));
  column.nullable = false;
  column.validity.clear();
}

void shape_column(Column& column, const Attribute& to) {
  if (!to.nullable) drop_nulls(column, to);
  as_type(column, to);
  column.name = to.name;
}

std::uint64_t cells_at_once(const Schema& schema, const Work& work) {
  std::uint64_t bytes = 1;
  for (const Attribute& a : schema.attributes) bytes += std::max<std::uint64_t>(a.cell_size(), 16);
  return std::max<std::uint64_t>(1, work.memory / 4 / bytes);
}

void copy_dense(const Array& from, const std::vector<std::string>& sources, Array& to, const Work& work) {
  // A copy: a write may replace what schema() refers to.
  const Schema schema = to.schema();
  const Blocks blocks(schema.shape(), schema.chunks(), cells_at_once(schema, work));
  if (work.progress) work.progress->begin("copying", blocks.count());
  Work quiet = work;
  quiet.progress = nullptr;
  for (std::uint64_t i = 0; i < blocks.count(); ++i) {
    work.check();
    Query query;
    query.fields = sources;
    query.select = blocks.selection(i);
    query.work = quiet;
    Batch batch = collect(*from.query(query));
    for (std::size_t field = 0; field < sources.size(); ++field)
      shape_column(batch.columns.at(field), schema.attributes.at(field));
    WriteOptions options;
    options.work = quiet;
    const Column& first = batch.columns.at(0);
    const bool alone = batch.columns.size() == 1 && !first.var() && !first.nullable;
    const std::vector<std::uint64_t> extent = blocks.extent(i);
    if (alone)
      to.write(blocks.selection(i), first.name,
               {first.data.data(), extent, contiguous_strides(extent, first.cell_size())}, options);
    else
      to.write(blocks.selection(i), batch, options);
    if (work.progress) work.progress->advance(1);
  }
  if (work.progress) work.progress->end();
}

void copy_rows(const Array& from, const std::vector<std::string>& sources, Array& to, const Work& work) {
  Query query;
  query.work = work;
  query.work.memory = work.memory / 4;
  query.work.progress = nullptr;
  if (from.schema().sparse) query.order = Order::global;
  query.fields.emplace();
  if (from.schema().sparse && to.schema().sparse)
    for (const Dimension& d : from.schema().dimensions) query.fields->push_back(d.name);
  query.fields->insert(query.fields->end(), sources.begin(), sources.end());
  WriteOptions options;
  options.work = query.work;
  options.order = Order::global;
  if (work.progress) work.progress->begin("copying rows", 0);
  const std::unique_ptr<BatchStream> batches = from.query(query);
  while (std::optional<Batch> batch = batches->next()) {
    work.check();
    for (Column& column : batch->columns)
      if (const Attribute* attribute = to.schema().attribute(column.name)) shape_column(column, *attribute);
    if (batch->cells == 0) continue;
    if (to.schema().sparse)
      to.write(*batch, options);
    else
      to.append(*batch, options);
    if (work.progress) work.progress->advance(batch->cells);
  }
  if (work.progress) work.progress->end();
}

}  // namespace

std::shared_ptr<Array> convert(const Array& source, std::shared_ptr<Store> store, const ConvertOptions& options,
                               const Work& work) {
  Target target = plan_target(source, options.target);
  if (!target.losses.empty() && !options.lossy) {
    std::string list;
    for (const std::string& loss : target.losses) list += "\n  " + loss;
    fail(ErrorKind::unsupported, "{} cannot hold:{}\nWith --lossy the rest is copied.", target.schema.format, list);
  }
  const bool rows = target.schema.table || target.schema.sparse;
  if (rows && target.schema.table && !target.schema.dimensions.empty()) target.schema.dimensions[0].domain = {};
  const std::shared_ptr<Array> to = create(std::move(store), target.schema, options.create);
  if (rows)
    copy_rows(source, target.sources, *to, work);
  else
    copy_dense(source, target.sources, *to, work);
  if (const auto changes = metadata_for(source.metadata(), target.schema.format); !changes.empty()) {
    WriteOptions write;
    write.work = work;
    to->update_metadata(changes, write);
  }
  return to;
}

}  // namespace tegula
