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
// The metadata in the text of a document of kDocuments[version].array; before version 3 without attributes.
ArrayMeta parse_meta(ByteView text, int version);
// Empty when there is no document. Throws corrupt unless it is an object.
Json load_attributes(const Store& store, int version);
// Changes attributes as they are stored now, so that of changes by several none is lost, and returns them. Throws
// not_found when the document that holds them must be there, as in version 3, and is not.
Json change_attributes(Store& store, int version, const std::map<std::string, std::optional<MetaValue>>& changes);

}  // namespace tegula::zarr
