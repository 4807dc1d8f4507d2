// Creating arrays.
#pragma once

#include <memory>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::tiledb {

// Writes the folders and the schema of an empty array and opens it. Throws invalid_argument when something is there
// already, unless `overwrite` is set and it is a TileDB array or group.
std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options);
// The same for a schema that leaves nothing open; its version is that of the array. `enumerations` become those of
// `schema`, which names none yet.
std::shared_ptr<Array> create_array(std::shared_ptr<Store> store, ArraySchema schema,
                                    const std::vector<Enumeration>& enumerations, const CreateOptions& options);

// Makes a folder ready for a new array or group. Throws invalid_argument when something is there already; with
// `overwrite`, removes a TileDB array or group first.
void make_room(Store& store, bool overwrite);

}  // namespace tegula::tiledb
