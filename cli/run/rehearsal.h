// Runs a change without changing anything, for --dry-run.
#pragma once

#include <functional>
#include <string>

#include "run/opening.h"

namespace tegula::cli {

// Runs a change up to the first file that it would write or remove: a request that makes no sense throws what the real
// change would throw.
void rehearse(const std::string& uri, const OpenFlags& flags, const Globals& globals,
              const std::function<void(Array&)>& change);

}  // namespace tegula::cli
