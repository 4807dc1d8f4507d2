// New arrays from schemas.
#pragma once

#include <memory>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// Writes the documents of an empty array and opens it. Throws invalid_argument when something is there already, unless
// `overwrite` is set and it is zarr's.
std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options);

// Makes the folder ready for new documents. Throws invalid_argument when a node is there already, unless `overwrite` is
// set, and when something else is.
void make_room(Store& store, bool overwrite);

}  // namespace tegula::zarr
