// Consolidated metadata: the copies that a group keeps of the documents below it. Format 2 has them in `.zmetadata` of
// the group, by the path of each document; format 3 in the group's own zarr.json, by the path of each node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "store/store.h"
#include "tegula/array.h"
#include "tegula/work.h"

namespace tegula::zarr {

// The file of a group that holds its copies.
std::string_view file_of_copies(int version);
// The copies in the contents of that file; null when it holds none. `name` is for errors. Throws corrupt.
const Json* copies_in(const Json& contents, int version, std::string_view name);

// The contents of that file with the copies of one node in step with its documents, which are at `node` and may be
// absent; no value when they are already, or the file holds no copies. `path` is that of the node in the group; empty
// for the group itself. With `all_below`, copies of documents that are not there any more are removed below the node
// too.
std::optional<Json> with_node(const Json& contents, int version, std::string_view name, const std::string& path,
                              const Store& node, bool all_below);

// Makes or renews the copies of a group from the documents below it, which may change meanwhile.
void consolidate(Store& group, int version, const Work& work);

// In what the copies of a group differ from the documents below it: notes, and none when they are in step or there
// are no copies.
std::vector<Problem> stale_copies(const Store& group, int version, const Work& work);
// The same for one node.
std::vector<Problem> stale_copies(const Store& group, int version, const std::string& path, const Store& node);

}  // namespace tegula::zarr
