#include "store/s3/sigv4.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace tegula::s3 {

using objects::hex, objects::hmac_sha256, objects::sha256_hex;

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_signed(std::string_view name, const Dialect& dialect) {
  return name == "range" || name == "date" || name.starts_with(dialect.header);
}

void set_header(http::Headers& headers, std::string_view name, std::string value) {
  std::erase_if(headers, [&](const http::Header& header) { return lower(header.name) == name; });
  headers.push_back({std::string(name), std::move(value)});
}

std::string trimmed_value(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

}  // namespace

void sign(http::Request& request, const SigningPlace& place, const objects::Credentials& credentials,
          std::chrono::system_clock::time_point date, std::string_view payload_hash, const Dialect& dialect) {
  const auto own = [&](std::string_view name) { return std::string(dialect.header) + std::string(name); };
  const std::tm utc = fmt::gmtime(std::chrono::system_clock::to_time_t(date));
  const std::string stamp = fmt::format("{:%Y%m%dT%H%M%SZ}", utc), day = stamp.substr(0, 8);
  set_header(request.headers, own("date"), stamp);
  set_header(request.headers, own("content-sha256"), std::string(payload_hash));
  if (!credentials.token.empty()) set_header(request.headers, own("security-token"), credentials.token);

  std::vector<std::pair<std::string, std::string>> headers = {{"host", place.host}};
  for (const http::Header& header : request.headers)
    if (std::string name = lower(header.name); is_signed(name, dialect))
      headers.emplace_back(std::move(name), trimmed_value(header.value));
  std::sort(headers.begin(), headers.end());
  std::string canonical = fmt::format("{}\n{}\n{}\n", request.method, place.path, place.query), names;
  for (const auto& [name, value] : headers) {
    canonical += fmt::format("{}:{}\n", name, value);
    names += (names.empty() ? "" : ";") + name;
  }
  canonical += fmt::format("\n{}\n{}", names, payload_hash);

  const ByteView canonical_bytes = bytes_of(canonical);
  const std::string scope = fmt::format("{}/{}/{}/{}", day, place.region, dialect.service, dialect.end);
  const std::string text =
      fmt::format("{}\n{}\n{}\n{}", dialect.algorithm, stamp, scope, sha256_hex(std::span(&canonical_bytes, 1)));
  Bytes key = hmac_sha256(bytes_of(std::string(dialect.key_prefix) + credentials.secret), day);
  for (const std::string_view step : {std::string_view(place.region), dialect.service, dialect.end})
    key = hmac_sha256(key, step);
  set_header(request.headers, "authorization",
             fmt::format("{} Credential={}/{},SignedHeaders={},Signature={}", dialect.algorithm, credentials.key_id,
                         scope, names, hex(hmac_sha256(key, text))));
}

}  // namespace tegula::s3
