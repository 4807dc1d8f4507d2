#include "capi/query/write.h"

#include <cstring>

#include "format/tiledb/disk/names.h"
#include "format/tiledb/order/dense_grid.h"
#include "format/tiledb/write/dense_box.h"
#include "format/tiledb/write/write_dense.h"
#include "format/tiledb/write/write_dense_stream.h"
#include "format/tiledb/write/write_sparse.h"

namespace tegula::capi {

namespace {

// Offsets as the caller gives them, as bytes from the start of the data, with the end of the last cell.
Buffer<std::uint64_t> byte_offsets(const FieldBuffers& from, const QueryField& field, const OffsetStyle& style) {
  const std::uint64_t given_count = from.offsets.room() / style.size();
  const std::uint64_t cells = style.extra && given_count > 0 ? given_count - 1 : given_count;
  const std::uint64_t end = from.data.room(), unit = style.elements ? field.type.size : 1;
  Buffer<std::uint64_t> offsets(cells + 1);
  for (std::uint64_t i = 0; i < cells; ++i) {
    std::uint64_t offset = 0;
    std::memcpy(&offset, from.offsets.data + i * style.size(), style.size());
    offset *= unit;
    if (offset > end || (i > 0 && offset < offsets[i - 1]))
      refuse("WriterBase: Invalid offsets for attribute {}; offset {} is {}, with {} bytes of data", from.name, i,
             offset, end);
    offsets[i] = offset;
  }
  if (cells > 0 && offsets[0] != 0)
    refuse("WriterBase: Invalid offsets for attribute {}; the first is not 0", from.name);
  offsets[cells] = end;
  if (style.extra && given_count > 0) {
    std::uint64_t last = 0;
    std::memcpy(&last, from.offsets.data + cells * style.size(), style.size());
    if (last * unit != end)
      refuse(
          "WriterBase: Invalid offsets for attribute {}; the last offset: {} is not equal to the size of the data "
          "buffer: {}",
          from.name, last * unit, end);
  }
  return offsets;
}

Column column_of(const FieldBuffers& from, const QueryField& field, const OffsetStyle& style) {
  Column column;
  column.name = from.name;
  column.type = field.type;
  column.values_per_cell = field.values_per_cell;
  column.nullable = field.nullable;
  if (!from.data.data && from.data.room() > 0) refuse("Query: Data buffer of field '{}' is null", from.name);
  column.data.resize(from.data.room());
  if (!column.data.empty()) std::memcpy(column.data.data(), from.data.data, column.data.size());
  if (field.var()) {
    if (!from.offsets.size)
      refuse("Query: Var-Sized input attribute/dimension '{}' is not set correctly; Offsets buffer is not set",
             from.name);
    column.offsets = byte_offsets(from, field, style);
  } else if (column.data.size() % field.cell_size() != 0) {
    refuse("WriterBase: Buffer sizes check failed; {} bytes of '{}' are not a number of cells of {}",
           column.data.size(), from.name, field.cell_size());
  }
  if (field.nullable) {
    if (!from.validity.size)
      refuse("Query: Nullable input attribute '{}' is not set correctly; Validity buffer is not set", from.name);
    column.validity.resize(from.validity.room());
    if (!column.validity.empty()) std::memcpy(column.validity.data(), from.validity.data, column.validity.size());
    if (column.validity.size() != column.cells())
      refuse("WriterBase: Buffer sizes check failed; Invalid number of validity values for attribute '{}' ({} != {})",
             from.name, column.validity.size(), column.cells());
  }
  return column;
}

tiledb::DenseBox box_of(const tiledb::ArraySchema& schema, const Subarray& subarray) {
  const tiledb::DenseGrid grid = tiledb::make_grid(schema);
  std::vector<std::uint64_t> first, count;
  for (std::size_t d = 0; d < schema.dimensions.size(); ++d) {
    const RawRange& range = subarray.ranges(d).front();
    const auto low = grid.index(d, value_of(schema.dimensions[d].type, false, range.low)),
               high = grid.index(d, value_of(schema.dimensions[d].type, false, range.high));
    if (!low || !high) refuse("Subarray: the box lies outside of the domain");
    first.push_back(*low);
    count.push_back(*high - *low + 1);
  }
  return tiledb::box_of(schema, std::move(first), std::move(count));
}

}  // namespace

Writer::Writer(QueryState& query) : query_(query) {
  const tiledb::ArraySchema& schema = query.array()->stored_schema();
  const auto need = [&](const std::string& name) {
    const FieldBuffers* one = query.find_buffers(name);
    if (!one || !one->data.size)
      refuse(
          "WriterBase: Writes expect all attributes (and coordinates in the sparse/unordered case) to be set; there is "
          "no buffer for '{}'",
          name);
  };
  for (const tiledb::SchemaAttribute& attribute : schema.attributes) need(attribute.name);
  if (schema.sparse)
    for (const tiledb::SchemaDimension& dimension : schema.dimensions) need(dimension.name);
  for (const FieldBuffers& one : query.all_buffers()) {
    const QueryField field = query.field(one.name);
    if (field.origin == QueryField::Origin::label)
      refuse("tegula: labels cannot be written through the C ABI yet; the program needs the original library");
    if (field.origin == QueryField::Origin::dimension && !schema.sparse)
      refuse("WriterBase: Sparse coordinates of '{}' cannot be written to a dense array", one.name);
  }
}

Batch Writer::cells() const {
  Batch batch;
  const OffsetStyle style = query_.offset_style();
  for (const FieldBuffers& one : query_.all_buffers())
    batch.columns.push_back(column_of(one, query_.field(one.name), style));
  batch.cells = batch.columns.front().cells();
  for (const Column& column : batch.columns)
    if (column.cells() != batch.cells)
      refuse("WriterBase: Buffer sizes check failed; Invalid number of cells given for attribute '{}' ({} != {})",
             column.name, column.cells(), batch.cells);
  return batch;
}

WriteOptions Writer::options() {
  WriteOptions options;
  options.at = query_.array()->write_time();
  options.order = query_.layout();
  options.work = query_.array()->work();
  return options;
}

void Writer::check_dense_count(std::uint64_t count) const {
  std::uint64_t wanted = 1;
  const tiledb::ArraySchema& schema = query_.array()->stored_schema();
  const tiledb::DenseBox box = box_of(schema, *query_.subarray());
  for (const std::uint64_t side : box.count) wanted *= side;
  if (count != wanted)
    refuse("WriterBase: Buffer sizes check failed; Invalid number of cells given for attribute '{}' ({} != {})",
           query_.all_buffers().front().name, count, wanted);
}

void Writer::note_written() {
  for (const std::string& name : names_) {
    const auto time = tiledb::parse_timed_name(name);
    const std::uint64_t first = time ? time->first : 0, last = time ? time->last : 0;
    query_.written().push_back({fmt::format("{}/__fragments/{}", query_.array()->uri(), name), first, last});
  }
  names_.clear();
}

void Writer::submit() {
  query_.set_status(QueryStatus::failed);
  tiledb::TiledbArray& array = query_.array()->engine();
  const Batch batch = cells();
  tiledb::WriteTarget target = array.target();
  target.written = &names_;
  const bool sparse = target.schema->sparse;
  const WriteOptions how = options();
  const std::uint64_t time = how.at != 0 ? how.at : tiledb::now_ms();
  if (query_.layout() == Order::global) {
    if (!stream_)
      stream_ = sparse ? tiledb::stream_sparse(target, time, how)
                       : tiledb::stream_dense(target, box_of(*target.schema, *query_.subarray()), time, how);
    stream_->write(batch);
  } else {
    if (sparse) {
      tiledb::write_sparse(target, batch, time, how);
    } else {
      check_dense_count(batch.cells);
      tiledb::write_dense(target, box_of(*target.schema, *query_.subarray()), batch, time, how);
    }
    array.changed();
    note_written();
  }
  query_.set_has_results(false);
  query_.set_status(QueryStatus::completed);
}

void Writer::finalize() {
  if (!stream_) return;
  const std::unique_ptr<CellWriter> stream = std::move(stream_);
  stream->commit();
  if (query_.array()->is_open()) query_.array()->engine().changed();
  note_written();
}

}  // namespace tegula::capi
