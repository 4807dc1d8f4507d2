// What a case records beside its reads: metadata, groups, content hashes, what is stored where.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"

namespace tegula::conformance {

// Differences between the case in `folder` and what the library says of it; adds the number of things looked at to
// `checks`. Throws Error when something cannot be read.
std::vector<std::string> wrong_facts(const std::filesystem::path& folder, const Json& document, unsigned threads,
                                     std::size_t& checks);

}  // namespace tegula::conformance
