#include "convert/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/fail.h"
#include "convert/blocks.h"
#include "convert/cell_types.h"
#include "convert/copy.h"
#include "convert/metadata.h"
#include "convert/pass_through.h"
#include "convert/resume_note.h"
#include "convert/written_boxes.h"
#include "format/registry/registry.h"
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

std::uint64_t cells_at_once(const Schema& schema, const Work& work) {
  return std::max<std::uint64_t>(1, work.memory / 4 / cell_bytes(schema));
}

// "zarr3 [400, 600] by [100, 100]: value float32 blosc:lz4:5:shuffle".
std::string describe_target(const Schema& schema) {
  std::string text = fmt::format("{} v{}", schema.format, schema.format_version);
  for (const Dimension& d : schema.dimensions) text += fmt::format(" {}:{}", d.name, display_name(d.type));
  if (!schema.sparse && !schema.table)
    text += fmt::format(" [{}] by [{}]", fmt::join(schema.shape(), ", "), fmt::join(schema.chunks(), ", "));
  for (const Attribute& a : schema.attributes) {
    text += fmt::format("; {} {} x{}", a.name, display_name(a.type), a.values_per_cell);
    for (const Filter& filter : a.filters) text += " " + display_name(filter);
  }
  return text;
}

// Changes of an array change its size or its fragments.
std::string describe_source(const Array& source, const std::string& name, const Work& work) {
  Work quiet = work;
  quiet.progress = nullptr;
  const Info info = source.info(quiet);
  const std::string last = info.fragments.empty() ? "" : ", last " + info.fragments.back().name;
  return fmt::format("{} ({} bytes, {} fragments{})", name, info.stored_bytes, info.fragments.size(), last);
}

void copy_dense(const Copy& copy) {
  // Taken now: a write may replace what schema() refers to.
  const Schema schema = copy.to.schema();
  if (!copy.resumed) copy.record.block_cells = cells_at_once(schema, copy.work);
  std::vector<Blocks> boxes;
  std::uint64_t count = 0;
  for (const CellBox& box : copy.boxes) {
    boxes.emplace_back(box, schema.chunks(), copy.record.block_cells);
    count += boxes.back().count();
  }
  check_blocks(copy, count);
  if (!copy.resumed) write_conversion(copy.store, copy.record);
  Progress* const progress = copy.work.progress;
  if (progress) progress->begin("copying", count);
  if (progress) progress->advance(copy.record.done);
  Work quiet = copy.work;
  quiet.progress = nullptr;
  std::uint64_t before = 0;  // blocks of earlier boxes
  for (const Blocks& blocks : boxes) {
    while (copy.record.done < before + blocks.count()) {
      copy.work.check();
      const CellBox box = blocks.box(copy.record.done - before);
      Query query;
      query.fields = copy.sources;
      ask_for(query, copy.from.schema(), box);
      query.work = quiet;
      Batch batch = collect(*copy.from.query(query));
      for (std::size_t field = 0; field < copy.sources.size(); ++field)
        shape_column(batch.columns.at(field), schema.attributes.at(field));
      WriteOptions options;
      options.work = quiet;
      const Column& first = batch.columns.at(0);
      const bool alone = batch.columns.size() == 1 && !first.var() && !first.nullable;
      if (alone)
        copy.to.write(selection_of(box), first.name,
                      {first.data.data(), box.count, contiguous_strides(box.count, first.cell_size())}, options);
      else
        copy.to.write(selection_of(box), batch, options);
      ++copy.record.done;
      // The last one is followed by the end of the note.
      if (copy.record.done < count) write_conversion(copy.store, copy.record);
      if (progress) progress->advance(1);
    }
    before += blocks.count();
  }
  if (progress) progress->end();
}

void copy_rows(const Copy& copy) {
  const Schema schema = copy.to.schema();
  if (!copy.resumed) write_conversion(copy.store, copy.record);
  Query query;
  query.work = copy.work;
  query.work.memory = copy.work.memory / 4;
  query.work.progress = nullptr;
  if (copy.from.schema().sparse) query.order = Order::global;
  query.fields = copy.sources;
  // Every append of a batch is whole or not at all.
  if (copy.resumed) query.skip = schema.shape().at(0);
  WriteOptions options;
  options.work = query.work;
  Progress* const progress = copy.work.progress;
  if (progress) progress->begin("copying rows", 0);
  const std::unique_ptr<BatchStream> batches = copy.from.query(query);
  while (std::optional<Batch> batch = batches->next()) {
    copy.work.check();
    for (Column& column : batch->columns)
      if (const Attribute* attribute = schema.attribute(column.name)) shape_column(column, *attribute);
    if (batch->cells == 0) continue;
    copy.to.append(*batch, options);
    if (progress) progress->advance(batch->cells);
  }
  if (progress) progress->end();
}

