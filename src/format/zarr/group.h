// Hierarchies of formats 2 and 3.
#pragma once

#include <memory>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// A folder with a group document, or a plain one with arrays below it.
std::shared_ptr<Group> open_zarr_group(std::shared_ptr<Store> store);
// Does a folder without documents hold zarr nodes? Gives their version, or -1.
int implicit_group(const Store& store);

}  // namespace tegula::zarr
