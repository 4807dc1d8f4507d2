// Stored schemas to schemas of the public API and back.
#pragma once

#include <cstdint>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "tegula/schema.h"

namespace tegula::tiledb {

// `enumerations` are those that schema.enumerations names, in that order.
Schema to_model(const ArraySchema& schema, std::vector<Enumeration> enumerations);
// Throws invalid_argument for what TileDB cannot store.
ArraySchema from_model(const Schema& schema, std::uint32_t version);
// Tells WebP filters the extents of the tiles, which are their images. Throws invalid_argument where there is no image.
void set_image_extents(Pipeline& filters, const std::vector<SchemaDimension>& dimensions);

}  // namespace tegula::tiledb
