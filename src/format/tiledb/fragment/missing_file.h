// Files of fragments that are not there.
#pragma once

#include <string_view>

#include "store/store.h"

namespace tegula::tiledb {

// Fails because the file of a fragment is missing: corrupt when the fragment is part of the array, not_found when it is
// no more, because somebody vacuumed or deleted it since the array was opened.
[[noreturn]] void fail_missing(const Store& store, std::string_view key);

}  // namespace tegula::tiledb
