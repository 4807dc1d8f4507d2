#include "codec/checksum/fletcher32.h"

#include <algorithm>

namespace tegula::codec {

namespace {

// Sums modulo 65535, where 65535 stands for 0 unless nothing was added.
std::uint32_t folded(std::uint32_t sum) { return (sum & 0xFFFF) + (sum >> 16); }

// After this many words neither sum exceeds 32 bits when both begin below 2^17.
constexpr std::size_t kWords = 360;

}  // namespace

std::uint32_t fletcher32(ByteView data) {
  std::uint32_t first = 0, second = 0;
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(data[i]); };
  const std::size_t words = data.size() / 2;
  for (std::size_t begin = 0; begin < words; begin += kWords) {
    const std::size_t end = std::min(begin + kWords, words);
    for (std::size_t i = begin; i < end; ++i) {
      first += byte(2 * i) << 8 | byte(2 * i + 1);
      second += first;
    }
    first = folded(first);
    second = folded(second);
  }
  if (data.size() % 2 != 0) {
    first = folded(first + (byte(data.size() - 1) << 8));
    second = folded(second + first);
  }
  // The first folding may leave a carry.
  return folded(second) << 16 | folded(first);
}

}  // namespace tegula::codec
