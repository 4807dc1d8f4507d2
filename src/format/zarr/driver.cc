#include "format/zarr/driver.h"

#include "base/fail.h"
#include "format/zarr/array.h"
#include "format/zarr/create.h"
#include "format/zarr/group.h"
#include "format/zarr/meta/document_files.h"

namespace tegula::zarr {

namespace {

constexpr std::string_view kFormats[] = {"zarr0", "zarr1", "zarr2", "zarr3"};

Found probe(const Store& store) {
  const Node node = find_node(store);
  if (node.kind != ObjectKind::none) return {node.kind, std::string(kFormats[node.version])};
  const int version = implicit_group(store);
  return version < 0 ? Found{} : Found{ObjectKind::group, std::string(kFormats[version])};
}

std::shared_ptr<Array> open(std::shared_ptr<Store> store, const OpenOptions& options) {
  if (options.at) fail(ErrorKind::unsupported, "zarr arrays have no history");
  int version = -1;
  if (options.format.empty()) {
    const Node node = find_node(*store);
    if (node.kind != ObjectKind::array) fail(ErrorKind::not_found, "there is no zarr array");
    version = node.version;
  } else {
    for (int v = 0; v < 4; ++v)
      if (kFormats[v] == options.format) version = v;
    if (version < 0) fail(ErrorKind::invalid_argument, "'{}' is not a zarr format", options.format);
  }
  ArrayMeta meta = load_meta(*store, version);
  return std::make_shared<ZarrArray>(std::move(store), std::move(meta), options.missing);
}

std::shared_ptr<Group> open_group(std::shared_ptr<Store> store, const OpenOptions&) {
  return open_zarr_group(std::move(store));
}

}  // namespace

const Driver kZarrDriver{"zarr", kFormats, probe, open, open_group, create_array, create_zarr_group};

}  // namespace tegula::zarr
