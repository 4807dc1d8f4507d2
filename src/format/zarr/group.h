// Hierarchies of formats 2 and 3.
#pragma once

#include <memory>

#include "store/store.h"
#include "store/wrap/known_store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// Opens a folder with a group document, or a plain folder that holds arrays.
// `known` is the store with what was read of it just before.
std::shared_ptr<Group> open_zarr_group(std::shared_ptr<Store> store, KnownStore& known);
// Writes the document of a group of "zarr2" or "zarr3" and opens it. A folder that holds only nodes of that version,
// and so is a group already, gets its document; anything else that is there is handled as by create_array().
std::shared_ptr<Group> create_zarr_group(std::shared_ptr<Store> store, std::string_view format,
                                         const CreateOptions& options);
// The version of the zarr nodes in a folder without documents; -1 when there are none.
int implicit_group(const Store& store);

}  // namespace tegula::zarr
