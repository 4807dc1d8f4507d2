// New arrays from schemas.
#pragma once

#include <memory>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// Writes the documents of an empty array and opens it. Throws invalid_argument unless the folder is empty, or holds a
// zarr node and options.overwrite is set.
std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options);

// Clears the folder for a new node. Throws invalid_argument when it holds a zarr node and `overwrite` is not set, or
// anything else.
void make_room(const std::shared_ptr<Store>& store, bool overwrite);

}  // namespace tegula::zarr
