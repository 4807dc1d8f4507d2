// Removing many objects with few requests.
#pragma once

#include <span>
#include <string>

#include "store/objects/bucket.h"

namespace tegula::s3 {

// A thousand by one request. Throws when the service could not remove one that is there.
void batch_delete(objects::Bucket& bucket, std::span<const std::string> keys);

}  // namespace tegula::s3
