// New arrays from schemas.
#pragma once

#include <memory>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// Writes the documents of an empty array and opens it. Throws invalid_argument when something is there already, unless
// `overwrite` is set and it is zarr's.
std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options);

}  // namespace tegula::zarr
