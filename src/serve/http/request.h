// Requests of HTTP/1.1, parsed by pure functions from bytes that anybody may have sent.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tegula::serve {

inline constexpr std::size_t kMostHead = 16 << 10;   // bytes of a request line with its headers
inline constexpr std::size_t kMostTarget = 8 << 10;  // bytes of a URL
inline constexpr std::size_t kMostHeaders = 100;

struct Request {
  std::string method;             // as sent: "GET"
  std::string target;             // as sent, without scheme and host
  std::vector<std::string> path;  // its parts, each decoded once; never empty, "." or "..", and without slashes
  bool folder = false;            // the path ends with a slash
  std::vector<std::pair<std::string, std::string>> query = {};    // decoded
  std::vector<std::pair<std::string, std::string>> headers = {};  // names in lower case
  bool keep_alive = true;

  // Empty when it is absent.
  std::string_view header(std::string_view name) const;
  // Null when it is absent.
  const std::string* parameter(std::string_view name) const;
};

// Why a request is refused.
struct Refusal {
  int status = 400;
  std::string text;
};

struct ParsedHead {
  Request request;
  std::optional<Refusal> refusal;
};

// `head` is a request line and headers with the empty line behind them. Requests with a body are refused: nothing here
// takes one.
ParsedHead parse_head(std::string_view head);

// Undoes %XX; no value for bad digits and for bytes that are no UTF-8 or hold a zero.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);

}  // namespace tegula::serve
