// The shuffles with AVX2.
//
// Bytes: 16 columns (bytes of an element) of 32 rows (elements) are transposed in registers. One register holds 16
// bytes of row r in its lower and of row r + 16 in its upper lane. Unpacking registers i and i + half, four times over,
// rotates the number of a byte - register bits above position bits - by four places, and that is the transposition.
// With elements of 2, 4 or 8 bytes a lane holds 8, 4 or 2 rows, and the same four steps on 2, 4 or 8 registers do it.
//
// Bits: eight elements are one row of 8 * t bytes. Transposing the bytes of 32 such rows leaves byte k of elements i, 8
// + i, 16 + i ... in one register, for each i < 8; exchanging bits between the eight registers of a k makes the eight
// planes of 32 bytes. Undoing it is the same steps backwards, since both transpositions are their own inverse.
#include "codec/shuffle_kernels.h"

#ifdef TEGULA_SHUFFLE_AVX2

#include <immintrin.h>

#include <bit>

#define TEGULA_AVX2 __attribute__((target("avx2")))
#define TEGULA_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline

namespace tegula::codec::avx2 {

namespace {

constexpr std::size_t kRows = 32;       // of a tile: a register per column
constexpr std::size_t kColumns = 16;    // of a tile: a lane per row
constexpr std::size_t kElements = 256;  // of a step of the bit shuffle: 32 rows of 8

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
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) v[i] = w[i];
  } else {
    rotate_once(w, v);
    if constexpr (Times > 2) rotate<Times - 2>(v);
  }
}
template <int N>
TEGULA_AVX2_INLINE void rows_to_columns(__m256i (&v)[N]) {
  rotate<4>(v);
}
template <int N>
TEGULA_AVX2_INLINE void columns_to_rows(__m256i (&v)[N]) {
  rotate<std::countr_zero(static_cast<unsigned>(N))>(v);
}

// N bytes of each of 32 rows, which are N bytes long for N < 16 and `stride` bytes apart for N = 16.
template <int N>
TEGULA_AVX2_INLINE void load_rows(const std::byte* in, std::size_t stride, __m256i (&v)[N]) {
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i) {
    const std::byte* low = N == kColumns ? in + i * stride : in + i * kColumns;
    v[i] = load_lanes(low, low + (N == kColumns ? kRows / 2 * stride : N * kColumns));
  }
}
// In the order of the rows: what a row of less than 16 bytes writes too much is overwritten by the next.
template <int N>
TEGULA_AVX2_INLINE void store_rows(std::byte* out, std::size_t stride, const __m256i (&v)[N]) {
  const std::size_t step = N == kColumns ? stride : kColumns;
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * step), _mm256_castsi256_si128(v[i]));
#pragma GCC unroll 16
  for (int i = 0; i < N; ++i)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + (i + N) * step), _mm256_extracti128_si256(v[i], 1));
}

template <int N>
TEGULA_AVX2_INLINE void shuffle_tile(const std::byte* in, std::size_t in_stride, std::byte* out, std::size_t out_stride,
                                     int columns = N) {
  __m256i v[N];
  load_rows(in, in_stride, v);
  rows_to_columns(v);
  if (columns == N) {
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) store(out + i * out_stride, v[i]);
  } else {
    for (int i = 0; i < columns; ++i) store(out + i * out_stride, v[i]);
  }
}

template <int N>
TEGULA_AVX2_INLINE void unshuffle_tile(const std::byte* in, std::size_t in_stride, std::byte* out,
                                       std::size_t out_stride, int columns = N) {
  __m256i v[N];
  if (columns == N) {
#pragma GCC unroll 16
    for (int i = 0; i < N; ++i) v[i] = load(in + i * in_stride);
  } else {
    for (int i = 0; i < N; ++i) v[i] = i < columns ? load(in + i * in_stride) : _mm256_setzero_si256();
  }
  columns_to_rows(v);
  store_rows(out, out_stride, v);
}

// Rows whose tile stays inside a buffer of `count` elements although its lanes are wider than an element.
std::size_t whole_rows(std::size_t element_size, std::size_t count) {
  const std::size_t beyond = element_size < kColumns ? (kColumns - 1) / element_size : 0;
  return count < beyond ? 0 : (count - beyond) / kRows * kRows;
}

