#include "codec/checksum/lookup3.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/endian.h"

namespace tegula::codec {

namespace {

using State = std::array<std::uint32_t, 3>;

// Rotations of the six steps of a round, and of the seven steps after the last block.
constexpr int kMix[] = {4, 6, 8, 16, 19, 4};
constexpr int kFinal[] = {14, 11, 25, 16, 4, 14, 24};

void add_block(State& s, const std::byte* block) {
  for (std::size_t i = 0; i < 3; ++i) s[i] += load_le<std::uint32_t>(block + 4 * i);
}

void mix(State& s) {
  for (std::size_t i = 0; i < 6; ++i) {
    const std::size_t a = i % 3, b = (i + 1) % 3, c = (i + 2) % 3;
    s[a] -= s[c];
    s[a] ^= std::rotl(s[c], kMix[i]);
    s[c] += s[b];
  }
}

void finish(State& s) {
  for (std::size_t i = 0; i < 7; ++i) {
    const std::size_t to = (i + 2) % 3, from = (i + 1) % 3;
    s[to] ^= s[from];
    s[to] -= std::rotl(s[from], kFinal[i]);
  }
}

}  // namespace

std::uint32_t lookup3(ByteView data, std::uint32_t seed) {
  const std::uint32_t start = 0xdeadbeef + static_cast<std::uint32_t>(data.size()) + seed;
  State state{start, start, start};
  // The last block, of 1 to 12 bytes, is mixed in another way; without any bytes nothing is mixed.
  for (; data.size() > 12; data = data.subspan(12)) {
    add_block(state, data.data());
    mix(state);
  }
  if (data.empty()) return state[2];
  std::array<std::byte, 12> last{};
  std::copy(data.begin(), data.end(), last.begin());
  add_block(state, last.data());
  finish(state);
  return state[2];
}

}  // namespace tegula::codec
