// Files of settings and keys.
#pragma once

#include <optional>
#include <string>

namespace tegula::objects {

// The whole text of a file, nothing when it is not there. Throws Error when it cannot be read or is larger than 1 MiB.
std::optional<std::string> small_file(const std::string& path);

}  // namespace tegula::objects
