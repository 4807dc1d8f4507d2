// Commit files, which make fragments part of an array, and the removal of fragments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "format/tiledb/listing/array_listing.h"
#include "store/store.h"

namespace tegula::tiledb {

// Key of the commit file of a fragment; empty before version 5, where the metadata file commits.
std::string commit_file(std::string_view name, std::uint32_t version);

// Removes fragments, oldest first: first their commit files, after which readers do not see them, then their folders.
// Commits that are listed in a .con file are cancelled by an .ign file. When it is interrupted, some fragments stay,
// and folders that are not part of the array. Some of the fragments may be gone already. `known` is the store with what
// was read of it before, or null.
void remove_fragments(Store& store, std::span<const FragmentEntry> fragments, const Store* known = nullptr);
// The same, but readers see either all of them or none: a .con file lists them first, and one .ign file then cancels
// them all. Before version 12 there are no such files: if all fragments are that old, they are removed one by one.
void remove_together(Store& store, std::span<const FragmentEntry> fragments);

}  // namespace tegula::tiledb
