#include "store/azure/shared_key.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/fail.h"

namespace tegula::azure {

namespace {

Bytes from_base64(std::string_view text) {
  Bytes out(3 * (text.size() / 4) + 3);
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (text.empty() || text.size() % 4 != 0 || size < 0)
    fail(ErrorKind::invalid_argument, "the account_key is not a key: it has to be base64");
  std::size_t padding = 0;
  while (padding < 2 && text[text.size() - 1 - padding] == '=') ++padding;
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

}  // namespace

std::string text_to_sign(const http::Request& request, std::string_view account, std::string_view path,
                         const objects::Query& query) {
  const auto value = [&](std::string_view name) {
    const std::string* found = http::find(request.headers, name);
    return found ? *found : "";
  };
  std::uint64_t length = 0;
  for (const ByteView part : request.body) length += part.size();
  std::string text = request.method + "\n";
  for (const char* name : {"content-encoding", "content-language", "content-length", "content-md5", "content-type",
                           "date", "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"}) {
    const bool is_length = std::string_view(name) == "content-length";
    text += (is_length ? (length ? std::to_string(length) : "") : value(name)) + "\n";
  }
  std::vector<std::string> own;
  for (const http::Header& header : request.headers)
    if (header.name.starts_with("x-ms-")) own.push_back(fmt::format("{}:{}\n", header.name, header.value));
  std::ranges::sort(own);
  for (const std::string& line : own) text += line;
  text += fmt::format("/{}{}", account, path);
  std::map<std::string, std::string> sorted(query.begin(), query.end());
  for (const auto& [name, given] : sorted) text += fmt::format("\n{}:{}", name, given);
  return text;
}

std::string shared_key(std::string_view account, std::string_view key, std::string_view text) {
  return fmt::format("SharedKey {}:{}", account, objects::base64(objects::hmac_sha256(from_base64(key), text)));
}

}  // namespace tegula::azure
