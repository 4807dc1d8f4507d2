#include "store/web/web_url.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "store/store.h"

namespace tegula {

namespace {

constexpr std::string_view kHttp = "http://", kHttps = "https://";

bool unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-_.~/").find(c) != std::string_view::npos;
}

std::string escaped(std::string_view text, bool (*plain)(char)) {
  std::string out;
  for (const char c : text) {
    if (plain(c))
      out.push_back(c);
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Where the host begins.
std::size_t host_of(std::string_view url) {
  if (url.starts_with(kHttp)) return kHttp.size();
  return url.starts_with(kHttps) ? kHttps.size() : 0;
}

std::string_view without_query(std::string_view url) { return url.substr(0, url.find_first_of("?#")); }

}  // namespace

WebUrl::WebUrl(std::string_view url) {
  url = url.substr(0, url.find('#'));
  const std::string_view path = without_query(url);
  if (path.size() < url.size()) query_ = url.substr(path.size());
  const std::size_t host = host_of(path), end = std::min(path.find('/', host), path.size());
  if (host == 0 || host == end)
    fail(ErrorKind::invalid_argument, "'{}' is no address of a web server (http://HOST/PATH)", path);
  // People paste addresses with spaces; what is escaped already stays so.
  base_ = escaped(path, [](char c) { return c > ' ' && static_cast<unsigned char>(c) < 0x7f; });
  while (base_.ends_with('/')) base_.pop_back();
  const std::size_t user = path.substr(0, end).rfind('@');
  shown_ = path.substr(0, host);
  const std::size_t named = user == std::string_view::npos || user < host ? host : user + 1;
  user_ = path.substr(host, named - host);
  shown_ += path.substr(named);
  while (shown_.ends_with('/')) shown_.pop_back();
}

std::string WebUrl::of(std::string_view key) const { return join(base_, escaped(key, unreserved)) + query_; }
std::string WebUrl::shown(std::string_view key) const { return join(shown_, key); }

std::string WebUrl::identity() const {
  if (user_.empty() && query_.empty()) return shown_;
  std::string hash;
  for (const std::byte byte : codec::sha256(bytes_of(user_ + query_)))
    hash += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return fmt::format("{}@{}", hash, shown_);
}

std::optional<std::string> redirected(std::string_view from, std::string_view location) {
  const std::size_t host = host_of(from);
  if (host == 0 || location.empty()) return std::nullopt;
  std::string to;
  if (host_of(location) != 0) {
    to = location;
  } else if (location.starts_with("//")) {
    to = fmt::format("{}{}", from.substr(0, host - 2), location);
  } else if (location.starts_with('/')) {
    to = fmt::format("{}{}", from.substr(0, std::min(without_query(from).find('/', host), without_query(from).size())),
                     location);
  } else if (location.find("://") != std::string_view::npos) {
    return std::nullopt;
  } else {
    const std::string_view path = without_query(from);
    const std::size_t slash = path.rfind('/');
    to = fmt::format("{}/{}", path.substr(0, slash < host ? path.size() : slash), location);
  }
  if (from.starts_with(kHttps) && !to.starts_with(kHttps)) return std::nullopt;
  return to;
}

bool is_folder_of(std::string_view from, std::string_view to) {
  // Behind a proxy the server may say another host or scheme, and it may drop the query.
  const auto path = [](std::string_view url) {
    url = without_query(url);
    return url.substr(std::min(url.find('/', host_of(url)), url.size()));
  };
  const std::string_view a = path(from), b = path(to);
  return b.size() == a.size() + 1 && b.ends_with('/') && b.starts_with(a);
}

}  // namespace tegula
