// Listings and schemas as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "serve/view/tree.h"

namespace tegula::serve {

// One level, sorted by name, from the first name behind `after` on; "more" says whether there are others.
Json listing_json(Tree& tree, const Place& place, const std::string& after, std::uint64_t limit);

// What a place is; of an array its schema, sizes, fragments and metadata. No cell is read.
Json info_json(const Place& place, const Work& work);

}  // namespace tegula::serve
