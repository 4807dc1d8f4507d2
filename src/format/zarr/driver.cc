#include "format/zarr/driver.h"

#include "base/fail.h"
#include "format/zarr/array.h"
#include "format/zarr/carry_filters.h"
#include "format/zarr/create.h"
#include "format/zarr/group.h"
#include "format/zarr/meta/copies_around.h"
#include "format/zarr/meta/document_files.h"
#include "format/zarr/missing_value.h"
#include "format/zarr/stored_chunks.h"

namespace tegula::zarr {

namespace {

constexpr std::string_view kNames[] = {"zarr0", "zarr1", "zarr2", "zarr3"};
constexpr std::string_view kTitles[] = {"original zarr", "zarr v1", "zarr v2", "zarr v3"};

constexpr Format format(int version) {
  Format out{{.format = kNames[version],
              .family = "zarr",
              .title = kTitles[version],
              .create = true,
              .groups = version >= 2,
              .append = true,
              .resize = true,
              .scalars = version >= 2,
              .empty_axes = true,
              .column_order = version >= 1,
              .unwritten = true,
              .text = version >= 2,
              .numpy_types = true},
             {}};
  out.filters.shuffle_names = version >= 3;
  return out;
}

constexpr Format kFormats[] = {format(0), format(1), format(2), format(3)};

std::string_view default_filters(std::string_view format, const Datatype& type) {
  if (format == kNames[1] && type.is_date()) return "zlib:1";  // its Blosc refuses dates
  return type.size > 1 ? "blosc:lz4:5:shuffle" : "blosc:lz4:5:noshuffle";
}

// Of all versions, and their attributes.
constexpr std::string_view kDocumentFiles[] = {"zarr.json", ".zarray",   ".zattrs", ".zgroup", ".zmetadata",
                                               "__zmeta__", "__zattr__", "meta",    "attrs"};

Found probe(const Store& store) {
  const Node node = find_node(store);
  if (node.kind != ObjectKind::none) return {node.kind, std::string(kNames[node.version])};
  const int version = implicit_group(store);
  return version < 0 ? Found{} : Found{ObjectKind::group, std::string(kNames[version])};
}

bool plain_folder(const Store& store) { return find_node(store).kind == ObjectKind::none; }

std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions& options, KnownStore& known) {
  if (options.at) fail(ErrorKind::unsupported, "zarr arrays have no history");
  int version = -1;
  if (options.format.empty()) {
    const Node node = find_node(known);
    if (node.kind != ObjectKind::array) fail(ErrorKind::not_found, "there is no zarr array");
    version = node.version;
  } else {
    for (int v = 0; v < 4; ++v)
      if (kNames[v] == options.format) version = v;
    if (version < 0) fail(ErrorKind::invalid_argument, "'{}' is not a zarr format", options.format);
    if (known.hints().remote()) {
      std::vector<std::string> files{std::string(kDocuments[version].array)};
      if (kDocuments[version].attributes != kDocuments[version].array)
        files.emplace_back(kDocuments[version].attributes);
      known.learn_files(files);
    }
  }
  ArrayMeta meta = load_meta(known, version);
  return std::make_shared<ZarrArray>(std::move(store), std::move(meta), options.missing);
}

// What was there before may have been of another version.
void placed(const std::shared_ptr<Store>& store) {
  const Node node = find_node(*store);
  for (const int version : {2, 3}) {
    const CopiesAround copies(store, version, node.kind);
    if (node.kind != ObjectKind::none && node.version == version) make_groups_around(*store, version);
    copies.refresh(true);
  }
}

const Store& store_of(const Array& array) { return dynamic_cast<const ZarrArray&>(array).store(); }

std::string state(const Store& store) {
  std::string text;
  for (const std::string_view name : kDocumentFiles) text += store.get_stated(name).state + '\n';
  return text;
}

std::shared_ptr<Group> open_group(std::shared_ptr<Store> store, const OpenOptions&, KnownStore& known) {
  return open_zarr_group(std::move(store), known);
}

}  // namespace

const Driver kZarrDriver{
    .family = "zarr",
    .formats = kFormats,
    .probe = probe,
    .open_known = open,
    .open_group_known = open_group,
    .create = create_array,
    .create_group = create_zarr_group,
    .documents = kDocumentFiles,
    .plain_folder = plain_folder,
    .placed = placed,
    .store_of = store_of,
    .default_filters = default_filters,
    .carry_filters = carry_filters,
    .missing_value = missing_value,
    .mark_missing = mark_missing,
    .copy = {.written_boxes = written_boxes, .chunks_fit = chunks_fit, .copy_stored = copy_chunks},
    .stored_grid = stored_grid,
    .state = state,
};

}  // namespace tegula::zarr
