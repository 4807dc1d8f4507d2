// What a format family provides. The registry of all families is format/registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

struct Driver {
  std::string_view family;
  std::span<const std::string_view> formats;  // values of Schema::format it makes: "zarr0", "zarr1", ...
  // Looks at names, reads as little as possible; ObjectKind::none when it is not this family's.
  Found (*probe)(const Store& store);
  // OpenOptions::format, when set, is one of `formats`.
  std::shared_ptr<Array> (*open)(std::shared_ptr<Store> store, const OpenOptions& options);
  std::shared_ptr<Group> (*open_group)(std::shared_ptr<Store> store,
                                       const OpenOptions& options);  // null: has no groups
  // Null: read only.
  std::shared_ptr<Array> (*create)(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options);
  std::shared_ptr<Group> (*create_group)(std::shared_ptr<Store> store, std::string_view format,
                                         const CreateOptions& options);
};

}  // namespace tegula
