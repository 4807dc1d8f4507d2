// Copies of stored chunks of carrays and ctables that need no decoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "format/stored_copy.h"
#include "format/stored_grid.h"

namespace tegula::bcolz {

// CopyHooks of bcolz. Rows fit when the new carray or ctable has the chunk length, types and filters of the columns it
// is made of. A chunk that is not there is Error(not_found).
bool rows_fit(const CopySource& source, const Schema& to);
std::uint64_t copy_rows(const CopySource& source, Array& to, Store& store, const Work& work);

// Driver::stored_grid: the full chunks of a carray, behind the header of their files.
std::optional<StoredGrid> stored_grid(const Array& array, std::string_view field);

}  // namespace tegula::bcolz
