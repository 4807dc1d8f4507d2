// Removing the files that a consolidation has replaced.
#pragma once

#include <string>
#include <vector>

#include "format/tiledb/maintain/maintained_array.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

// Returns the keys of what it removes, or would remove in a dry run.
std::vector<std::string> vacuum_array(const MaintainedArray& array, const VacuumOptions& options);

}  // namespace tegula::tiledb
