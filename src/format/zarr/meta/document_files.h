// Where each version keeps its documents, and what is stored at a place.
#pragma once

#include <string_view>

#include "format/zarr/meta/array_meta.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::zarr {

// Metadata and attributes documents; format 3 has both in one.
struct DocumentNames {
  std::string_view array, attributes, group;
};
constexpr DocumentNames kDocuments[] = {{"__zmeta__", "__zattr__", ""},
                                        {"meta", "attrs", ""},
                                        {".zarray", ".zattrs", ".zgroup"},
                                        {"zarr.json", "zarr.json", "zarr.json"}};

struct Node {
  ObjectKind kind = ObjectKind::none;
  int version = 0;
};
// What is in the folder `path` of the store. A v3 node is told by its document; nothing else is read. Folders that have
// the name of a document make no node.
Node find_node(const Store& store, std::string_view path = "");

// Reads and parses the metadata of an array of that version, attributes included.
ArrayMeta load_meta(const Store& store, int version);
// An absent document is an empty one. Throws corrupt unless it is an object.
Json load_attributes(const Store& store, int version);

}  // namespace tegula::zarr
