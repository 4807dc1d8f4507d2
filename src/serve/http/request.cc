#include "serve/http/request.h"

#include <algorithm>

#include "base/utf8.h"

namespace tegula::serve {

namespace {

bool is_token(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kMarks.find(c) != kMarks.npos;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

using Outcome = std::optional<Refusal>;

Outcome parse_query(std::string_view text, Request& request) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (item.empty()) continue;
    const std::size_t mark = std::min(item.find('='), item.size());
    const auto name = percent_decode(item.substr(0, mark), true);
    const auto value = percent_decode(item.substr(std::min(mark + 1, item.size())), true);
    if (!name || !value) return Refusal{400, "the query of the URL is not encoded as UTF-8 with %XX"};
    request.query.emplace_back(*name, *value);
  }
  return std::nullopt;
}

Outcome parse_path(std::string_view text, Request& request) {
  text.remove_prefix(1);
  request.folder = text.empty() || text.back() == '/';
  if (text == "/") return Refusal{400, "a part of the path is empty"};
  if (request.folder && !text.empty()) text.remove_suffix(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('/'), text.size());
    const auto part = percent_decode(text.substr(0, end));
    if (end + 1 == text.size()) return Refusal{400, "a part of the path is empty"};
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!part) return Refusal{400, "the path of the URL is not encoded as UTF-8 with %XX"};
    if (part->empty() || *part == "." || *part == ".." || part->find_first_of("/\\") != part->npos)
      return Refusal{400, "a part of the path is empty, '.', '..' or holds a slash"};
    request.path.push_back(*part);
  }
  return std::nullopt;
}

Outcome parse_target(std::string_view target, Request& request) {
  if (target.size() > kMostTarget) return Refusal{414, "the URL is longer than 8 KiB"};
  if (target == "*" && request.method == "OPTIONS") {
    request.target = target;
    return std::nullopt;
  }
  for (const std::string_view scheme : {"http://", "https://"})
    if (target.starts_with(scheme)) {
      const std::size_t slash = target.find('/', scheme.size());
      target = slash == target.npos ? "/" : target.substr(slash);
    }
  if (!target.starts_with('/')) return Refusal{400, "the URL does not begin with a slash"};
  request.target = target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  if (Outcome refused = parse_path(target.substr(0, mark), request)) return refused;
  return parse_query(target.substr(std::min(mark + 1, target.size())), request);
}

Outcome parse_request_line(std::string_view line, Request& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last || first == 0) return Refusal{400, "the request line has no three parts"};
  const std::string_view method = line.substr(0, first), target = line.substr(first + 1, last - first - 1),
                         version = line.substr(last + 1);
  if (!std::ranges::all_of(method, is_token) || method.size() > 32) return Refusal{400, "the method is no word"};
  if (!std::ranges::all_of(target, [](char c) { return c > ' ' && c != 0x7F; }))
    return Refusal{400, "the URL holds characters that must be encoded"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return Refusal{505, "this is not HTTP/1.1"};
  request.method = method;
  request.keep_alive = version == "HTTP/1.1";
  return parse_target(target, request);
}

Outcome parse_header(std::string_view line, Request& request) {
  if (request.headers.size() == kMostHeaders) return Refusal{431, "there are more than 100 headers"};
  const std::size_t colon = line.find(':');
  if (colon == line.npos || colon == 0 || !std::ranges::all_of(line.substr(0, colon), is_token))
    return Refusal{400, "a header has no name"};
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (std::ranges::any_of(value, [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7F; }))
    return Refusal{400, "a header holds control characters"};
  request.headers.emplace_back(lower(line.substr(0, colon)), value);
  return std::nullopt;
}

// What headers say together.
Outcome check_headers(Request& request) {
  std::size_t hosts = 0;
  for (const auto& [name, value] : request.headers) {
    if (name == "host") ++hosts;
    if (name == "transfer-encoding" || (name == "content-length" && value != "0"))
      return Refusal{413, "requests have no body here"};
    if (name == "connection") {
      const std::string wish = lower(value);
      if (wish.find("close") != wish.npos) request.keep_alive = false;
    }
  }
  if (hosts != 1 && (hosts > 1 || request.keep_alive)) return Refusal{400, "there must be one Host header"};
  return std::nullopt;
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers)
    if (key == name) return value;
  return {};
}

const std::string* Request::parameter(std::string_view name) const {
  for (const auto& [key, value] : query)
    if (key == name) return &value;
  return nullptr;
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit(text[i + 1]), low = digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  if (out.find('\0') != out.npos || !decode_utf8(out)) return std::nullopt;
  return out;
}

ParsedHead parse_head(std::string_view head) {
  ParsedHead out;
  if (head.size() > kMostHead) {
    out.refusal = {431, "the request is longer than 16 KiB"};
    return out;
  }
  bool first = true, ended = false;
  while (!head.empty() && !out.refusal) {
    const std::size_t end = head.find("\r\n");
    if (end == head.npos) break;
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != line.npos) {
      out.refusal = {400, "a line of the request is broken"};
    } else if (first) {
      out.refusal = parse_request_line(line, out.request);
      first = false;
    } else if (line.empty()) {
      ended = true;
      break;
    } else {
      out.refusal = parse_header(line, out.request);
    }
  }
  if (!out.refusal && !ended) out.refusal = {400, "the request does not end"};
  if (!out.refusal) out.refusal = check_headers(out.request);
  return out;
}

}  // namespace tegula::serve
