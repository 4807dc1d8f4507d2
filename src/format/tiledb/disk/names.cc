#include "format/tiledb/disk/names.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <vector>

#include "base/fail.h"

namespace tegula::tiledb {

namespace {

constexpr std::size_t kUuidLength = 32;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The codes of version 8. The last four are wrong: they belong to other characters.
constexpr std::pair<char, std::string_view> kEncoded[] = {
    {'!', "%21"}, {'#', "%23"}, {'$', "%24"}, {'%', "%25"}, {'&', "%26"}, {'\'', "%27"}, {'(', "%28"},  {')', "%29"},
    {'*', "%2A"}, {'+', "%2B"}, {',', "%2C"}, {'/', "%2F"}, {':', "%3A"}, {';', "%3B"},  {'=', "%3D"},  {'?', "%3F"},
    {'@', "%40"}, {'[', "%5B"}, {']', "%5D"}, {'"', "%22"}, {'<', "%20"}, {'>', "%2D"},  {'\\', "%30"}, {'|', "%3C"},
};

std::string data_file(std::uint32_t version, char letter, std::string_view name, std::size_t index) {
  if (version >= 9) return fmt::format("{}{}", letter, index);
  return version == 8 ? percent_encode(name) : std::string(name);
}

}  // namespace

std::string_view extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

std::string_view without_extension(std::string_view name) { return name.substr(0, name.rfind('.')); }

std::optional<TimedName> parse_timed_name(std::string_view name) {
  name = without_extension(name);
  if (!name.starts_with("__")) return std::nullopt;
  const std::vector<std::string_view> pieces = split(name.substr(2), '_');
  if (pieces.size() == 4 || (pieces.size() == 3 && pieces[2].size() == kUuidLength)) {
    const auto first = number<std::uint64_t>(pieces[0]), last = number<std::uint64_t>(pieces[1]);
    const auto version = pieces.size() == 4 ? number<std::uint32_t>(pieces[3]) : std::optional<std::uint32_t>(4);
    if (!first || !last || !version) return std::nullopt;
    return TimedName{*first, *last, *version};
  }
  if (pieces.size() != 2 && pieces.size() != 3) return std::nullopt;
  const auto time = number<std::uint64_t>(pieces.back());
  if (pieces[0].size() != kUuidLength || !time) return std::nullopt;
  return TimedName{*time, *time, 2};
}

std::string make_timed_name(std::uint64_t first, std::uint64_t last, std::string_view uuid, std::uint32_t version) {
  std::string name = fmt::format("__{}_{}_{}", first, last, uuid);
  if (version != 0) name += fmt::format("_{}", version);
  return name;
}

std::string make_uuid() {
  std::array<unsigned char, kUuidLength / 2> random;
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    fail(ErrorKind::io, "the system gives no random numbers");
  std::string text;
  for (const unsigned char byte : random) text += fmt::format("{:02x}", byte);
  return text;
}

std::string make_ordered_uuid() {
  using namespace std::chrono;
  const auto ns = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  return fmt::format("{:016x}", static_cast<std::uint64_t>(ns)) + make_uuid().substr(kUuidLength / 2);
}

std::uint64_t now_ms() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
}

std::string percent_encode(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto* found =
        std::find_if(std::begin(kEncoded), std::end(kEncoded), [&](const auto& row) { return row.first == c; });
    if (found == std::end(kEncoded)) {
      out += c;
    } else {
      out += found->second;
    }
  }
  return out;
}

std::string attribute_file(std::uint32_t version, std::string_view name, std::size_t index) {
  return data_file(version, 'a', name, index);
}

std::string dimension_file(std::uint32_t version, std::string_view name, std::size_t index) {
  return data_file(version, 'd', name, index);
}

}  // namespace tegula::tiledb
