// blosclz: a byte-oriented LZ77 in the manner of FastLZ. A stream is a sequence of instructions:
//
//   control < 32     control + 1 literal bytes follow
//   control >= 32    a match: length (control >> 5) + 2, distance ((control & 31) << 8) + next byte + 1.
//                    Three length bits of 7: bytes follow which are added to the length, up to and with the first
//                    that is not 255; they stand before the distance byte.
//                    Five distance bits of 31 and a distance byte of 255: a big-endian u16 follows, distance = that +
//                    8192.
//
// The first instruction is always literals: the upper bits of the first control byte mean something else and are
// ignored. The default of C-Blosc and of bcolz before 1.1; zarr's default up to 0.4. There is no checksum.

#include "codec/blosc/blosclz_decode.h"

#include <cstring>

#include "base/endian.h"

namespace tegula::codec {

namespace {

constexpr std::size_t kFarDistance = 8192;
constexpr std::size_t kLongestLiterals = 32;

// Copies `length` bytes from `distance` bytes before `to`; the areas may overlap, which repeats a pattern. Up to 15
// bytes behind the copy may be written as long as they are before `end`.
void copy_match(std::byte* to, std::size_t distance, std::size_t length, const std::byte* end) {
  const std::byte* from = to - distance;
  if (distance == 1) {
    std::memset(to, std::to_integer<int>(*from), length);
    return;
  }
  constexpr std::size_t kWide = 16;
  const auto room = static_cast<std::size_t>(end - to);
  if (distance >= kWide && room >= length + kWide) {
    for (std::size_t i = 0; i < length; i += kWide) std::memcpy(to + i, from + i, kWide);
    return;
  }
  // Doubles the copied area: each step copies what is there already, and the areas of one step do not overlap.
  std::size_t ready = distance;
  while (length > 0) {
    const std::size_t step = ready < length ? ready : length;
    std::memcpy(to, from, step);
    to += step;
    length -= step;
    ready += step;
  }
}

}  // namespace

bool blosclz_decode_exact(ByteView in, MutableBytes out) {
  if (in.empty()) return out.empty();
  const std::byte* ip = in.data();
  const std::byte* const ip_end = ip + in.size();
  std::byte* const start = out.data();
  std::byte* op = start;
  std::byte* const op_end = start + out.size();
  const auto left = [&] { return static_cast<std::size_t>(ip_end - ip); };
  const auto room = [&] { return static_cast<std::size_t>(op_end - op); };

  for (auto control = std::to_integer<unsigned>(*ip++) & 31;; control = std::to_integer<unsigned>(*ip++)) {
    if (control < 32) {
      const std::size_t count = control + 1;
      if (count > left() || count > room()) return false;
      if (left() >= kLongestLiterals && room() >= kLongestLiterals)
        std::memcpy(op, ip, kLongestLiterals);
      else
        std::memcpy(op, ip, count);
      ip += count;
      op += count;
    } else {
      std::size_t length = (control >> 5) + 2;
      if (control >> 5 == 7) {
        unsigned more;
        do {
          if (left() == 0) return false;
          more = std::to_integer<unsigned>(*ip++);
          length += more;
        } while (more == 255);
      }
      if (left() == 0) return false;
      const std::size_t high = control & 31, low = std::to_integer<std::size_t>(*ip++);
      std::size_t distance = (high << 8) + low + 1;
      if (high == 31 && low == 255) {
        if (left() < 2) return false;
        distance = load_be<std::uint16_t>(ip) + kFarDistance;
        ip += 2;
      }
      if (distance > static_cast<std::size_t>(op - start) || length > room()) return false;
      copy_match(op, distance, length, op_end);
      op += length;
    }
    if (ip == ip_end) return op == op_end;
  }
}

}  // namespace tegula::codec
