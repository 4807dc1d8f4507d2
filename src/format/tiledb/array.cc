#include "format/tiledb/array.h"

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/dense/dense_query.h"
#include "format/tiledb/info.h"
#include "format/tiledb/maintain/consolidate_files.h"
#include "format/tiledb/maintain/consolidate_fragments.h"
#include "format/tiledb/maintain/vacuum.h"
#include "format/tiledb/read/metadata.h"
#include "format/tiledb/sparse/sparse_query.h"
#include "format/tiledb/verify.h"
#include "format/tiledb/write/delete_write.h"
#include "format/tiledb/write/evolve.h"
#include "format/tiledb/write/metadata_write.h"
#include "format/tiledb/write/write_dense_stream.h"
#include "format/tiledb/write/write_runs.h"
#include "format/tiledb/write/write_sparse.h"

namespace tegula::tiledb {

namespace {

std::uint64_t time_of(const WriteOptions& options) { return options.at != 0 ? options.at : now_ms(); }

}  // namespace

TiledbArray::TiledbArray(std::shared_ptr<Store> store, const OpenOptions& options, const Store* known)
    : store_(std::move(store)), options_(options) {
  ArrayContents contents = open_contents(store_, options_, false, known);
  // If it is the newest, writes need not read it again.
  newest_ = contents.schema;
  newest_name_ = last_part(contents.schema_key);
  snapshot_ = std::make_shared<const Snapshot>(store_, options_, std::move(contents));
  schema_ = snapshot_->shared_model();
}

std::shared_ptr<const Snapshot> TiledbArray::snapshot() const {
  const std::lock_guard lock(mutex_);
  if (!stale_->exchange(false)) return snapshot_;
  try {
    snapshot_ = std::make_shared<const Snapshot>(store_, options_, snapshot_.get());
  } catch (...) {
    stale_->store(true);
    throw;
  }
  return snapshot_;
}

const Schema& TiledbArray::schema() const {
  const std::lock_guard lock(mutex_);
  // Kept because of the reference; a schema that was never returned is freed with its snapshot.
  if (returned_.empty() || returned_.back() != schema_) returned_.push_back(schema_);
  return *schema_;
}

std::shared_ptr<const Schema> TiledbArray::model() const {
  const std::lock_guard lock(mutex_);
  return schema_;
}

void TiledbArray::changed_schema() {
  changed();
  const std::shared_ptr<const Snapshot> now = snapshot();
  const std::lock_guard lock(mutex_);
  schema_ = now->shared_model();
}

Metadata TiledbArray::metadata() const {
  const std::shared_ptr<const Snapshot> now = snapshot();
  return read_metadata(*store_, now->files().key, now->window());
}

Info TiledbArray::info(const Work& work) const { return array_info(*snapshot(), work); }

std::unique_ptr<BatchStream> TiledbArray::query(const Query& query) const {
  const Context doing([&] { return fmt::format("reading '{}'", store_->describe("")); });
  std::shared_ptr<const Snapshot> now = snapshot();
  return now->schema().sparse ? query_sparse(std::move(now), query) : query_dense(std::move(now), query);
}

void TiledbArray::read(const Selection& selection, std::string_view field, const StridedBuffer& out,
                       const Work& work) const {
  const Context doing([&] { return fmt::format("reading '{}'", store_->describe("")); });
  const std::shared_ptr<const Snapshot> now = snapshot();
  if (now->schema().sparse) fail(ErrorKind::unsupported, "a sparse array is read with query()");
  read_dense(*now, selection, field, out, work);
}

std::vector<Problem> TiledbArray::verify(const Work& work) const {
  // What is there now, whatever this handle has read before.
  return verify_array(Snapshot(store_, options_), work);
}

WriteTarget TiledbArray::target() const {
  std::string key(kOldSchemaFile);
  std::string name = key;
  for (const Entry& entry : store_->list(kSchemaFolder))
    if (!entry.folder) name = entry.name, key = join(kSchemaFolder, entry.name);
  const Key secret = make_key(options_.key);
  const std::lock_guard lock(mutex_);
  // Schemas in the folder never change; the one file of older versions may be another array's by now.
  if (!newest_ || name != newest_name_ || name == kOldSchemaFile) {
    newest_ = SchemaCache({store_, secret}, key).at(key);
    newest_name_ = name;
  }
  return {store_, secret, newest_, name};
}

void TiledbArray::write(const Selection& selection, std::string_view field, const StridedView& values,
                        const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing '{}'", store_->describe("")); });
  const WriteTarget to = target();
  if (to.schema->sparse) fail(ErrorKind::unsupported, "a sparse array is written as cells with their coordinates");
  if (!to.schema->attribute_index(field)) fail(ErrorKind::invalid_argument, "there is no attribute '{}'", field);
  if (to.schema->attributes.size() != 1)
    fail(ErrorKind::unsupported,
         "the array has {} attributes, and a TileDB write holds all of them: write a batch with a column for each",
         to.schema->attributes.size());
  const Picks picks = resolve(selection, model()->shape());
  if (is_box(picks))
    write_dense(to, box_of(*to.schema, picks), values, time_of(options), options);
  else
    write_runs(to, picks, values, time_of(options), options);
  changed();
}

void TiledbArray::write(const Selection& selection, const Batch& cells, const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing '{}'", store_->describe("")); });
  const WriteTarget to = target();
  if (to.schema->sparse) fail(ErrorKind::unsupported, "a sparse array is written as cells with their coordinates");
  const Picks picks = resolve(selection, model()->shape());
  if (is_box(picks))
    write_dense(to, box_of(*to.schema, picks), cells, time_of(options), options);
  else
    write_runs(to, picks, cells, time_of(options), options);
  changed();
}

void TiledbArray::write(const Batch& cells, const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing '{}'", store_->describe("")); });
  const WriteTarget to = target();
  if (!to.schema->sparse)
    fail(ErrorKind::unsupported, "a dense array is written with a selection that says where the cells go");
  write_sparse(to, cells, time_of(options), options);
  changed();
}

namespace {

// Marks the array as changed after the commit; the array may be gone by then.
class NotifyingWriter final : public CellWriter {
 public:
  NotifyingWriter(std::unique_ptr<CellWriter> inner, std::shared_ptr<std::atomic<bool>> stale, std::string where)
      : inner_(std::move(inner)), stale_(std::move(stale)), where_(std::move(where)) {}
  void write(const Batch& cells) override {
    const Context doing([&] { return fmt::format("writing '{}'", where_); });
    inner_->write(cells);
  }
  void commit() override {
    const Context doing([&] { return fmt::format("writing '{}'", where_); });
    inner_->commit();
    stale_->store(true);
  }

