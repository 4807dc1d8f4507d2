// The multipart uploads of S3.
#pragma once

#include <memory>
#include <string>

#include "store/objects/bucket.h"

namespace tegula::s3 {

// Nobody sees the parts before the upload is completed; they are thrown away when it is not.
std::unique_ptr<objects::Parts> multipart(objects::Bucket& bucket, std::string key);

}  // namespace tegula::s3
