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

// Views into the payload of the generic tile, by name of the fragment's folder, whatever the array was called when it
// was written.
std::map<std::string, ByteView> decode_footers(Cursor in);
// Names as they are to be stored, with the footer of each (without its trailing length).
void encode_footers(std::span<const std::pair<std::string, ByteView>> footers, Bytes& out);

}  // namespace tegula::tiledb
