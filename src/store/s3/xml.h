// The XML answers of S3.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/objects/xml.h"
#include "tegula/bytes.h"

namespace tegula::s3 {

// Throws Error(io), naming `where`, unless it is a whole listing.
objects::ListPage read_list_page(ByteView xml, std::string_view where);

struct DeleteFailure {
  std::string key, code, message;
};
// What a batch delete could not delete. Throws Error(io) unless it is the answer to one.
std::vector<DeleteFailure> read_delete_result(ByteView xml, std::string_view where);

}  // namespace tegula::s3