 private:
  const std::unique_ptr<CellWriter> inner_;
  const std::shared_ptr<std::atomic<bool>> stale_;
  const std::string where_;
};

}  // namespace

std::unique_ptr<CellWriter> TiledbArray::write_stream(const std::optional<Selection>& box,
                                                      const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing '{}'", store_->describe("")); });
  const WriteTarget to = target();
  std::unique_ptr<CellWriter> stream;
  if (to.schema->sparse) {
    if (box) fail(ErrorKind::invalid_argument, "a sparse stream has no box: its cells have coordinates");
    stream = stream_sparse(to, time_of(options), options);
  } else {
    const Selection all{{Ellipsis{}}};
    stream =
        stream_dense(to, box_of(*to.schema, resolve(box.value_or(all), model()->shape())), time_of(options), options);
  }
  return std::make_unique<NotifyingWriter>(std::move(stream), stale_, store_->describe(""));
}

std::unique_ptr<CellWriter> TiledbArray::write_box_stream(const std::vector<std::uint64_t>& first,
                                                          const std::vector<std::uint64_t>& count,
                                                          const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing '{}'", store_->describe("")); });
  const WriteTarget to = target();
  return std::make_unique<NotifyingWriter>(
      stream_dense(to, box_of(*to.schema, first, count), time_of(options), options), stale_, store_->describe(""));
}

void TiledbArray::update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                                  const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing the metadata of '{}'", store_->describe("")); });
  const WriteTarget to = target();
  if (to.schema->version < 4)
    fail(ErrorKind::unsupported, "metadata exists from format version 4 on, the array has version {}",
         to.schema->version);
  put_metadata(*store_, changes, written_version(*to.schema), to.key, time_of(options));
  changed();
}

