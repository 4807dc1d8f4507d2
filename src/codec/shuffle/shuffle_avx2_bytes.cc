// The byte shuffle with AVX2.
//
// Elements of 2, 4 or 8 bytes: a lane holds 8, 4 or 2 rows, and the four steps on 2, 4 or 8 registers transpose 32
// rows. Elements of 3, 5, 6 or 7 bytes: 32 rows are t registers, each column is gathered from all of them by t byte
// permutations within lanes. All others: tiles of 16 columns, 8 at a time so that a column is visited for whole cache
// lines, because columns a power of two apart fall into the same few sets of the cache.
#include <array>
#include <bit>

#include "codec/shuffle/shuffle_avx2.h"

#ifdef TEGULA_SHUFFLE_AVX2

namespace tegula::codec::avx2 {

namespace {

TEGULA_AVX2_INLINE void store_lanes(__m256i v, std::byte* out, std::size_t apart) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(v));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out + apart), _mm256_extracti128_si256(v, 1));
}

// Elements of N bytes, N a power of two below 16.
template <int N>
TEGULA_AVX2_INLINE void load_power(const std::byte* in, __m256i (&v)[N]) {
#pragma GCC unroll 8
  for (int i = 0; i < N; ++i) v[i] = load_lanes(in + i * kColumns, in + (i + N) * kColumns);
  rotate<4>(v);
}
template <int N>
TEGULA_AVX2 std::size_t shuffle_power(const std::byte* in, std::byte* out, std::size_t count) {
  const std::size_t rows = count / kRows * kRows;
  for (std::size_t row = 0; row < rows; row += kRows) {
    __m256i v[N];
    load_power(in + row * N, v);
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) store(out + c * count + row, v[c]);
  }
  return rows;
}
// Two tiles at a time, to fill whole cache lines.
TEGULA_AVX2 std::size_t shuffle_8(const std::byte* in, std::byte* out, std::size_t count) {
  alignas(32) std::byte before[8 * kRows];
  const std::size_t rows = count / (2 * kRows) * (2 * kRows);
  for (std::size_t row = 0; row < rows; row += 2 * kRows) {
    __m256i v[8];
    load_power(in + row * 8, v);
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) store(before + c * kRows, v[c]);
    load_power(in + (row + kRows) * 8, v);
#pragma GCC unroll 8
    for (int c = 0; c < 8; ++c) {
      store(out + c * count + row, load(before + c * kRows));
      store(out + c * count + row + kRows, v[c]);
    }
  }
  return rows;
}
template <int N>
TEGULA_AVX2 std::size_t unshuffle_power(const std::byte* in, std::byte* out, std::size_t count) {
  const std::size_t rows = count / kRows * kRows;
  for (std::size_t row = 0; row < rows; row += kRows) {
    __m256i v[N];
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) v[c] = load(in + c * count + row);
    rotate<std::countr_zero(static_cast<unsigned>(N))>(v);
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) store_lanes(v[i], out + row * N + i * kColumns, N * kColumns);
  }
  return rows;
}

// Byte permutations between 16 elements of N bytes, which are N lanes, and their N columns.
template <int N>
struct Permutations {
  alignas(32) std::array<std::array<std::array<std::uint8_t, 32>, N>, N> to_column{}, to_lane{};
  constexpr Permutations() {
    for (auto* table : {&to_column, &to_lane})
      for (auto& row : *table)
        for (auto& mask : row) mask.fill(0x80);
    for (int byte = 0; byte < 16 * N; ++byte) {
      const int lane = byte / 16, at = byte % 16, element = byte / N, column = byte % N;
      for (const int half : {0, 16}) {
        to_column[column][lane][half + element] = static_cast<std::uint8_t>(at);
        to_lane[lane][column][half + at] = static_cast<std::uint8_t>(element);
      }
    }
  }
};
template <int N>
constexpr Permutations<N> kPermutations;

