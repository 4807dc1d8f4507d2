// Writing and removing objects of a bucket.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "store/s3/bucket.h"
#include "store/store.h"

namespace tegula::s3 {

// Large ones by several requests at once.
void put_object(Bucket& bucket, const std::string& key, std::span<const ByteView> parts);
// See Store::put_if(); by conditions that the server has to know.
bool put_object_if(Bucket& bucket, const std::string& key, std::span<const ByteView> parts, const std::string& state);
// A thousand by one request where the service knows such requests.
void remove_objects(Bucket& bucket, std::span<const std::string> keys);

}  // namespace tegula::s3
