// Objects written in parts.
#pragma once

#include <memory>
#include <string>

#include "store/objects/bucket.h"
#include "store/store.h"

namespace tegula::objects {

// Keeps a small object until it appears, which takes one request. Sends a large one in parts, several at once, which
// nobody sees before it appears, and which are thrown away when it does not.
std::unique_ptr<Upload> begin_upload(Bucket& bucket, std::string key);

}  // namespace tegula::objects
