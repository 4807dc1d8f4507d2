// CRC-32C: the Castagnoli polynomial, reflected (0x82f63b78), as in iSCSI (RFC 3720) and zarr v3's "crc32c" codec and
// shard indexes.
//
// x86's crc32 instruction takes 3 cycles and starts one per cycle, so three neighbouring stripes are computed side
// by side and joined by multiplying a stripe's remainder by x^(8 * stripe length), with tables made at compile time.

#include "codec/checksum/crc32c.h"

#include <array>
#include <bit>

#include "base/endian.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace tegula::codec {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;

// table[k][b]: the remainder of byte b followed by k zero bytes.
constexpr auto make_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> table{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t r = b;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ ((r & 1) ? kPolynomial : 0);
    table[0][b] = r;
  }
  for (std::size_t k = 1; k < table.size(); ++k)
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t r = table[k - 1][b];
      table[k][b] = (r >> 8) ^ table[0][r & 0xff];
    }
  return table;
}
constexpr auto kTables = make_tables();

std::uint32_t update_plain(std::uint32_t crc, const std::byte* p, std::size_t n) {
  for (; n >= 8; n -= 8, p += 8) {
    const std::uint64_t v = load_le<std::uint64_t>(p) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(v >> (8 * i)) & 0xff];
  }
  for (; n > 0; --n, ++p) crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(*p)) & 0xff];
  return crc;
}

#if defined(__x86_64__)

constexpr std::size_t kStripe = 1024;

// shift[i][b]: what byte i of a remainder, being b, becomes when kStripe zero bytes follow.
constexpr auto make_shift() {
  std::array<std::uint32_t, 32> of_bit{};
  for (std::size_t bit = 0; bit < 32; ++bit) {
    std::uint32_t r = std::uint32_t{1} << bit;
    for (std::size_t i = 0; i < kStripe; ++i) r = (r >> 8) ^ kTables[0][r & 0xff];
    of_bit[bit] = r;
  }
  std::array<std::array<std::uint32_t, 256>, 4> shift{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t b = 1; b < 256; ++b) {
      const auto low = static_cast<std::size_t>(std::countr_zero(b));
      shift[i][b] = shift[i][b & (b - 1)] ^ of_bit[8 * i + low];
    }
  return shift;
}
constexpr auto kShift = make_shift();

std::uint32_t shift_stripe(std::uint32_t crc) {
  return kShift[0][crc & 0xff] ^ kShift[1][(crc >> 8) & 0xff] ^ kShift[2][(crc >> 16) & 0xff] ^ kShift[3][crc >> 24];
}

__attribute__((target("sse4.2"))) std::uint32_t update_sse42(std::uint32_t crc, const std::byte* p, std::size_t n) {
  for (; n >= 3 * kStripe; n -= 3 * kStripe, p += 3 * kStripe) {
    std::uint64_t a = crc, b = 0, c = 0;
    for (std::size_t i = 0; i < kStripe; i += 8) {
      a = _mm_crc32_u64(a, load<std::uint64_t>(p + i));
      b = _mm_crc32_u64(b, load<std::uint64_t>(p + kStripe + i));
      c = _mm_crc32_u64(c, load<std::uint64_t>(p + 2 * kStripe + i));
    }
    crc = shift_stripe(shift_stripe(static_cast<std::uint32_t>(a)) ^ static_cast<std::uint32_t>(b)) ^
          static_cast<std::uint32_t>(c);
  }
  std::uint64_t wide = crc;
  for (; n >= 8; n -= 8, p += 8) wide = _mm_crc32_u64(wide, load<std::uint64_t>(p));
  crc = static_cast<std::uint32_t>(wide);
  for (; n > 0; --n, ++p) crc = _mm_crc32_u8(crc, std::to_integer<unsigned char>(*p));
  return crc;
}

#endif

}  // namespace

namespace plain {
std::uint32_t crc32c(ByteView data) { return ~update_plain(~std::uint32_t{0}, data.data(), data.size()); }
}  // namespace plain

std::uint32_t crc32c(ByteView data) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~update_sse42(~std::uint32_t{0}, data.data(), data.size());
#endif
  return plain::crc32c(data);
}

}  // namespace tegula::codec