void TiledbArray::evolve(const Evolution& changes, const WriteOptions& options) {
  const Context doing([&] { return fmt::format("evolving '{}'", store_->describe("")); });
  OpenOptions newest = options_;
  newest.at = {0, UINT64_MAX};
  evolve_array(target(), *open_contents(store_, newest, false).model, changes, time_of(options));
  changed_schema();
}

void TiledbArray::upgrade(std::uint32_t format_version, const WriteOptions& options) {
  const Context doing([&] { return fmt::format("upgrading '{}'", store_->describe("")); });
  upgrade_array(target(), format_version, time_of(options));
  changed_schema();
}

void TiledbArray::delete_cells(std::string_view where, const WriteOptions& options, bool as_libtiledb) {
  const Context doing([&] { return fmt::format("deleting from '{}'", store_->describe("")); });
  const std::uint64_t time = time_of(options);
  OpenOptions then = options_;
  then.at = {0, time};
  const Snapshot now(store_, then);
  if (!as_libtiledb) now.fragments(options.work);
  write_delete(target(), now, where, time, as_libtiledb);
  changed();
}

std::vector<std::string> TiledbArray::delete_fragments(std::uint64_t first, std::uint64_t last) {
  const Context doing([&] { return fmt::format("deleting from '{}'", store_->describe("")); });
  std::vector<std::string> names = remove_fragments(*store_, first, last);
  changed();
  return names;
}

const TiledbArray& tiledb_array(const Array& array) {
  const auto* found = dynamic_cast<const TiledbArray*>(&array);
  if (!found) fail(ErrorKind::invalid_argument, "this is a {} array, not one of TileDB", array.schema().format);
  return *found;
}
TiledbArray& tiledb_array(Array& array) { return const_cast<TiledbArray&>(tiledb_array(std::as_const(array))); }

void evolve(Array& array, const Evolution& changes, const WriteOptions& options) {
  tiledb_array(array).evolve(changes, options);
}
void upgrade(Array& array, std::uint32_t format_version, const WriteOptions& options) {
  tiledb_array(array).upgrade(format_version, options);
}
void delete_cells(Array& array, std::string_view where, const WriteOptions& options, bool as_libtiledb) {
  tiledb_array(array).delete_cells(where, options, as_libtiledb);
}
std::vector<std::string> delete_fragments(Array& array, std::uint64_t first, std::uint64_t last) {
  return tiledb_array(array).delete_fragments(first, last);
}

namespace {

std::vector<Consolidation> consolidate_part(const TiledbArray& array, const ConsolidateOptions& options, Doing doing) {
  const MaintainedArray maintained{array.store(), array.options()};
  switch (options.part) {
    case Part::fragment_metadata:
      return consolidate_footers(maintained, doing, options.work);
    case Part::commits:
      return consolidate_commits(maintained, doing);
    case Part::array_metadata:
      return consolidate_metadata(maintained, doing, options.work);
    case Part::fragments:
      break;
  }
  return consolidate_fragments(maintained, options, doing);
}

}  // namespace

std::vector<Consolidation> plan_consolidation(const Array& array, const ConsolidateOptions& options) {
  return consolidate_part(tiledb_array(array), options, Doing::plan);
}

std::vector<Consolidation> consolidate(Array& array, const ConsolidateOptions& options) {
  TiledbArray& changed = tiledb_array(array);
  std::vector<Consolidation> done = consolidate_part(changed, options, Doing::change);
  changed.changed();
  return done;
}

std::vector<std::string> vacuum(Array& array, const VacuumOptions& options) {
  TiledbArray& changed = tiledb_array(array);
  std::vector<std::string> removed = vacuum_array({changed.store(), changed.options()}, options);
  changed.changed();
  return removed;
}

}  // namespace tegula::tiledb