// Elements of N bytes, N a power of two.
template <int N>
TEGULA_AVX2 std::size_t byteshuffle_power(const std::byte* in, std::byte* out, std::size_t count) {
  const std::size_t rows = count / kRows * kRows;
  for (std::size_t i = 0; i < rows; i += kRows) shuffle_tile<N>(in + i * N, N, out + i, count);
  return rows;
}
template <int N>
TEGULA_AVX2 std::size_t byteunshuffle_power(const std::byte* in, std::byte* out, std::size_t count) {
  const std::size_t rows = count / kRows * kRows;
  for (std::size_t i = 0; i < rows; i += kRows) unshuffle_tile<N>(in + i, count, out + i * N, N);
  return rows;
}

// Two tiles at a time fill whole cache lines: with planes a power of two apart the lines of all planes fall into the
// same set of the cache, and a line that is filled by halves is fetched twice.
template <int N>
TEGULA_AVX2 std::size_t byteshuffle_lines(const std::byte* in, std::byte* out, std::size_t count) {
  alignas(32) std::byte before[N * kRows];
  const std::size_t rows = count / (2 * kRows) * (2 * kRows);
  for (std::size_t i = 0; i < rows; i += 2 * kRows) {
    shuffle_tile<N>(in + i * N, N, before, kRows);
    __m256i v[N];
    load_rows(in + (i + kRows) * N, N, v);
    rows_to_columns(v);
#pragma GCC unroll 16
    for (int c = 0; c < N; ++c) {
      store(out + i + c * count, load(before + c * kRows));
      store(out + i + c * count + kRows, v[c]);
    }
  }
  return rows;
}

// Bit i of register b becomes bit b of register i, byte by byte.
template <int Shift>
TEGULA_AVX2_INLINE void exchange(__m256i& a, __m256i& b, __m256i mask) {
  const __m256i t = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi64(a, Shift), b), mask);
  b = _mm256_xor_si256(b, t);
  a = _mm256_xor_si256(a, _mm256_slli_epi64(t, Shift));
}
TEGULA_AVX2_INLINE void transpose_bits(__m256i (&v)[8]) {
  const __m256i nibbles = _mm256_set1_epi8(0x0f), pairs = _mm256_set1_epi8(0x33), singles = _mm256_set1_epi8(0x55);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) exchange<4>(v[i], v[i + 4], nibbles);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) exchange<2>(v[i + i / 2 * 2], v[i + i / 2 * 2 + 2], pairs);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) exchange<1>(v[2 * i], v[2 * i + 1], singles);
}

// Bytes [first, first + size) of elements, `size` at most 16 and less than element_size only when it is 16. The scratch
// keeps byte k of every eighth element from i on in 32 bytes at (i * size + k) * 32.
using Scratch = std::byte[8 * kColumns * kRows];

// Calls tile(bytes from the start of a row, bytes from the start of the scratch).
template <class Tile>
TEGULA_AVX2_INLINE void for_each_tile(std::size_t element_size, std::size_t first, std::size_t size, Tile tile) {
  if (size == element_size) {
    for (std::size_t column = 0; column < 8 * size; column += kColumns) {
      const std::size_t inside = column + kColumns <= 8 * size ? column : 8 * size - kColumns;
      tile(inside, inside * kRows);
    }
  } else {
    for (std::size_t i = 0; i < 8; ++i) tile(i * element_size + first, i * size * kRows);
  }
}

TEGULA_AVX2_INLINE void rows_to_scratch(const std::byte* in, std::size_t element_size, std::size_t first,
                                        std::size_t size, Scratch& scratch) {
  if (element_size == 1) return shuffle_tile<8>(in, 0, scratch, kRows);
  for_each_tile(element_size, first, size, [&](std::size_t row_at, std::size_t scratch_at) TEGULA_AVX2 {
    shuffle_tile<kColumns>(in + row_at, 8 * element_size, scratch + scratch_at, kRows);
  });
}
TEGULA_AVX2_INLINE void scratch_to_rows(const Scratch& scratch, std::byte* out, std::size_t element_size,
                                        std::size_t first, std::size_t size) {
  if (element_size == 1) return unshuffle_tile<8>(scratch, kRows, out, 0);
  for_each_tile(element_size, first, size, [&](std::size_t row_at, std::size_t scratch_at) TEGULA_AVX2 {
    unshuffle_tile<kColumns>(scratch + scratch_at, kRows, out + row_at, 8 * element_size);
  });
}

