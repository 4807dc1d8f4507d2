// Answers: what conditions and ranges of a request make of them, and their bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/http/request.h"
#include "tegula/bytes.h"

namespace tegula::serve {

struct Answer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string tag;  // quoted; empty: none
  Bytes body;
  std::optional<std::uint64_t> size = {};                         // of the body where it is left out (HEAD)
  std::vector<std::pair<std::string, std::string>> headers = {};  // besides those for the members above
};

// A text for people and programs.
Answer text_answer(int status, std::string_view text);

// Bytes `first` .. `last`, both included.
struct ByteSpan {
  std::uint64_t first = 0, last = 0;
};
enum class RangeKind : std::uint8_t { none, span, unsatisfiable };
struct RangeAsked {
  RangeKind kind = RangeKind::none;
  ByteSpan span;
};
// One range of a body of `size` bytes: "bytes=0-99", "bytes=100-", "bytes=-8". Several ranges, other units and text
// that is no range are ignored, as RFC 9110 allows.
RangeAsked asked_range(std::string_view header, std::uint64_t size);

// Is `tag` in the list of an If-None-Match or If-Match header? "*" is every tag. Tags of
// compressed answers stand for the plain one.
bool lists_tag(std::string_view header, std::string_view tag);

// The best encoding that the client offers with Accept-Encoding: "zstd", "gzip" or none.
std::string_view best_encoding(std::string_view accepted);

// Decides by the conditions of the request before a body is made: 304 or 412, or no value when the body is wanted.
std::optional<int> decided_by_tag(const Request& request, std::string_view tag);

// Cuts the range asked for out of a whole answer, or compresses it where `compress` is set and the client takes it.
void shape_answer(Answer& answer, const Request& request, bool compress);

// The status line and headers, with the empty line.
std::string head_of(const Answer& answer, bool keep_alive);

}  // namespace tegula::serve
