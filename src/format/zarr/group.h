// Hierarchies of formats 2 and 3.
#pragma once

#include <memory>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// A folder with a group document, or a plain one with arrays below it.
std::shared_ptr<Group> open_zarr_group(std::shared_ptr<Store> store);
// Writes the document of a group of "zarr2" or "zarr3" and opens it. A folder that holds only nodes of that version,
// and so is a group already, gets its document; for anything else that is there, as create_array().
std::shared_ptr<Group> create_zarr_group(std::shared_ptr<Store> store, std::string_view format,
                                         const CreateOptions& options);
// Does a folder without documents hold zarr nodes? Gives their version, or -1.
int implicit_group(const Store& store);

}  // namespace tegula::zarr
