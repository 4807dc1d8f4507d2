// What the environment and the AWS profile say about S3 and Google's buckets.
#pragma once

#include <map>
#include <string>

#include "store/objects/settings.h"

namespace tegula::s3 {

// The storage options, and for what they do not say the environment and, for AWS, the profile. See
// objects::parse_settings().
objects::Settings read_settings(objects::Service service, const std::map<std::string, std::string>& given,
                                const objects::Environment& environment = objects::process_environment());

}  // namespace tegula::s3
