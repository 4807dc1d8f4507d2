// The shuffles without vector instructions: for machines that have none, and to test the fast versions against.
#include <cstring>

#include "base/endian.h"
#include "codec/shuffle/shuffle_kernels.h"

namespace tegula::codec::plain {

namespace {

// Bit r of byte c becomes bit c of byte r; its own inverse.
std::uint64_t transpose_bits(std::uint64_t x) {
  std::uint64_t t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaULL;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000cccc0000ccccULL;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0ULL;
  return x ^ t ^ (t << 28);
}

using Part = void (*)(const std::byte*, std::byte*, std::size_t, std::size_t, std::size_t);

void whole(ByteView in, MutableBytes out, std::size_t element_size, std::size_t count, Part part) {
  part(in.data(), out.data(), element_size, 0, count);
  const std::size_t done = count * element_size;
  if (done < in.size()) std::memcpy(out.data() + done, in.data() + done, in.size() - done);
}

}  // namespace

void byteshuffle_from(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t first,
                      std::size_t count) {
  for (std::size_t j = 0; j < element_size; ++j)
    for (std::size_t i = first; i < count; ++i) out[j * count + i] = in[i * element_size + j];
}

void byteunshuffle_from(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t first,
                        std::size_t count) {
  for (std::size_t i = first; i < count; ++i)
    for (std::size_t j = 0; j < element_size; ++j) out[i * element_size + j] = in[j * count + i];
}

void bitshuffle_from(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t first,
                     std::size_t count) {
  const std::size_t row = count / 8;
  for (std::size_t k = 0; k < element_size; ++k) {
    for (std::size_t q = first / 8; q < row; ++q) {
      std::byte group[8];
      for (std::size_t e = 0; e < 8; ++e) group[e] = in[(8 * q + e) * element_size + k];
      store_le<std::uint64_t>(group, transpose_bits(load_le<std::uint64_t>(group)));
      for (std::size_t b = 0; b < 8; ++b) out[(8 * k + b) * row + q] = group[b];
    }
  }
}

void bitunshuffle_from(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t first,
                       std::size_t count) {
  const std::size_t row = count / 8;
  for (std::size_t q = first / 8; q < row; ++q) {
    for (std::size_t k = 0; k < element_size; ++k) {
      std::byte group[8];
      for (std::size_t b = 0; b < 8; ++b) group[b] = in[(8 * k + b) * row + q];
      store_le<std::uint64_t>(group, transpose_bits(load_le<std::uint64_t>(group)));
      for (std::size_t e = 0; e < 8; ++e) out[(8 * q + e) * element_size + k] = group[e];
    }
  }
}

void byteshuffle(ByteView in, MutableBytes out, std::size_t element_size) {
  whole(in, out, element_size, in.size() / element_size, byteshuffle_from);
}
void byteunshuffle(ByteView in, MutableBytes out, std::size_t element_size) {
  whole(in, out, element_size, in.size() / element_size, byteunshuffle_from);
}
void bitshuffle_block(ByteView in, MutableBytes out, std::size_t element_size) {
  whole(in, out, element_size, in.size() / element_size / 8 * 8, bitshuffle_from);
}
void bitunshuffle_block(ByteView in, MutableBytes out, std::size_t element_size) {
  whole(in, out, element_size, in.size() / element_size / 8 * 8, bitunshuffle_from);
}

}  // namespace tegula::codec::plain
