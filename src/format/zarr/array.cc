#include "format/zarr/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/context.h"
#include "base/fail.h"
#include "base/product.h"
#include "format/zarr/chunk/chunk_listing.h"
#include "format/zarr/meta/copies_around.h"
#include "format/zarr/meta/document_files.h"
#include "format/zarr/meta/documents.h"
#include "format/zarr/meta/fill_value.h"
#include "format/zarr/meta/metadata.h"
#include "model/strided.h"
#include "query/run/grid_query.h"
#include "store/folder_locks.h"
#include "store/replace_file.h"
#include "store/wrap/known_store.h"
#include "store/wrap/wait_each.h"

namespace tegula::zarr {

// Shares the snapshot and the store with the array, so that a query can go on after the array changed or was closed.
class ZarrArray::Source final : public GridSource {
 public:
  Source(std::shared_ptr<const Snapshot> snapshot, ChunkStore chunks)
      : snapshot_(std::move(snapshot)), chunks_(std::move(chunks)) {}
  const Schema& schema() const override { return *snapshot_->schema; }
  void read(const Selection& selection, std::string_view, const StridedBuffer& out, const Work& work) const override {
    chunks_.read(resolve(selection, snapshot_->meta.shape), out, work);
  }
  void read_items(const Selection& selection, std::string_view, Column& out, const Work& work) const override {
    VariableCells items = chunks_.read_variable(resolve(selection, snapshot_->meta.shape), work);
    out.data = std::move(items.data);
    out.offsets = std::move(items.offsets);
  }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  ChunkStore chunks_;
};

namespace {

void check_field(std::string_view field) {
  if (!field.empty())
    fail(ErrorKind::invalid_argument, "there is no attribute '{}'; the one of a zarr array has no name", field);
}

void check_shape(const Shape& given, const Shape& wanted) {
  if (given != wanted)
    fail(ErrorKind::invalid_argument, "the buffer has shape ({}), the selection ({})", fmt::join(given, ", "),
         fmt::join(wanted, ", "));
}

// The box of `rows` rows from `first` on, everything along the other axes.
Picks rows_of(const Shape& shape, std::uint64_t first, std::uint64_t rows) {
  Picks picks;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    AxisPick axis;
    axis.start = a == 0 ? static_cast<std::int64_t>(first) : 0;
    axis.count = a == 0 ? rows : shape[a];
    picks.axes.push_back(axis);
  }
  return picks;
}

// Not the folder of the array itself, which everybody who changes a file in it holds for a moment. Null where there is
// no such lock.
std::unique_ptr<FolderHold> hold_around(const Store& store) {
  const std::optional<FolderOf> folder = store.around();
  try {
    return folder ? hold_folder(*folder->store, "") : nullptr;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::permission) throw;
    return nullptr;
  }
}

const Column& column_of(const Batch& batch) {
  const Column* column = batch.column("");
  if (!column && batch.columns.size() == 1) column = &batch.columns[0];
  if (!column) fail(ErrorKind::invalid_argument, "a zarr array takes batches of one column, or one without a name");
  return *column;
}

}  // namespace

ZarrArray::ZarrArray(std::shared_ptr<Store> store, ArrayMeta meta, Missing missing)
    : store_(std::move(store)), locks_(*store_), missing_(missing) {
  publish(std::move(meta));
}

std::shared_ptr<const Snapshot> ZarrArray::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

std::shared_ptr<const Snapshot> ZarrArray::refreshed() {
  std::shared_ptr<const Snapshot> now = snapshot();
  ArrayMeta stored = load_meta(*store_, now->meta.version);
  if (stored.shape == now->meta.shape) return now;
  publish(std::move(stored));
  return snapshot();
}

void ZarrArray::publish(ArrayMeta meta) {
  auto next = std::make_shared<const Snapshot>(std::move(meta));
  const std::lock_guard lock(mutex_);
  snapshot_ = std::move(next);
}

Metadata ZarrArray::metadata() const { return metadata_of(load_attributes(*store_, snapshot()->meta.version)); }

std::unique_ptr<BatchStream> ZarrArray::query(const Query& query) const {
  std::shared_ptr<const Snapshot> now = snapshot();
  ChunkStore store = chunks(*now);
  return query_grid(std::make_shared<Source>(std::move(now), std::move(store)), query);
}

void ZarrArray::read(const Selection& selection, std::string_view field, const StridedBuffer& out,
                     const Work& work) const {
  check_field(field);
  const std::shared_ptr<const Snapshot> now = snapshot();
  if (now->meta.cell.var)
    fail(ErrorKind::unsupported, "cells of any length do not fit a buffer; read them with query()");
  const Picks picks = resolve(selection, now->meta.shape);
  check_shape(out.shape, picks.shape());
  chunks(*now).read(picks, out, work);
}

