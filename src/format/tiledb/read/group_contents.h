// The members of a group, as its details files list them.
#pragma once

#include <vector>

#include "format/tiledb/disk/group_members.h"
#include "format/tiledb/disk/names.h"
#include "format/tiledb/filter/generic_tile.h"
#include "store/store.h"

namespace tegula::tiledb {

// One level: members are not opened, so a group may contain itself. Groups from before 2.8 have no details files; their
// members are their sub-folders.
std::vector<GroupMember> read_group(const Store& store, const Key& key, const TimeWindow& window);

}  // namespace tegula::tiledb