template <int N>
TEGULA_AVX2_INLINE __m256i permuted(const __m256i (&v)[N], const std::array<std::array<std::uint8_t, 32>, N>& masks) {
  auto part = [&](int i) TEGULA_AVX2 {
    return _mm256_shuffle_epi8(v[i], _mm256_load_si256(reinterpret_cast<const __m256i*>(masks[i].data())));
  };
  __m256i all = part(0);
#pragma GCC unroll 8
  for (int i = 1; i < N; ++i) all = _mm256_or_si256(all, part(i));
  return all;
}
template <int N>
TEGULA_AVX2 std::size_t shuffle_small(const std::byte* in, std::byte* out, std::size_t count) {
  const std::size_t rows = count / kRows * kRows;
  for (std::size_t row = 0; row < rows; row += kRows) {
    __m256i v[N];
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) v[i] = load_lanes(in + row * N + i * kColumns, in + row * N + (i + N) * kColumns);
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) store(out + c * count + row, permuted<N>(v, kPermutations<N>.to_column[c]));
  }
  return rows;
}
template <int N>
TEGULA_AVX2 std::size_t unshuffle_small(const std::byte* in, std::byte* out, std::size_t count) {
  const std::size_t rows = count / kRows * kRows;
  for (std::size_t row = 0; row < rows; row += kRows) {
    __m256i v[N];
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) v[c] = load(in + c * count + row);
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i)
      store_lanes(permuted<N>(v, kPermutations<N>.to_lane[i]), out + row * N + i * kColumns, N * kColumns);
  }
  return rows;
}

constexpr std::size_t kTiles = 8;  // of a step: four cache lines of a column
using Scratch = std::byte[kTiles * kColumns * kRows];

// Rows whose tile stays inside a buffer of `count` elements although its lanes are wider than an element.
std::size_t whole_rows(std::size_t element_size, std::size_t count) {
  const std::size_t beyond = element_size < kColumns ? (kColumns - 1) / element_size : 0;
  return count < beyond ? 0 : (count - beyond) / kRows * kRows;
}

// Calls step(first row, tiles, first column, columns): all columns in parts of at most 16, the last one moved back to
// be whole where the element allows it.
template <class Step>
TEGULA_AVX2_INLINE std::size_t for_each_step(std::size_t element_size, std::size_t count, Step step) {
  const std::size_t rows = whole_rows(element_size, count);
  for (std::size_t row = 0; row < rows; row += kTiles * kRows) {
    const std::size_t left = (rows - row) / kRows, tiles = left < kTiles ? left : kTiles;
    if (element_size <= kColumns) {
      step(row, tiles, std::size_t{0}, element_size);
      continue;
    }
    for (std::size_t first = 0; first < element_size; first += kColumns)
      step(row, tiles, first + kColumns <= element_size ? first : element_size - kColumns, kColumns);
  }
  return rows;
}

TEGULA_AVX2 std::size_t shuffle_wide(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count) {
  alignas(64) Scratch scratch;
  return for_each_step(element_size, count,
                       [&](std::size_t row, std::size_t tiles, std::size_t first, std::size_t columns) TEGULA_AVX2 {
                         for (std::size_t tile = 0; tile < tiles; ++tile)
                           rows_to_pairs(in + (row + tile * kRows) * element_size + first, element_size,
                                         scratch + tile * kColumns * kRows);
                         for (std::size_t c = 0; c < columns; c += 2) {
                           std::byte* to = out + (first + c) * count + row;
                           const std::byte* pair = scratch + c * kRows;
                           for (std::size_t tile = 0; tile < tiles; ++tile, pair += kColumns * kRows)
                             store(to + tile * kRows, _mm256_unpacklo_epi8(load(pair), load(pair + kRows)));
                           if (c + 1 == columns) break;
                           to += count;
                           pair = scratch + c * kRows;
                           for (std::size_t tile = 0; tile < tiles; ++tile, pair += kColumns * kRows)
                             store(to + tile * kRows, _mm256_unpackhi_epi8(load(pair), load(pair + kRows)));
                         }
                       });
}