Info ZarrArray::info(const Work&) const {
  const std::shared_ptr<const Snapshot> now = snapshot();
  const ArrayMeta& meta = now->meta;
  Info info;
  if (!store_->hints().lists) return info;
  KnownStore known(*store_);
  if (store_->hints().remote()) known.learn(store_->list_all(""));
  const ChunkListing listing = list_chunks(known, meta);
  FieldSize field;
  for (const ChunkFile& file : listing.chunks) field.stored += file.size;
  field.decoded = saturated_product(saturated_product(meta.shape), meta.cell.item());
  info.chunks_present = listing.chunks.size();
  info.chunks_expected = saturated_product(chunk_grid(meta.shape, meta.chunks));
  info.stored_bytes = field.stored;
  const DocumentNames& documents = kDocuments[meta.version];
  info.stored_bytes += known.size(documents.array).value_or(0);
  if (documents.attributes != documents.array) info.stored_bytes += known.size(documents.attributes).value_or(0);
  info.fields.push_back(std::move(field));
  return info;
}

std::vector<Problem> ZarrArray::verify(const Work& work) const {
  const std::shared_ptr<const Snapshot> now = snapshot();
  const ArrayMeta& meta = now->meta;
  const ChunkStore store = chunks(*now);
  const ChunkListing listing = list_chunks(*store_, meta);
  std::vector<Problem> problems(listing.chunks.size());
  std::uint64_t largest = meta.chunk_cells() * std::max<std::size_t>(meta.cell.item(), 1);
  for (const ChunkFile& file : listing.chunks) largest = std::max(largest, file.size);
  wait_each(*store_, work, listing.chunks.size(), 2 * largest, [&](std::size_t i) {
    try {
      store.check(listing.chunks[i].chunk);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled || error.kind() == ErrorKind::permission) throw;
      problems[i] = {Problem::Severity::damage, listing.chunks[i].key, error.what(),
                     "write the chunk again, or remove the file to get the fill value"};
    }
  });
  std::erase_if(problems, [](const Problem& problem) { return problem.file.empty(); });
  const std::uint64_t expected = saturated_product(chunk_grid(meta.shape, meta.chunks));
  if (listing.chunks.size() < expected && (missing_ == Missing::error || !meta.fill_defined))
    problems.push_back({missing_ == Missing::error ? Problem::Severity::damage : Problem::Severity::note,
                        std::string(kDocuments[meta.version].array),
                        fmt::format("{} of {} chunks are not there{}", expected - listing.chunks.size(), expected,
                                    meta.fill_defined ? "" : ", and the array defines no fill value"),
                        ""});
  for (const ChunkFile& file : listing.outside)
    problems.push_back({Problem::Severity::note, file.key,
                        "a chunk outside of the array, left by a shrink or an unfinished append",
                        "remove the file unless the array is to grow again"});
  for (const ChunkFile& file : listing.others)
    problems.push_back({Problem::Severity::note, file.key,
                        "neither a chunk nor metadata; left by an unfinished write, a lock, or another program", ""});
  try {
    for (Problem& problem : CopiesAround(store_, meta.version, ObjectKind::array).stale())
      problems.push_back(std::move(problem));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::corrupt) throw;
    problems.push_back({Problem::Severity::note, std::string(kDocuments[meta.version].array),
                        fmt::format("the consolidated metadata of a group around it is damaged: {}", error.what()),
                        "`tegula consolidate` on the group makes it anew"});
  }
  return problems;
}

void ZarrArray::write(const Selection& selection, std::string_view field, const StridedView& values,
                      const WriteOptions& options) {
  check_field(field);
  const std::shared_ptr<const Snapshot> now = snapshot();
  if (now->meta.cell.var) fail(ErrorKind::unsupported, "cells of any length are written with append() or as a batch");
  const Picks picks = resolve(selection, now->meta.shape);
  check_shape(values.shape, picks.shape());
  chunks(*now).write(picks, now->meta.shape, values, options.work);
}

bool ZarrArray::write_batch(const Snapshot& on, const Batch& batch, const Shape& shape, const Picks& picks, Order order,
                            const Work& work, const Go& go) const {
  const Column& column = column_of(batch);
  const bool var = on.meta.cell.var;
  if (column.var() != var || (!var && column.cell_size() != on.meta.cell.item()))
    fail(ErrorKind::invalid_argument, "the column holds {}, the array {}", display_name(column.type),
         display_name(on.meta.cell.type));
  if (column.cells() != picks.cells())
    fail(ErrorKind::invalid_argument, "the column has {} cells, expected {}", column.cells(), picks.cells());
  const ChunkStore store = chunks(on);
  if (order != Order::row && (var || order != Order::col))
    fail(ErrorKind::unsupported,
         "cells of a zarr array must be in row order; fixed-size cells may also be in column order");
  if (var) {
    if (!column.offsets.empty() && column.offsets.front() != 0)
      fail(ErrorKind::invalid_argument, "the offsets of a column begin at 0");
    return store.write_variable(picks, shape, {column.data, column.offsets}, work, go);
  }
  const Shape box = picks.shape();
  return store.write(picks, shape,
                     {column.data.data(), box, contiguous_strides(box, column.cell_size(), order == Order::col)}, work,
                     go);
}

