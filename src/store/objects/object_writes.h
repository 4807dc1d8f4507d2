// Writing objects of a bucket.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "store/objects/bucket.h"
#include "store/store.h"

namespace tegula::objects {

// Large ones by several requests at once.
void put_object(Bucket& bucket, const std::string& key, std::span<const ByteView> parts);
// See Store::put_if(); by conditions that the server has to know.
bool put_object_if(Bucket& bucket, const std::string& key, std::span<const ByteView> parts, const std::string& state);

}  // namespace tegula::objects
