// An enumeration: the values that the codes of an attribute stand for.
#pragma once

#include <string>

#include "base/cursor.h"
#include "tegula/schema.h"

namespace tegula::tiledb {

struct StoredEnumeration {
  std::string file;  // its own name
  Enumeration enumeration;
};

// The payload of a generic tile. Throws corrupt.
StoredEnumeration decode_enumeration(Cursor in);
void encode_enumeration(const StoredEnumeration& stored, Bytes& out);

}  // namespace tegula::tiledb
