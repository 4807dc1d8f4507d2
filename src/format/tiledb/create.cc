#include "format/tiledb/create.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/array.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/disk/schema_defaults.h"
#include "format/tiledb/disk/schema_model.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/listing/object_kind.h"
#include "format/tiledb/write/evolve.h"
#include "format/tiledb/write/schema_check.h"
#include "store/wrap/known_store.h"
#include "store/wrap/sub_store.h"

namespace tegula::tiledb {

namespace {

struct Folder {
  std::uint32_t since;
  std::string_view path;
};
constexpr Folder kFolders[] = {
    {4, kMetadataFolder},      {10, kSchemaFolder}, {12, kFragmentsFolder},          {12, kCommitsFolder},
    {12, kFragmentMetaFolder}, {18, kLabelsFolder}, {20, "__schema/__enumerations"},
};
constexpr std::string_view kLockFile = "__lock.tdb";
constexpr bool has_lock_file(std::uint32_t version) { return version <= 10; }

bool is_debris(const Entry& entry) { return entry.name.starts_with(kTemporaryPrefix); }

// A creation that was stopped leaves folders without a schema, which the next creation may use.
bool has_schema(const Store& store) {
  if (store.has(kOldSchemaFile)) return true;
  const std::vector<Entry> schemas = store.list(kSchemaFolder);
  return std::any_of(schemas.begin(), schemas.end(), [](const Entry& entry) { return !entry.folder; });
}

// The schema is written last: with it the folder becomes an array. Returns its key.
std::string write_array(Store& store, ArraySchema schema, const std::vector<Enumeration>& enumerations,
                        std::uint64_t time, const Key& key) {
  const std::uint32_t version = schema.version;
  for (const Folder& folder : kFolders)
    if (version >= folder.since) store.make_folder(folder.path);
  if (has_lock_file(version)) store.put(kLockFile, ByteView());
  for (const Enumeration& enumeration : enumerations)
    schema.enumerations.emplace_back(enumeration.name, put_enumeration(store, enumeration, version, key));
  std::string file = schema_in_folder(version)
                         ? join(kSchemaFolder, make_timed_name(time, time, make_ordered_uuid(), 0))
                         : std::string(kOldSchemaFile);
  put_schema(store, schema, file, key);
  return file;
}

// The schema of the array that stores a dimension label.
ArraySchema label_schema(const ArraySchema& schema, const SchemaLabel& label) {
  ArraySchema array;
  array.version = schema.version;
  array.coords = array.offsets = {.steps = {{.type = FilterType::zstd}}};
  array.validity = {.steps = {{.type = FilterType::rle}}};
  SchemaDimension index = schema.dimensions[label.dimension];
  index.name = "index";
  index.filters = {};
  array.dimensions.push_back(std::move(index));
  SchemaAttribute attribute;
  attribute.name = label.attribute;
  attribute.type = label.type;
  attribute.type_code = label.type_code;
  attribute.values_per_cell = label.values_per_cell;
  attribute.fill = default_fill(label.type, label.values_per_cell);
  attribute.order = label.order;
  array.attributes.push_back(std::move(attribute));
  return array;
}

// Unnamed fields of versions 3 and 4 get the names that files and readers need.
void name_fields(ArraySchema& schema) {
  if (schema_has_typed_dimensions(schema.version)) return;
  for (std::size_t i = 0; i < schema.dimensions.size(); ++i)
    if (schema.dimensions[i].name.empty()) schema.dimensions[i].name = fmt::format("__dim_{}", i);
  for (SchemaAttribute& attribute : schema.attributes)
    if (attribute.name.empty()) attribute.name = "__attr";
}

}  // namespace

void make_room(Store& store, bool overwrite) {
  std::vector<Entry> listing = store.list("");
  std::erase_if(listing, is_debris);
  if (listing.empty()) return;
  const ObjectKind kind = probe(listing);
  const bool stopped = kind == ObjectKind::none && std::all_of(listing.begin(), listing.end(),
                                                               [](const Entry& e) { return e.name.starts_with("__"); });
  if (stopped || (kind == ObjectKind::array && !has_schema(store))) return;
  if (kind == ObjectKind::none) fail(ErrorKind::invalid_argument, "the folder holds something else already");
  if (!overwrite)
    fail(ErrorKind::invalid_argument, "there is already a TileDB {} here; pass overwrite to replace it",
         kind == ObjectKind::group ? "group" : "array");
  // Schemas are removed first: wherever this stops, the rest is no array rather than half of one.
  store.remove(kOldSchemaFile);
  store.remove_tree(kSchemaFolder);
  store.remove_tree(kGroupFolder);
  for (const Entry& entry : listing) {
    if (entry.folder)
      store.remove_tree(entry.name);
    else
      store.remove(entry.name);
  }
}

std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options) {
  const std::uint32_t version = options.format_version.value_or(kWriteVersion);
  if (version < 3 || version > kWriteVersion)
    fail(ErrorKind::unsupported, "format version {} cannot be written; 3 to {} can", version, kWriteVersion);
  const Schema full = with_defaults(schema);
  return create_array(std::move(store), from_model(full, version), full.enumerations, options);
}

std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, ArraySchema stored,
                                    const std::vector<Enumeration>& enumerations, const CreateOptions& options) {
  for (const Enumeration& enumeration : enumerations) stored.enumerations.emplace_back(enumeration.name, "");
  check_new_schema(stored, enumerations);
  stored.enumerations.clear();
  name_fields(stored);
  const Key key = make_key(options.key);
  const std::uint64_t time = options.at != 0 ? options.at : now_ms();

  make_room(*store, options.overwrite);
  for (const SchemaLabel& label : stored.labels)
    write_array(*sub_store(store, label.uri), label_schema(stored, label), {}, time, key);
  const std::string file = write_array(*store, std::move(stored), enumerations, time, key);

  OpenOptions open;
  open.key = options.key;
  open.work = options.work;
  if (time > now_ms()) open.at = {0, time};
  // The new array is its schema.
  KnownStore known(*store);
  known.learn(Listing{{{file, 0, ""}}, true});
  return std::make_shared<TiledbArray>(std::move(store), open, &known);
}

}  // namespace tegula::tiledb
