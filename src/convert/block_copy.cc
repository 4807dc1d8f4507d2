#include "convert/block_copy.h"

#include <algorithm>

#include "convert/blocks.h"
#include "convert/convert.h"
#include "convert/written_boxes.h"
#include "model/strided.h"

namespace tegula {

namespace {

std::uint64_t cells_at_once(const Schema& schema, const Work& work) {
  return std::max<std::uint64_t>(1, work.memory / 4 / cell_bytes(schema));
}

}  // namespace

void copy_dense_blocks(const CopyTask& task) {
  // A copy: a write may replace what schema() refers to.
  const Schema schema = task.to.schema();
  if (!task.resumed) task.note.block_cells = cells_at_once(schema, task.work);
  std::vector<Blocks> boxes;
  std::uint64_t count = 0;
  for (const CellBox& box : task.boxes) {
    boxes.emplace_back(box, schema.chunks(), task.note.block_cells);
    count += boxes.back().count();
  }
  check_blocks(task, count);
  if (!task.resumed) keep_note(task);
  Progress* const progress = task.work.progress;
  if (progress) progress->begin("copying", count);
  if (progress) progress->advance(task.note.done);
  std::uint64_t before = 0;  // blocks of earlier boxes
  for (const Blocks& blocks : boxes) {
    while (task.note.done < before + blocks.count()) {
      task.work.check();
      const CellBox box = blocks.box(task.note.done - before);
      Query query;
      query.fields = task.source.fields;
      ask_for(query, task.source.from.schema(), box);
      query.work = quiet(task.work);
      Batch batch = collect(*task.source.from.query(query));
      for (std::size_t field = 0; field < task.source.fields.size(); ++field)
        shape_column(batch.columns.at(field), schema.attributes.at(field));
      WriteOptions options;
      options.work = query.work;
      const Column& first = batch.columns.at(0);
      const bool alone = batch.columns.size() == 1 && !first.var() && !first.nullable;
      if (alone)
        task.to.write(selection_of(box), first.name,
                      {first.data.data(), box.count, contiguous_strides(box.count, first.cell_size())}, options);
      else
        task.to.write(selection_of(box), batch, options);
      ++task.note.done;
      // After the last block the note is removed instead.
      if (task.note.done < count) keep_note(task);
      if (progress) progress->advance(1);
    }
    before += blocks.count();
  }
  if (progress) progress->end();
}

void copy_rows(const CopyTask& task) {
  const Schema schema = task.to.schema();
  if (!task.resumed) keep_note(task);
  Query query;
  query.work = task.work;
  query.work.memory = task.work.memory / 4;
  query.work.progress = nullptr;
  if (task.source.from.schema().sparse) query.order = Order::global;
  query.fields = task.source.fields;
  // A batch is appended as a whole or not at all, so the rows that are there say where to continue.
  if (task.resumed) query.skip = schema.shape().at(0);
  WriteOptions options;
  options.work = query.work;
  Progress* const progress = task.work.progress;
  if (progress) progress->begin("copying rows", 0);
  const std::unique_ptr<BatchStream> batches = task.source.from.query(query);
  while (std::optional<Batch> batch = batches->next()) {
    task.work.check();
    for (Column& column : batch->columns)
      if (const Attribute* attribute = schema.attribute(column.name)) shape_column(column, *attribute);
    if (batch->cells == 0) continue;
    task.to.append(*batch, options);
    if (progress) progress->advance(batch->cells);
  }
  if (progress) progress->end();
}

}  // namespace tegula
