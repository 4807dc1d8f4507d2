// What --dry-run of a change does: everything but change.
#pragma once

#include <functional>
#include <string>

#include "run/opening.h"

namespace tegula::cli {

// Runs a change up to the first file that it would write or remove, and not further: a request that makes no sense
// throws here as it would in earnest.
void rehearse(const std::string& uri, const OpenFlags& flags, const Globals& globals,
              const std::function<void(Array&)>& change);

// The same for an array that is still to be made, which is made in memory.
void rehearse_new(const std::string& uri, const Schema& schema, const CreateOptions& options,
                  const std::function<void(Array&)>& change);

}  // namespace tegula::cli
