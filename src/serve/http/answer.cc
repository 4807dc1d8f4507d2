#include "serve/http/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "codec/compress/gzip_stream.h"
#include "codec/compress/zstd.h"

namespace tegula::serve {

namespace {

struct Reason {
  int status;
  std::string_view text;
};
constexpr Reason kReasons[] = {{200, "OK"},
                               {204, "No Content"},
                               {206, "Partial Content"},
                               {304, "Not Modified"},
                               {400, "Bad Request"},
                               {401, "Unauthorized"},
                               {404, "Not Found"},
                               {405, "Method Not Allowed"},
                               {408, "Request Timeout"},
                               {412, "Precondition Failed"},
                               {413, "Content Too Large"},
                               {414, "URI Too Long"},
                               {416, "Range Not Satisfiable"},
                               {421, "Misdirected Request"},
                               {422, "Unprocessable Content"},
                               {431, "Request Header Fields Too Large"},
                               {500, "Internal Server Error"},
                               {503, "Service Unavailable"},
                               {505, "HTTP Version Not Supported"}};

constexpr std::size_t kWorthCompressing = 512;  // bytes

std::string_view next_item(std::string_view& list) {
  const std::size_t end = std::min(list.find(','), list.size());
  std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  while (item.starts_with(' ') || item.starts_with('\t')) item.remove_prefix(1);
  while (item.ends_with(' ') || item.ends_with('\t')) item.remove_suffix(1);
  return item;
}

// Numbers beyond 2^64 are as good as the largest.
std::optional<std::uint64_t> number(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc::result_out_of_range ? UINT64_MAX : value;
}

// Another representation of the same has another tag.
std::string encoded_tag(std::string_view tag, std::string_view mark) {
  if (tag.size() < 2) return {};
  return fmt::format("{}{}\"", tag.substr(0, tag.size() - 1), mark);
}

}  // namespace

Answer text_answer(int status, std::string_view text) {
  Answer out;
  out.status = status;
  out.body = copy_of(bytes_of(text));
  if (!text.empty() && text.back() != '\n') out.body.push_back(std::byte{'\n'});
  return out;
}

RangeAsked asked_range(std::string_view header, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return {};
  header.remove_prefix(kUnit.size());
  const std::size_t dash = header.find('-');
  if (dash == header.npos || header.find(',') != header.npos) return {};
  const std::string_view from = header.substr(0, dash), to = header.substr(dash + 1);
  const std::optional<std::uint64_t> first = number(from), last = number(to);
  if (from.empty()) {
    if (!last) return {};
    if (*last == 0 || size == 0) return {RangeKind::unsatisfiable, {}};
    return {RangeKind::span, {size - std::min(size, *last), size - 1}};
  }
  if (!first || (!to.empty() && (!last || *last < *first))) return {};
  if (*first >= size) return {RangeKind::unsatisfiable, {}};
  return {RangeKind::span, {*first, std::min(last.value_or(UINT64_MAX), size - 1)}};
}

bool lists_tag(std::string_view header, std::string_view tag) {
  while (!header.empty()) {
    std::string_view item = next_item(header);
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == "*" ||
        (!item.empty() && (item == tag || item == encoded_tag(tag, "-z") || item == encoded_tag(tag, "-g"))))
      return true;
  }
  return false;
}

std::string_view best_encoding(std::string_view accepted) {
  bool gzip = false;
  while (!accepted.empty()) {
    const std::string_view item = next_item(accepted);
    if (item.find(";q=0") != item.npos && item.find(";q=0.") == item.npos) continue;
    const std::string_view name = item.substr(0, item.find(';'));
    if (name == "zstd") return "zstd";
    gzip |= name == "gzip";
  }
  return gzip ? "gzip" : "";
}

std::optional<int> decided_by_tag(const Request& request, std::string_view tag) {
  const std::string_view must = request.header("if-match"), must_not = request.header("if-none-match");
  if (!must.empty() && !lists_tag(must, tag)) return 412;
  if (!must_not.empty() && lists_tag(must_not, tag)) return 304;
  return std::nullopt;
}

void shape_answer(Answer& answer, const Request& request, bool compress) {
  if (answer.status != 200) return;
  answer.headers.emplace_back("Accept-Ranges", "bytes");
  const std::uint64_t size = answer.size.value_or(answer.body.size());
  const std::string_view fresh = request.header("if-range");
  const RangeAsked range =
      fresh.empty() || fresh == answer.tag ? asked_range(request.header("range"), size) : RangeAsked{};
  if (range.kind == RangeKind::unsatisfiable) {
    answer.status = 416;
    answer.body.clear();
    answer.size.reset();
    answer.headers.emplace_back("Content-Range", fmt::format("bytes */{}", size));
    return;
  }
  if (range.kind == RangeKind::span) {
    const auto [first, last] = range.span;
    answer.status = 206;
    answer.headers.emplace_back("Content-Range", fmt::format("bytes {}-{}/{}", first, last, size));
    if (answer.size) {
      answer.size = last - first + 1;
      return;
    }
    answer.body.resize(last + 1);
    answer.body.erase(answer.body.begin(), answer.body.begin() + static_cast<std::ptrdiff_t>(first));
    return;
  }
  if (!compress || answer.size || size < kWorthCompressing) return;
  answer.headers.emplace_back("Vary", "Accept-Encoding");
  const std::string_view encoding = best_encoding(request.header("accept-encoding"));
  if (encoding.empty()) return;
  Bytes out;
  if (encoding == "zstd")
    codec::zstd_encode(answer.body, out, {.level = 1});
  else
    codec::gzip_encode_stream(answer.body, out, 1);
  answer.body = std::move(out);
  answer.headers.emplace_back("Content-Encoding", encoding);
  answer.tag = encoded_tag(answer.tag, encoding == "zstd" ? "-z" : "-g");
}

std::string head_of(const Answer& answer, bool keep_alive) {
  std::string_view reason = "Unknown";
  for (const Reason& row : kReasons)
    if (row.status == answer.status) reason = row.text;
  std::string out = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, reason);
  const bool no_body = answer.status == 304 || answer.status == 204;
  if (!no_body) {
    out += fmt::format("Content-Length: {}\r\n", answer.size.value_or(answer.body.size()));
    if (!answer.type.empty()) out += fmt::format("Content-Type: {}\r\n", answer.type);
  }
  if (!answer.tag.empty()) out += fmt::format("ETag: {}\r\n", answer.tag);
  for (const auto& [name, value] : answer.headers) out += fmt::format("{}: {}\r\n", name, value);
  if (!keep_alive) out += "Connection: close\r\n";
  return out + "\r\n";
}

}  // namespace tegula::serve
