#include "format/bcolz/write.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "format/bcolz/carray_write.h"
#include "format/bcolz/pending_set.h"
#include "model/chunk_plan.h"
#include "model/strided.h"

namespace tegula::bcolz {

namespace {

// The checked column of the batch for each carray. Rows of a carray may be given as cells of any shape.
std::vector<const Column*> match_columns(const Snapshot& snapshot, const Batch& batch, std::uint64_t& rows) {
  std::vector<const Column*> out;
  if (batch.columns.size() != snapshot.columns.size())
    fail(ErrorKind::invalid_argument, "{} columns were given, there are {}: '{}'", batch.columns.size(),
         snapshot.names.size(), fmt::join(snapshot.names, "', '"));
  for (std::size_t i = 0; i < snapshot.columns.size(); ++i) {
    const Carray& carray = snapshot.columns[i];
    const Column* column = snapshot.table ? batch.column(snapshot.names[i]) : &batch.columns[0];
    if (!column) fail(ErrorKind::invalid_argument, "no values for column '{}'", snapshot.names[i]);
    carray.refuse_objects();
    if (column->var() || column->nullable || !(column->type == carray.storage.type))
      fail(ErrorKind::invalid_argument, "column '{}' takes {}, not {}{}", snapshot.names[i],
           display_name(carray.storage.type), display_name(column->type),
           column->var()      ? " of any length"
           : column->nullable ? " with nulls"
                              : "");
    if (carray.row_bytes == 0 || column->data.size() % carray.row_bytes != 0)
      fail(ErrorKind::invalid_argument, "column '{}': {} bytes are no whole number of rows of {} bytes",
           snapshot.names[i], column->data.size(), carray.row_bytes);
    const std::uint64_t count = column->data.size() / carray.row_bytes;
    if (i > 0 && count != rows)
      fail(ErrorKind::invalid_argument, "column '{}' has {} rows, '{}' has {}", snapshot.names[i], count,
           snapshot.names[0], rows);
    rows = count;
    out.push_back(column);
  }
  return out;
}

// To bcolz the length of a table is that of the first column, to tegula that of the shortest: the first is written
// last.
void grow_sizes(const Snapshot& snapshot, std::uint64_t rows, const std::vector<std::uint64_t>& added) {
  for (std::size_t i = snapshot.columns.size(); i-- > 0;) {
    const Carray& carray = snapshot.columns[i];
    const bool counted =
        carray.stored_rows == snapshot.rows && carray.sizes.cbytes >= carray.storage.chunklen * carray.row_bytes;
    put_sizes(carray, rows, counted ? carray.sizes.cbytes + added[i] : count_cbytes(carray, rows));
  }
}

}  // namespace

void append(const Snapshot& snapshot, const Batch& batch, const Work& work) {
  std::uint64_t rows = 0;
  const std::vector<const Column*> columns = match_columns(snapshot, batch, rows);
  if (rows == 0) return;
  std::vector<std::uint64_t> added;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Carray& carray = snapshot.columns[i];
    const ByteView data = columns[i]->data;
    added.push_back(write_new_rows(
        carray, rows,
        [&](std::uint64_t first, std::uint64_t count) {
          return data.subspan(first * carray.row_bytes, count * carray.row_bytes);
        },
        work));
  }
  grow_sizes(snapshot, snapshot.rows + rows, added);
}

void resize(const Snapshot& snapshot, const std::vector<std::uint64_t>& shape, const Work& work) {
  const std::vector<std::uint64_t> now = snapshot.schema->shape();
  if (shape.size() != now.size() || !std::equal(shape.begin() + 1, shape.end(), now.begin() + 1))
    fail(ErrorKind::invalid_argument, "only the number of rows can change: from ({}) to ({}) is not possible",
         fmt::join(now, ", "), fmt::join(shape, ", "));
  const std::uint64_t rows = shape[0];
  for (const Carray& carray : snapshot.columns) carray.refuse_objects();
  if (rows > snapshot.rows) {
    std::vector<std::uint64_t> added;
    for (const Carray& carray : snapshot.columns)
      added.push_back(write_default_rows(carray, rows - snapshot.rows, work));
    grow_sizes(snapshot, rows, added);
  } else if (rows < snapshot.rows) {
    for (const Carray& carray : snapshot.columns) put_sizes(carray, rows, count_cbytes(carray, rows));
    for (const Carray& carray : snapshot.columns) remove_surplus(carray, rows);
  }
}

void write(const Snapshot& snapshot, const Selection& selection, std::string_view field, const StridedView& values,
           const Work& work) {
  const Carray& carray = snapshot.columns[snapshot.column(field)];
  carray.refuse_objects();
  const std::vector<std::uint64_t> shape =
      snapshot.table ? std::vector<std::uint64_t>{snapshot.rows} : carray.sizes.shape;
  const std::uint64_t item = snapshot.table ? carray.row_bytes : carray.item;
  const Picks picks = resolve(selection, shape);
  if (values.shape != picks.shape())
    fail(ErrorKind::invalid_argument, "the values have shape ({}), the selection ({})", fmt::join(values.shape, ", "),
         fmt::join(picks.shape(), ", "));
  if (picks.cells() == 0 || carray.row_bytes == 0) return;
  std::vector<std::uint64_t> chunk_shape = shape;
  chunk_shape[0] = carray.storage.chunklen;
  const ChunkPlan plan(picks, shape, chunk_shape);
  const std::vector<std::int64_t> strides = contiguous_strides(chunk_shape, item);
  std::vector<std::uint64_t> chunks;
  for (std::size_t i = 0; i < plan.pieces(); ++i) chunks.push_back(plan.chunk(i)[0]);
  Work one = work;
  one.threads = 1;
  replace_chunks(
      carray, chunks,
      [&](std::size_t i) {
        const std::uint64_t rows = carray.rows_of(chunks[i]);
        Bytes raw(rows * carray.row_bytes);
        if (!plan.whole(i)) carray.read_rows(chunks[i] * carray.storage.chunklen, rows, raw, one);
        plan.scatter(i, raw.data(), strides, values, item);
        return encode_rows(carray, raw);
      },
      work);
  if (const std::uint64_t cbytes = count_cbytes(carray, carray.rows()); cbytes != carray.sizes.cbytes)
    put_sizes(carray, carray.rows(), cbytes);
}

}  // namespace tegula::bcolz
