#include "format/tiledb/driver.h"

#include "format/tiledb/array.h"
#include "format/tiledb/create.h"
#include "format/tiledb/fragment_target.h"
#include "format/tiledb/group.h"
#include "format/tiledb/listing/array_listing.h"
#include "format/tiledb/listing/object_kind.h"

namespace tegula::tiledb {

namespace {

constexpr std::string_view kName = "tiledb";
constexpr Format kFormats[] = {{{.format = kName,
                                 .family = kName,
                                 .title = "TileDB",
                                 .create = true,
                                 .groups = true,
                                 .members = true,
                                 .fragments = true,
                                 .history = true,
                                 .encryption = true,
                                 .versions = true,
                                 .sparse = true,
                                 .many_fields = true,
                                 .domains = true,
                                 .column_order = true,
                                 .unwritten = true,
                                 .nullable = true,
                                 .enumerations = true,
                                 .text = true,
                                 .lists = true,
                                 .typed_metadata = true},
                                {.explicit_none = true}}};

std::string_view default_filters(std::string_view, const Datatype& type) {
  return type.size > 1 ? "byteshuffle,zstd:5" : "zstd:5";
}

Found probe_store(const Store& store) {
  const ObjectKind kind = probe(store);
  return {kind, kind == ObjectKind::none ? "" : std::string(kName)};
}

std::shared_ptr<Array> open_store_array(std::shared_ptr<Store> store, const OpenOptions& options, KnownStore& known) {
  return std::make_shared<TiledbArray>(std::move(store), options, &known);
}

std::shared_ptr<Group> open_store_group(std::shared_ptr<Store> store, const OpenOptions& options, KnownStore&) {
  return std::make_shared<TiledbGroup>(std::move(store), options);
}

const Store& store_of(const Array& array) { return *tiledb_array(array).store(); }

// No file of an array changes: what there is says everything.
std::string state(const Store& store) {
  const ArrayListing listing = list_array(store);
  std::string text;
  for (const std::string& schema : listing.schemas) text += schema + '\n';
  for (const FragmentEntry& fragment : listing.fragments) text += fragment.folder + '\n';
  for (const VacuumEntry& vacuumed : listing.vacuumed) text += vacuumed.key + '\n';
  for (const ConditionEntry& condition : listing.conditions) text += condition.marker + '\n';
  if (listing.has_metadata_folder)
    for (const Entry& entry : store.list(kMetadataFolder)) text += entry.name + '\n';
  return text;
}

}  // namespace

const Driver kTiledbDriver = {
    .family = kName,
    .formats = kFormats,
    .probe = probe_store,
    .open_known = open_store_array,
    .open_group_known = open_store_group,
    .create = create_array,
    .create_group = create_group,
    .store_of = store_of,
    .default_filters = default_filters,
    .unnamed_attribute = "__attr",  // before version 5; the later ones refuse that name
    .copy = {.written_boxes = written_boxes, .fragments = fragment_target},
    .state = state,
};

}  // namespace tegula::tiledb
