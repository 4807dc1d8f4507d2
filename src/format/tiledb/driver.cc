#include "format/tiledb/driver.h"

#include "format/tiledb/array.h"
#include "format/tiledb/create.h"
#include "format/tiledb/group.h"
#include "format/tiledb/listing/object_kind.h"

namespace tegula::tiledb {

namespace {

constexpr std::string_view kFormats[] = {"tiledb"};

Found probe_store(const Store& store) {
  const ObjectKind kind = probe(store);
  return {kind, kind == ObjectKind::none ? "" : std::string(kFormats[0])};
}

std::shared_ptr<Array> open_store_array(std::shared_ptr<Store> store, const OpenOptions& options) {
  return std::make_shared<TiledbArray>(std::move(store), options);
}

std::shared_ptr<Group> open_store_group(std::shared_ptr<Store> store, const OpenOptions& options) {
  return std::make_shared<TiledbGroup>(std::move(store), options);
}

}  // namespace

const Driver kTiledbDriver = {"tiledb",         kFormats,     probe_store, open_store_array,
                              open_store_group, create_array, create_group};

}  // namespace tegula::tiledb
