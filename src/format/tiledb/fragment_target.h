// New TileDB arrays as targets of a copy.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "format/stored_copy.h"
#include "model/cell_box.h"

namespace tegula::tiledb {

// CopyHooks of TileDB.
std::unique_ptr<FragmentTarget> fragment_target(const CopySource& source, Array& to, bool copy_tiles, const Work& work);
std::optional<std::vector<CellBox>> written_boxes(const Array& array, const Work& work);

}  // namespace tegula::tiledb
