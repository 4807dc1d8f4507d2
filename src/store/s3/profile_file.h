// ~/.aws/credentials and ~/.aws/config.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "store/objects/credentials.h"

namespace tegula::s3 {

using Profile = std::map<std::string, std::string>;

// The sections of an INI file: "[name]", "key = value", comments after # or ;. Indented lines belong to the line before
// and are left out. Never throws.
std::map<std::string, Profile> parse_profiles(std::string_view text);

// The profile of that name (empty: AWS_PROFILE or "default") of both files, the credentials file before the other.
// Throws Error(not_found) when a name was given that neither file has.
Profile read_profile(const objects::Environment& environment, const std::string& name);

}  // namespace tegula::s3
