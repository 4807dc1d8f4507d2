// Blobs written in blocks.
#pragma once

#include <memory>
#include <string>

#include "store/objects/bucket.h"

namespace tegula::azure {

// Nobody sees the blocks before the list of them makes the blob; the service throws those away that no list names.
std::unique_ptr<objects::Parts> block_list(objects::Bucket& bucket, std::string key);

}  // namespace tegula::azure