// Rows of less than 16 bytes are stored in ascending order: the surplus bytes of a row are overwritten by the next one.
template <bool Narrow>
TEGULA_AVX2_INLINE void pairs_to_rows(const std::byte* pairs, std::byte* out, std::size_t stride) {
  __m256i first[8], second[8];
#pragma GCC unroll 8
  for (std::size_t c = 0; c < 8; ++c) first[c] = load(pairs + c * kRows);
  rotate<3>(first);
  store_lows(first, out, stride);
  if constexpr (!Narrow) store_highs(first, out + 16 * stride, stride);
#pragma GCC unroll 8
  for (std::size_t c = 0; c < 8; ++c) second[c] = load(pairs + (c + 8) * kRows);
  rotate<3>(second);
  store_lows(second, out + 8 * stride, stride);
  if constexpr (Narrow) store_highs(first, out + 16 * stride, stride);
  store_highs(second, out + 24 * stride, stride);
}

template <bool Narrow>
TEGULA_AVX2 std::size_t unshuffle_wide(const std::byte* in, std::byte* out, std::size_t element_size,
                                       std::size_t count) {
  alignas(64) Scratch scratch;
  return for_each_step(
      element_size, count, [&](std::size_t row, std::size_t tiles, std::size_t first, std::size_t columns) TEGULA_AVX2 {
        const std::byte* from = in + first * count + row;
        for (std::size_t c = 0; c < 8; ++c) {
          for (std::size_t tile = 0; tile < tiles; ++tile) {
            const __m256i a = load(from + c * count + tile * kRows);
            const __m256i b = c + 8 < columns ? load(from + (c + 8) * count + tile * kRows) : _mm256_setzero_si256();
            std::byte* to = scratch + tile * kColumns * kRows + c * kRows;
            store(to, _mm256_unpacklo_epi8(a, b));
            store(to + 8 * kRows, _mm256_unpackhi_epi8(a, b));
          }
        }
        for (std::size_t tile = 0; tile < tiles; ++tile) {
          const std::byte* at = scratch + tile * kColumns * kRows;
          std::byte* to = out + (row + tile * kRows) * element_size + first;
          pairs_to_rows<Narrow>(at, to, element_size);
        }
      });
}

}  // namespace

TEGULA_AVX2 std::size_t byteshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count) {
  switch (element_size) {
    case 2:
      return shuffle_power<2>(in, out, count);
    case 3:
      return shuffle_small<3>(in, out, count);
    case 4:
      return shuffle_power<4>(in, out, count);
    case 5:
      return shuffle_small<5>(in, out, count);
    case 6:
      return shuffle_small<6>(in, out, count);
    case 7:
      return shuffle_small<7>(in, out, count);
    case 8:
      return shuffle_8(in, out, count);
    default:
      return shuffle_wide(in, out, element_size, count);
  }
}

TEGULA_AVX2 std::size_t byteunshuffle(const std::byte* in, std::byte* out, std::size_t element_size,
                                      std::size_t count) {
  switch (element_size) {
    case 2:
      return unshuffle_power<2>(in, out, count);
    case 3:
      return unshuffle_small<3>(in, out, count);
    case 4:
      return unshuffle_power<4>(in, out, count);
    case 5:
      return unshuffle_small<5>(in, out, count);
    case 6:
      return unshuffle_small<6>(in, out, count);
    case 7:
      return unshuffle_small<7>(in, out, count);
    case 8:
      return unshuffle_power<8>(in, out, count);
    default:
      return element_size < kColumns ? unshuffle_wide<true>(in, out, element_size, count)
                                     : unshuffle_wide<false>(in, out, element_size, count);
  }
}

}  // namespace tegula::codec::avx2

#endif
