// Marks that make fragments part of an array, and taking them away again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "format/tiledb/listing/array_listing.h"
#include "store/store.h"

namespace tegula::tiledb {

// Key of the mark of a fragment; empty before version 5, where the metadata is the mark.
std::string commit_file(std::string_view name, std::uint32_t version);

// Removes fragments, oldest first: their marks, which ends them for readers, then their folders. Marks that a file of
// commits (.con) holds are struck out by another (.ign). A stop in between leaves the rest, and folders that are no
// part of the array. Some of the fragments may be gone already.
void remove_fragments(Store& store, std::span<const FragmentEntry> fragments);
// The same, and readers see all of them or none: they are put into a file of commits first, and struck out of it in one
// step. Where all are older than version 12, which has no such files, they go one by one.
void remove_together(Store& store, std::span<const FragmentEntry> fragments);

}  // namespace tegula::tiledb
