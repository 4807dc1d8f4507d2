#include "text/numbers_text.h"

#include <charconv>

#include "base/fail.h"

namespace tegula::cli {

std::vector<std::uint64_t> parse_extents(const std::string& text, const char* option) {
  std::vector<std::uint64_t> out;
  if (text == "[]" || text == "()") return out;
  const char *at = text.data(), *end = text.data() + text.size();
  while (at != end) {
    std::uint64_t n = 0;
    const auto [next, error] = std::from_chars(at, end, n);
    const bool good = error == std::errc{} && (next == end || (*next == ',' && next + 1 != end));
    if (!good) fail(ErrorKind::invalid_argument, "{} {}: write numbers between commas, as in 100,200", option, text);
    out.push_back(n);
    at = next == end ? end : next + 1;
  }
  return out;
}

}  // namespace tegula::cli
