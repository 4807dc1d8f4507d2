// A zip archive as a store: its members are the files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/store.h"

namespace tegula {

// The archive `key` of another store, for reading only. Its directory is read here and kept. `inner` is the folder of
// the archive that becomes the root of the store, "" all of it. Without it this is the one top folder that holds
// everything, if there is one and its name does not begin with "__" (as those inside TileDB arrays do), else all of it.
//
// Whole members are checked against their CRC-32. Ranges of stored members are ranges of the archive, which no checksum
// covers; a member that is deflated is inflated whole for any of its ranges. Errors as in zip_directory.h.
std::shared_ptr<Store> open_zip_store(std::shared_ptr<Store> store, std::string key,
                                      const std::optional<std::string>& inner = std::nullopt);

}  // namespace tegula
