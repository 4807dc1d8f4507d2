// A .meta file: the footers of many fragments in one place.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/cursor.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// The footers by the name of the fragment's folder, also when the array has been moved since. Views into the payload.
std::map<std::string, ByteView> decode_footers(Cursor in);
// `footers` holds names as they are to be stored, and footers without their trailing length.
void encode_footers(std::span<const std::pair<std::string, ByteView>> footers, Bytes& out);

}  // namespace tegula::tiledb
