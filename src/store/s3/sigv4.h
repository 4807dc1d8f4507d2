// Signature Version 4, by which S3 knows who asks.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "store/http/http.h"
#include "store/objects/credentials.h"
#include "store/objects/encoding.h"

namespace tegula::s3 {

struct SigningPlace {
  std::string host;   // with the port where it is not the scheme's own
  std::string path;   // encoded
  std::string query;  // of objects::query_text()
  std::string region;
};

// The same method under two sets of names, which must not be mixed in one request.
struct Dialect {
  std::string_view algorithm;   // "AWS4-HMAC-SHA256"
  std::string_view key_prefix;  // "AWS4"
  std::string_view service;     // "s3"
  std::string_view end;         // "aws4_request"
  std::string_view header;      // "x-amz-"
};
inline constexpr Dialect kAwsDialect{"AWS4-HMAC-SHA256", "AWS4", "s3", "aws4_request", "x-amz-"};
inline constexpr Dialect kGoogleDialect{"GOOG4-HMAC-SHA256", "GOOG4", "storage", "goog4_request", "x-goog-"};

// Adds x-amz-date, x-amz-content-sha256, x-amz-security-token where there is one, and authorization. Signs these, the
// host, `date`, `range` and every other x-amz- header. Headers that it added before are replaced.
void sign(http::Request& request, const SigningPlace& place, const objects::Credentials& credentials,
          std::chrono::system_clock::time_point date, std::string_view payload_hash,
          const Dialect& dialect = kAwsDialect);

}  // namespace tegula::s3
