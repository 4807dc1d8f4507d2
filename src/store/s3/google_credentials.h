// Where programs on Google's cloud find their tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/objects/credentials.h"

namespace tegula::s3 {

// The JSON file of a service account or of a user (`gcloud auth application-default login`), then the metadata server.
std::vector<objects::CredentialSource> google_sources(const objects::Environment& environment, const std::string& file);

// A JSON web token, signed with the RSA key (PEM) of a service account. Throws Error(invalid_argument) when it is none.
std::string signed_token(const std::string& email, const std::string& audience, const std::string& key,
                         std::chrono::system_clock::time_point now);

}  // namespace tegula::s3
