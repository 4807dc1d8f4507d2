// Small files as text.
#pragma once

#include <string>

namespace tegula::cli {

// A whole small file, or stdin for "-". Throws Error.
std::string read_text(const std::string& path);

}  // namespace tegula::cli
