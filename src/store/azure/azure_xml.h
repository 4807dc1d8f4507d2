// The XML answers of Azure's blob service.
#pragma once

#include <string_view>

#include "store/objects/xml.h"
#include "tegula/bytes.h"

namespace tegula::azure {

// Throws Error(io), naming `where`, unless it is a whole listing of blobs. Folders of accounts with a hierarchy are
// left out of the keys: they are not files.
objects::ListPage read_blob_list(ByteView xml, std::string_view where);

}  // namespace tegula::azure
