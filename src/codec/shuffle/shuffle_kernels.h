// Implementations of the shuffles, private to this room. All have the contracts of shuffle.h.
#pragma once

#include "codec/shuffle/shuffle.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define TEGULA_SHUFFLE_AVX2 1
#endif

namespace tegula::codec {

namespace plain {
// The elements [first, count) of a transposition of `count` elements; the output of the others is not written.
void byteshuffle_from(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t first,
                      std::size_t count);
void byteunshuffle_from(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t first,
                        std::size_t count);
// first and count are multiples of 8.
void bitshuffle_from(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t first,
                     std::size_t count);
void bitunshuffle_from(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t first,
                       std::size_t count);
}  // namespace plain

#ifdef TEGULA_SHUFFLE_AVX2
// To be called only where the processor has AVX2. Each does the first elements and returns how many: the caller
// completes the transposition of `count` elements with the plain version.
namespace avx2 {
std::size_t byteshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count);
std::size_t byteunshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count);
std::size_t bitshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count);
std::size_t bitunshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count);
}  // namespace avx2
#endif

}  // namespace tegula::codec
