// Where programs that use AWS find their keys.
#pragma once

#include <string>
#include <vector>

#include "store/objects/credentials.h"

namespace tegula::s3 {

// In the order that the programs of AWS have: environment, web identity, profile, container, EC2.
std::vector<objects::CredentialSource> aws_sources(const objects::Environment& environment, const std::string& profile);

}  // namespace tegula::s3