void ZarrArray::write(const Selection& selection, const Batch& cells, const WriteOptions& options) {
  const std::shared_ptr<const Snapshot> now = snapshot();
  write_batch(*now, cells, now->meta.shape, resolve(selection, now->meta.shape), options.order, options.work);
}

void ZarrArray::write(const Batch& cells, const WriteOptions& options) { write(Selection{}, cells, options); }

// The new cells are outside of the array until the document has the new shape, so an interruption leaves the array as
// it was. When somebody else changed the shape meanwhile, they are written again where the array ends then.
void ZarrArray::append(const Batch& rows, const WriteOptions& options) {
  const std::lock_guard lock(locks_.document());
  const std::uint64_t cells = column_of(rows).cells();
  const CopiesAround copies(store_, snapshot()->meta.version, ObjectKind::array);
  for (;;) {
    options.work.check();
    const std::shared_ptr<const Snapshot> now = refreshed();
    const Shape& shape = now->meta.shape;
    if (shape.empty()) fail(ErrorKind::invalid_argument, "an array without axes cannot be appended to");
    Shape box = shape;
    box[0] = 1;
    const std::uint64_t row = cell_count(box);
    if (row == 0 ? cells != 0 : cells % row != 0)
      fail(ErrorKind::invalid_argument, "{} cells are not a whole number of rows of {}", cells, row);
    box[0] = row ? cells / row : 0;
    if (box[0] == 0) return;
    if (rows.shape && *rows.shape != box) check_shape(*rows.shape, box);
    Shape grown = shape;
    grown[0] += box[0];
    // From the first new chunk to the new shape nobody else appends, where the store has locks.
    std::unique_ptr<FolderHold> alone;
    const Go still_there = [&] {
      alone = hold_around(*store_);
      return load_meta(*store_, now->meta.version).shape == shape;
    };
    if (!write_batch(*now, rows, grown, rows_of(box, shape[0], box[0]), options.order, options.work, still_there))
      continue;
    if (std::optional<ArrayMeta> meta = put_shape(now->meta, grown, &shape)) {
      publish(*std::move(meta));
      break;
    }
  }
  copies.refresh();
}

std::optional<ArrayMeta> ZarrArray::put_shape(const ArrayMeta& known, const Shape& shape, const Shape* from) const {
  const std::string key(kDocuments[known.version].array);
  std::optional<ArrayMeta> meta;
  replace_file(*store_, key, [&](std::optional<ByteView> old) -> std::optional<Bytes> {
    if (!old) fail(ErrorKind::not_found, "there is no '{}'", store_->describe(key));
    meta = parse_meta(*old, known.version);
    if (from && meta->shape != *from) {
      meta.reset();
      return std::nullopt;
    }
    if (known.version != 3) meta->attributes = known.attributes;
    meta->shape = shape;
    meta->document["shape"] = shape;
    if (meta->pickled) {
      // Written as zarr 0.4.0 does, in JSON, which later programs read and which cannot run code.
      meta->document["fill_value"] =
          meta->fill_defined ? fill_to_json(meta->cell.fill, meta->cell.type, FillStyle::numpy) : Json(nullptr);
      meta->pickled = false;
    }
    return copy_of(bytes_of(dump_document(meta->document, known.version)));
  });
  return meta;
}

void ZarrArray::remove_outside(const ArrayMeta& meta) const {
  std::set<std::string> folders;
  for (const ChunkFile& file : list_chunks(*store_, meta).outside) {
    store_->remove(file.key);
    const std::size_t slash = file.key.rfind('/');
    folders.insert(slash == std::string::npos ? "" : file.key.substr(0, slash));
  }
  // Chunks that a power cut brings back would show again when the array grows.
  for (const std::string& folder : folders) store_->sync_folder(folder);
}

// The document is written first: chunks that an interruption leaves behind do no harm, chunks removed too early would
// be lost data.
void ZarrArray::resize(const std::vector<std::uint64_t>& shape, const WriteOptions&) {
  const std::lock_guard lock(locks_.document());
  const std::shared_ptr<const Snapshot> now = refreshed();
  if (shape.size() != now->meta.rank())
    fail(ErrorKind::invalid_argument, "the new shape has {} axes, the array {}", shape.size(), now->meta.rank());
  const CopiesAround copies(store_, now->meta.version, ObjectKind::array);
  const ArrayMeta meta = *put_shape(now->meta, shape, nullptr);
  publish(meta);
  copies.refresh();
  bool shrinks = false;
  for (std::size_t a = 0; a < shape.size(); ++a) shrinks |= shape[a] < now->meta.shape[a];
  // The original format keeps such chunks, and shows them again when the array grows.
  if (shrinks && meta.version != 0) remove_outside(meta);
}

void ZarrArray::update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes, const WriteOptions&) {
  const std::lock_guard lock(locks_.document());
  const int version = refreshed()->meta.version;
  const CopiesAround copies(store_, version, ObjectKind::array);
  change_attributes(*store_, version, changes);
  copies.refresh();
  publish(load_meta(*store_, version));
}

}  // namespace tegula::zarr
