#include "store/open/shown_uri.h"

#include <algorithm>

namespace tegula {

std::string shown_uri(std::string_view uri) {
  // "zip://https://host" has two schemes.
  std::size_t host = 0;
  std::string_view scheme;
  for (;;) {
    const std::size_t end = uri.find("://", host);
    if (end == std::string_view::npos || uri.find('/', host) < end) break;
    scheme = uri.substr(host, end - host);
    host = end + 3;
  }
  if (host == 0) return std::string(uri);
  const std::size_t query = std::min(uri.find('?', host), uri.size());
  const std::size_t path = std::min(uri.find('/', host), query), user = uri.substr(0, path).rfind('@');
  std::string out(uri.substr(0, host));
  // "az://container@account": the container is no user.
  const bool container = scheme.starts_with("az") || scheme.starts_with("abfs");
  const std::size_t named = container || user == std::string_view::npos || user < host ? host : user + 1;
  out += uri.substr(named, query - named);
  // The path inside of an archive follows the query.
  const std::size_t inside = uri.find("!/", query);
  if (inside != std::string_view::npos) out += uri.substr(inside);
  return out;
}

}  // namespace tegula