// The target of an interrupted run, or no value when there is none. Throws unless it is this very conversion.
std::shared_ptr<Array> unfinished(const std::shared_ptr<Store>& store, const ConvertOptions& options,
                                  ConversionRecord& wanted) {
  if (options.create.overwrite) return nullptr;
  const std::optional<ConversionRecord> record = read_conversion(*store);
  if (!record) return nullptr;
  if (record->source != wanted.source || record->target != wanted.target)
    fail(
        ErrorKind::invalid_argument,
        "'{}' is an unfinished conversion that differs from this one, or its source has changed; overwrite it to start "
        "anew\n  it was {} -> {}\n  this is {} -> {}",
        store->describe(""), record->source, record->target, wanted.source, wanted.target);
  wanted = *record;
  OpenOptions open_options;
  open_options.format = "";
  open_options.key = options.create.key;
  open_options.work = options.create.work;
  return open(store, open_options);
}

}  // namespace

void check_blocks(const Copy& copy, std::uint64_t blocks) {
  if (copy.resumed && copy.record.blocks != blocks)
    fail(ErrorKind::invalid_argument,
         "'{}' is an unfinished conversion of {} pieces, and this one has {}; overwrite it to start anew",
         copy.store.describe(""), copy.record.blocks, blocks);
  copy.record.blocks = blocks;
}

std::uint64_t cell_bytes(const Schema& schema) {
  std::uint64_t bytes = 1;
  for (const Attribute& a : schema.attributes) bytes += std::max<std::uint64_t>(a.cell_size(), 16);
  return bytes;
}

void shape_column(Column& column, const Attribute& to) {
  if (!to.nullable) drop_nulls(column, to);
  as_type(column, to);
  column.name = to.name;
}

Converted convert(const Array& source, std::shared_ptr<Store> store, const ConvertOptions& options, const Work& work) {
  Target target = plan_target(source, options.target);
  if (!target.losses.empty() && !options.lossy) {
    std::string list;
    for (const std::string& loss : target.losses) list += "\n  " + loss;
    fail(ErrorKind::unsupported, "{} cannot hold:{}\nWith --lossy the rest is copied.", target.schema.format, list);
  }
  const bool rows = target.schema.table || target.schema.sparse;
  const bool carrays = carrays_fit(source, target);
  const std::string wanted = describe_target(target.schema);
  // Rows of tables are appended, and so are chunks that go over as they are.
  if ((target.schema.table || carrays) && !target.schema.dimensions.empty()) target.schema.dimensions[0].domain = {};
  ConversionRecord record;
  record.source = describe_source(source, options.source_name, work);
  record.target = wanted;
  Converted out;
  out.losses = std::move(target.losses);
  out.array = unfinished(store, options, record);
  out.resumed = out.array != nullptr;
  if (!out.array) out.array = create(store, target.schema, options.create);
  std::vector<CellBox> boxes;
  if (!rows) boxes = boxes_to_copy(source, target.sources, out.array->schema(), work);
  const bool may_pass = !options.target.filters;
  const Copy copy{source,      target.sources,         *out.array, boxes,      *store, record,
                  out.resumed, options.fragment_bytes, may_pass,   out.passed, work};
  if (carrays) {
    if (!out.resumed) write_conversion(*store, record);
    out.passed = pass_carrays(source, target.sources, *out.array, work);
  } else if (!rows && may_pass && chunks_fit(source, *out.array)) {
    if (!out.resumed) write_conversion(*store, record);
    out.passed = pass_chunks(source, *out.array, *store, work);
  } else if (target.schema.format == "tiledb") {
    if (target.schema.sparse)
      stream_sparse_cells(copy);
    else
      stream_dense_cells(copy);
  } else if (rows) {
    copy_rows(copy);
  } else {
    copy_dense(copy);
  }
  if (const auto changes = metadata_for(source.metadata(), target.schema.format); !changes.empty()) {
    WriteOptions write;
    write.work = work;
    out.array->update_metadata(changes, write);
  }
  end_conversion(*store);
  return out;
}

}  // namespace tegula