// The bytes of an element in parts of at most 16, the last one moved back to be whole.
template <class Part>
TEGULA_AVX2_INLINE void for_each_part(std::size_t element_size, Part part) {
  if (element_size <= kColumns) return part(std::size_t{0}, element_size);
  for (std::size_t first = 0; first < element_size; first += kColumns)
    part(first + kColumns <= element_size ? first : element_size - kColumns, kColumns);
}

}  // namespace

TEGULA_AVX2 std::size_t byteshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count) {
  switch (element_size) {
    case 2:
      return byteshuffle_power<2>(in, out, count);
    case 4:
      return byteshuffle_power<4>(in, out, count);
    case 8:
      return byteshuffle_lines<8>(in, out, count);
    case 16:
      return byteshuffle_lines<16>(in, out, count);
    default:
      break;
  }
  const std::size_t rows = whole_rows(element_size, count);
  for (std::size_t i = 0; i < rows; i += kRows) {
    for_each_part(element_size, [&](std::size_t first, std::size_t size) TEGULA_AVX2 {
      shuffle_tile<kColumns>(in + i * element_size + first, element_size, out + first * count + i, count,
                             static_cast<int>(size));
    });
  }
  return rows;
}

TEGULA_AVX2 std::size_t byteunshuffle(const std::byte* in, std::byte* out, std::size_t element_size,
                                      std::size_t count) {
  switch (element_size) {
    case 2:
      return byteunshuffle_power<2>(in, out, count);
    case 4:
      return byteunshuffle_power<4>(in, out, count);
    case 8:
      return byteunshuffle_power<8>(in, out, count);
    case 16:
      return byteunshuffle_power<16>(in, out, count);
    default:
      break;
  }
  const std::size_t rows = whole_rows(element_size, count);
  for (std::size_t i = 0; i < rows; i += kRows) {
    for_each_part(element_size, [&](std::size_t first, std::size_t size) TEGULA_AVX2 {
      unshuffle_tile<kColumns>(in + first * count + i, count, out + i * element_size + first, element_size,
                               static_cast<int>(size));
    });
  }
  return rows;
}

TEGULA_AVX2 std::size_t bitshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count) {
  alignas(32) Scratch scratch;
  const std::size_t plane = count / 8;
  const std::size_t done = count / kElements * kElements;
  for (std::size_t e = 0; e < done; e += kElements) {
    for_each_part(element_size, [&](std::size_t first, std::size_t size) TEGULA_AVX2 {
      rows_to_scratch(in + e * element_size, element_size, first, size, scratch);
      for (std::size_t k = 0; k < size; ++k) {
        __m256i v[8];
#pragma GCC unroll 8
        for (std::size_t i = 0; i < 8; ++i) v[i] = load(scratch + (i * size + k) * kRows);
        transpose_bits(v);
#pragma GCC unroll 8
        for (std::size_t b = 0; b < 8; ++b) store(out + (8 * (first + k) + b) * plane + e / 8, v[b]);
      }
    });
  }
  return done;
}

TEGULA_AVX2 std::size_t bitunshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count) {
  alignas(32) Scratch scratch;
  const std::size_t plane = count / 8;
  const std::size_t done = count / kElements * kElements;
  for (std::size_t e = 0; e < done; e += kElements) {
    for_each_part(element_size, [&](std::size_t first, std::size_t size) TEGULA_AVX2 {
      for (std::size_t k = 0; k < size; ++k) {
        __m256i v[8];
#pragma GCC unroll 8
        for (std::size_t b = 0; b < 8; ++b) v[b] = load(in + (8 * (first + k) + b) * plane + e / 8);
        transpose_bits(v);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < 8; ++i) store(scratch + (i * size + k) * kRows, v[i]);
      }
      scratch_to_rows(scratch, out + e * element_size, element_size, first, size);
    });
  }
  return done;
}

}  // namespace tegula::codec::avx2

#endif
