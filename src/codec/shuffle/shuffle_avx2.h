// Steps that the byte and the bit shuffle with AVX2 share.
//
// A register is two lanes of 16 bytes: rows r .. r + 15 in the lower, r + 16 .. r + 31 in the upper. Give a byte of 2^n
// registers the number whose upper bits are the register's and whose lower four are the byte's in its lane. Unpacking
// registers i and i + half rotates that number by one place, so that four steps exchange rows and columns. Three of
// them need eight registers; the fourth goes through memory: it would need all sixteen registers.
#pragma once

#include "codec/shuffle/shuffle_kernels.h"

#ifdef TEGULA_SHUFFLE_AVX2

#include <immintrin.h>

#define TEGULA_AVX2 __attribute__((target("avx2")))
#define TEGULA_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

namespace tegula::codec::avx2 {

inline constexpr std::size_t kRows = 32;     // of a tile: the bytes of a register
inline constexpr std::size_t kColumns = 16;  // of a tile: the bytes of a lane

TEGULA_AVX2_INLINE __m256i load(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
TEGULA_AVX2_INLINE void store(std::byte* p, __m256i v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }

TEGULA_AVX2_INLINE __m256i load_lanes(const std::byte* low, const std::byte* high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
                                 _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
}

template <int N>
TEGULA_AVX2_INLINE void rotate_once(const __m256i (&a)[N], __m256i (&b)[N]) {
#pragma GCC unroll 8
  for (int i = 0; i < N / 2; ++i) {
    b[2 * i] = _mm256_unpacklo_epi8(a[i], a[i + N / 2]);
    b[2 * i + 1] = _mm256_unpackhi_epi8(a[i], a[i + N / 2]);
  }
}

template <int Times, int N>
TEGULA_AVX2_INLINE void rotate(__m256i (&v)[N]) {
  __m256i w[N];
  rotate_once(v, w);
  if constexpr (Times == 1) {
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) v[i] = w[i];
  } else {
    rotate_once(w, v);
    if constexpr (Times > 2) rotate<Times - 2>(v);
  }
}

// Three quarters of the way from rows to columns: the pair of columns 2p, 2p + 1 becomes two registers at
// pairs + 2 * kRows * p, the even rows of both columns and the odd ones. Unpacking the two gives the columns.
TEGULA_AVX2_INLINE void rows_to_pairs(const std::byte* in, std::size_t stride, std::byte* pairs) {
#pragma GCC unroll 2
  for (std::size_t odd = 0; odd < 2; ++odd) {
    __m256i v[8];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 8; ++i) {
      const std::byte* row = in + (2 * i + odd) * stride;
      v[i] = load_lanes(row, row + kRows / 2 * stride);
    }
    rotate<3>(v);
#pragma GCC unroll 8
    for (std::size_t p = 0; p < 8; ++p) store(pairs + (2 * p + odd) * kRows, v[p]);
  }
}
// Rows 0 .. 7 of the lower lanes, and of the upper ones.
TEGULA_AVX2_INLINE void store_lows(const __m256i (&v)[8], std::byte* out, std::size_t stride) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 8; ++i)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * stride), _mm256_castsi256_si128(v[i]));
}
TEGULA_AVX2_INLINE void store_highs(const __m256i (&v)[8], std::byte* out, std::size_t stride) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 8; ++i)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * stride), _mm256_extracti128_si256(v[i], 1));
}

}  // namespace tegula::codec::avx2

#endif
