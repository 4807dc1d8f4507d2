// Deleting cells, by a condition that readers apply, and deleting fragments for good.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/tiledb/read/snapshot.h"
#include "format/tiledb/write/fragment_writer.h"

namespace tegula::tiledb {

// See tegula/tiledb.h. `snapshot` is the array at the time of the delete.
void write_delete(const WriteTarget& target, const Snapshot& snapshot, std::string_view where, std::uint64_t time,
                  bool as_libtiledb);
std::vector<std::string> remove_fragments(Store& store, std::uint64_t first, std::uint64_t last);

}  // namespace tegula::tiledb
