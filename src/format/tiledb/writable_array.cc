#include "format/tiledb/writable_array.h"

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/array_metadata.h"
#include "format/tiledb/delete_write.h"
#include "format/tiledb/evolve.h"
#include "format/tiledb/generic_tile.h"
#include "format/tiledb/write_dense.h"
#include "format/tiledb/write_sparse.h"

namespace tegula::tiledb {

namespace {

std::uint64_t time_of(const WriteOptions& options) { return options.at != 0 ? options.at : now_ms(); }

}  // namespace

WritableArray::WritableArray(std::shared_ptr<Store> store, const OpenOptions& options)
    : store_(std::move(store)),
      options_(options),
      schema_of_{std::make_shared<const TiledbArray>(store_, options_)},
      reader_(schema_of_.front()) {}

std::shared_ptr<const TiledbArray> WritableArray::reader() const {
  const std::lock_guard lock(mutex_);
  if (!reader_) reader_ = std::make_shared<const TiledbArray>(store_, options_);
  return reader_;
}

void WritableArray::changed() {
  const std::lock_guard lock(mutex_);
  reader_ = nullptr;
}

void WritableArray::changed_schema() {
  changed();
  schema_of_.push_back(reader());
}

// Writes go by the newest schema, which somebody may have changed since the array was opened.
WriteTarget WritableArray::target() const {
  std::string key(kOldSchemaFile);
  std::string name = key;
  for (const Entry& entry : store_->list(kSchemaFolder))
    if (!entry.folder) name = entry.name, key = join(kSchemaFolder, entry.name);
  const Key secret = make_key(options_.key);
  const SchemaCache schemas({store_, secret}, key);
  return {store_, secret, schemas.at(key), name};
}

void WritableArray::write(const Selection& selection, std::string_view field, const StridedView& values,
                          const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing '{}'", store_->describe("")); });
  const WriteTarget to = target();
  if (to.schema->sparse) fail(ErrorKind::unsupported, "a sparse array is written as cells with their coordinates");
  if (!to.schema->attribute_index(field)) fail(ErrorKind::invalid_argument, "there is no attribute '{}'", field);
  if (to.schema->attributes.size() != 1)
    fail(ErrorKind::unsupported,
         "the array has {} attributes, and a TileDB write holds all of them: write a batch with a column for each",
         to.schema->attributes.size());
  const DenseBox box = box_of(*to.schema, resolve(selection, schema().shape()));
  write_dense(to, box, values, time_of(options), options);
  changed();
}

void WritableArray::write(const Selection& selection, const Batch& cells, const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing '{}'", store_->describe("")); });
  const WriteTarget to = target();
  if (to.schema->sparse) fail(ErrorKind::unsupported, "a sparse array is written as cells with their coordinates");
  const DenseBox box = box_of(*to.schema, resolve(selection, schema().shape()));
  write_dense(to, box, cells, time_of(options), options);
  changed();
}

void WritableArray::write(const Batch& cells, const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing '{}'", store_->describe("")); });
  const WriteTarget to = target();
  if (!to.schema->sparse)
    fail(ErrorKind::unsupported, "a dense array is written with a selection that says where the cells go");
  write_sparse(to, cells, time_of(options), options);
  changed();
}

void WritableArray::update_metadata(const std::map<std::string, std::optional<MetaValue>>& changes,
                                    const WriteOptions& options) {
  const Context doing([&] { return fmt::format("writing the metadata of '{}'", store_->describe("")); });
  const WriteTarget to = target();
  if (to.schema->version < 4)
    fail(ErrorKind::unsupported, "metadata exists from format version 4 on, the array has version {}",
         to.schema->version);
  if (changes.empty()) return;
  std::vector<MetadataEntry> entries;
  for (const auto& [key, value] : changes) {
    if (key.empty()) fail(ErrorKind::invalid_argument, "a metadata key cannot be empty");
    entries.push_back({key, value});
  }
  Bytes payload, file;
  encode_metadata(entries, payload);
  encode_generic_tile(payload, written_version(*to.schema), to.key, file);
  const std::uint64_t time = time_of(options);
  store_->put(join(kMetadataFolder, make_timed_name(time, time, make_ordered_uuid(), 0)), file);
  changed();
}

void WritableArray::evolve(const Evolution& changes, const WriteOptions& options) {
  const Context doing([&] { return fmt::format("evolving '{}'", store_->describe("")); });
  OpenOptions newest = options_;
  newest.at = {0, UINT64_MAX};
  evolve_array(target(), open_array(store_, newest, false).model, changes, time_of(options));
  changed_schema();
}

void WritableArray::upgrade(std::uint32_t format_version, const WriteOptions& options) {
  const Context doing([&] { return fmt::format("upgrading '{}'", store_->describe("")); });
  upgrade_array(target(), format_version, time_of(options));
  changed_schema();
}

void WritableArray::delete_cells(std::string_view where, const WriteOptions& options, bool as_libtiledb) {
  const Context doing([&] { return fmt::format("deleting from '{}'", store_->describe("")); });
  const std::uint64_t time = time_of(options);
  OpenOptions then = options_;
  then.at = {0, time};
  write_delete(target(), ReadState(store_, then), where, time, as_libtiledb);
  changed();
}

std::vector<std::string> WritableArray::delete_fragments(std::uint64_t first, std::uint64_t last) {
  const Context doing([&] { return fmt::format("deleting from '{}'", store_->describe("")); });
  std::vector<std::string> names = remove_fragments(*store_, first, last);
  changed();
  return names;
}

const WritableArray& writable(const Array& array) {
  const auto* found = dynamic_cast<const WritableArray*>(&array);
  if (!found) fail(ErrorKind::invalid_argument, "this is a {} array, not one of TileDB", array.schema().format);
  return *found;
}
WritableArray& writable(Array& array) { return const_cast<WritableArray&>(writable(std::as_const(array))); }

void evolve(Array& array, const Evolution& changes, const WriteOptions& options) {
  writable(array).evolve(changes, options);
}
void upgrade(Array& array, std::uint32_t format_version, const WriteOptions& options) {
  writable(array).upgrade(format_version, options);
}
void delete_cells(Array& array, std::string_view where, const WriteOptions& options, bool as_libtiledb) {
  writable(array).delete_cells(where, options, as_libtiledb);
}
std::vector<std::string> delete_fragments(Array& array, std::uint64_t first, std::uint64_t last) {
  return writable(array).delete_fragments(first, last);
}

}  // namespace tegula::tiledb
