// Transposition of bytes or bits, so that bytes (bits) of equal weight lie side by side for a compressor.
//
// Element size t, n = size / t elements.
//   bytes:  out[j * n + i] = in[i * t + j]; the size % t bytes behind the last element are copied.
//   bits:   m = n rounded down to a multiple of 8; for byte k < t, for bit b < 8 (least significant first) m / 8 bytes,
//           byte q holding bit b of byte k of the elements 8q .. 8q+7, the first in its lowest bit; the rest is copied.
//
// The writers agree on the transposition and differ in what they apply it to: TileDB bitshuffles blocks of 8192 bytes
// and splits off a tail that is not a multiple of 8 bytes; Blosc 1 bitshuffles whole Blosc blocks, and only those whose
// count of elements is a multiple of 8; numcodecs' shuffle refuses a size that is not a multiple of t. Callers cut
// their input accordingly.
#include "codec/shuffle/shuffle.h"

#include <cstring>

#include "base/fail.h"
#include "codec/shuffle/shuffle_kernels.h"

namespace tegula::codec {

namespace {

using Fast = std::size_t (*)(const std::byte*, std::byte*, std::size_t, std::size_t);
using Part = void (*)(const std::byte*, std::byte*, std::size_t, std::size_t, std::size_t);

#ifdef TEGULA_SHUFFLE_AVX2
bool has_avx2() {
  static const bool yes = __builtin_cpu_supports("avx2") != 0;
  return yes;
}
#endif

void check(ByteView in, MutableBytes out, std::size_t element_size) {
  if (in.size() != out.size())
    fail(ErrorKind::invalid_argument, "shuffle of {} bytes into {} bytes", in.size(), out.size());
  if (element_size == 0) fail(ErrorKind::invalid_argument, "shuffle of elements of 0 bytes");
}

void transpose(ByteView in, MutableBytes out, std::size_t element_size, std::size_t count, [[maybe_unused]] Fast fast,
               Part rest) {
  std::size_t done = 0;
#ifdef TEGULA_SHUFFLE_AVX2
  if (has_avx2()) done = fast(in.data(), out.data(), element_size, count);
#endif
  if (done < count) rest(in.data(), out.data(), element_size, done, count);
  const std::size_t end = count * element_size;
  if (end < in.size()) std::memcpy(out.data() + end, in.data() + end, in.size() - end);
}

}  // namespace

#ifdef TEGULA_SHUFFLE_AVX2
#define TEGULA_FAST(name) avx2::name
#else
#define TEGULA_FAST(name) nullptr
#endif

void byteshuffle(ByteView in, MutableBytes out, std::size_t element_size) {
  check(in, out, element_size);
  const std::size_t count = element_size == 1 ? 0 : in.size() / element_size;
  transpose(in, out, element_size, count, TEGULA_FAST(byteshuffle), plain::byteshuffle_from);
}

void byteunshuffle(ByteView in, MutableBytes out, std::size_t element_size) {
  check(in, out, element_size);
  const std::size_t count = element_size == 1 ? 0 : in.size() / element_size;
  transpose(in, out, element_size, count, TEGULA_FAST(byteunshuffle), plain::byteunshuffle_from);
}

void bitshuffle_block(ByteView in, MutableBytes out, std::size_t element_size) {
  check(in, out, element_size);
  const std::size_t count = in.size() / element_size / 8 * 8;
  transpose(in, out, element_size, count, TEGULA_FAST(bitshuffle), plain::bitshuffle_from);
}

void bitunshuffle_block(ByteView in, MutableBytes out, std::size_t element_size) {
  check(in, out, element_size);
  const std::size_t count = in.size() / element_size / 8 * 8;
  transpose(in, out, element_size, count, TEGULA_FAST(bitunshuffle), plain::bitunshuffle_from);
}

}  // namespace tegula::codec
