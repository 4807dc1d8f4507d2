// The files that hold the documents of each version, and what they say is in a folder.
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
// What is in the folder `path` of the store. Only the names of files decide; of format 3 the document is read too.
// Folders with the name of a document do not count.
Node find_node(const Store& store, std::string_view path = "");

// Reads and parses the metadata of an array of that version, attributes included.
ArrayMeta load_meta(const Store& store, int version);
// Empty when there is no document. Throws corrupt unless it is an object.
Json load_attributes(const Store& store, int version);

}  // namespace tegula::zarr
