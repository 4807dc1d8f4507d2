// Lists of numbers on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tegula::cli {

// "100,200"; empty text, [] and () are the empty list. Throws invalid_argument that names the option.
std::vector<std::uint64_t> parse_extents(const std::string& text, const char* option);

}  // namespace tegula::cli
