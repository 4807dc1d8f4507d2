// Names of formats on the command line.
#pragma once

#include <string>

namespace tegula::cli {

// "tiledb, bcolz, zarr0 .. zarr3".
std::string known_formats();
// A family's name becomes its newest format: zarr is zarr3. Empty stays empty. Throws invalid_argument.
std::string full_format(const std::string& name);

}  // namespace tegula::cli
