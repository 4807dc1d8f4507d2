// The bit shuffle with AVX2.
//
// Eight elements are one row of 8 * t bytes. Transposing the bytes of 32 such rows leaves byte k of elements i, 8 + i,
// 16 + i ... in one register, for each i < 8; exchanging bits between the eight registers of a k makes the eight planes
// of 32 bytes. Undoing it is the same steps backwards, since both transpositions are their own inverse.
//
// Planes are often a power of two apart, which puts them into the same few sets of the cache: several blocks of 32 rows
// are kept in the scratch, so that a plane is visited once for whole cache lines.
#include <algorithm>
#include <cstring>

#include "codec/shuffle/shuffle_avx2.h"

#ifdef TEGULA_SHUFFLE_AVX2

namespace tegula::codec::avx2 {

namespace {

constexpr std::size_t kElements = 8 * kRows;  // of a block
constexpr std::size_t kBlocks = 4;            // of a step: two cache lines of a plane
using Scratch = std::byte[kBlocks * 8 * kColumns * kRows];

// Bit i of register b becomes bit b of register i, byte by byte.
template <int Shift>
TEGULA_AVX2_INLINE void exchange(__m256i& a, __m256i& b, __m256i mask) {
  const __m256i t = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi64(a, Shift), b), mask);
  b = _mm256_xor_si256(b, t);
  a = _mm256_xor_si256(a, Shift == 1 ? _mm256_add_epi8(t, t) : _mm256_slli_epi64(t, Shift));
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

// The part of an element that is being transposed: bytes [first, first + size), `size` at most 16, and less than the
// element's size only when it is 16. Column i * size + k of a block is byte first + k of every eighth element from i
// on.
struct Part {
  std::size_t element_size, first, size;
  std::size_t row() const { return 8 * element_size; }
  std::size_t block_bytes() const { return 8 * size * kRows; }
};

// Calls tile(bytes from the start of a row, first column) for tiles of 16 columns; they overlap where a row has no
// multiple of 16 bytes.
template <class Tile>
TEGULA_AVX2_INLINE void for_each_tile(const Part& part, Tile tile) {
  if (part.size == part.element_size) {
    for (std::size_t column = 0; column < part.row(); column += kColumns) {
      const std::size_t inside = column + kColumns <= part.row() ? column : part.row() - kColumns;
      tile(inside, inside);
    }
  } else {
    for (std::size_t i = 0; i < 8; ++i) tile(i * part.element_size + part.first, i * part.size);
  }
}

// The bytes of an element in parts of at most 16, the last one moved back to be whole.
template <class Use>
TEGULA_AVX2_INLINE void for_each_part(std::size_t element_size, Use use) {
  if (element_size <= kColumns) return use(Part{element_size, 0, element_size});
  for (std::size_t first = 0; first < element_size; first += kColumns)
    use(Part{element_size, first + kColumns <= element_size ? first : element_size - kColumns, kColumns});
}

// Elements of one byte have rows of 8 bytes, two of which fill a lane: all steps fit the registers.
TEGULA_AVX2_INLINE void load_single_bytes(const std::byte* in, __m256i (&v)[8]) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 8; ++i) v[i] = load_lanes(in + i * kColumns, in + (i + 8) * kColumns);
  rotate<4>(v);
}
TEGULA_AVX2_INLINE void store_single_bytes(__m256i (&v)[8], std::byte* out) {
  rotate<3>(v);
  store_lows(v, out, kColumns);
  store_highs(v, out + 8 * kColumns, kColumns);
}

// Eight planes of byte `first` + k from the columns of a block. Columns are i * size + k, so that their parity is
// that of k for even sizes and changes with i for odd ones.
template <bool EvenSize, bool EvenK>
TEGULA_AVX2_INLINE void load_columns(const std::byte* block, std::size_t size, std::size_t k, __m256i (&v)[8]) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < 8; ++i) {
    const std::byte* at = block + (i * size + k) / 2 * 2 * kRows;
    const bool even = (EvenSize || i % 2 == 0) == EvenK;
    v[i] = even ? _mm256_unpacklo_epi8(load(at), load(at + kRows)) : _mm256_unpackhi_epi8(load(at), load(at + kRows));
  }
}

template <bool EvenSize, bool EvenK>
TEGULA_AVX2_INLINE void columns_to_planes(const std::byte* scratch, const Part& part, std::size_t k, std::byte* out,
                                          std::size_t plane, std::size_t blocks) {
  for (std::size_t block = 0; block < blocks; ++block) {
    __m256i v[8];
    load_columns<EvenSize, EvenK>(scratch + block * part.block_bytes(), part.size, k, v);
    transpose_bits(v);
#pragma GCC unroll 8
    for (std::size_t b = 0; b < 8; ++b) store(out + b * plane + block * kRows, v[b]);
  }
}

template <bool EvenSize>
TEGULA_AVX2_INLINE void shuffle_part(const std::byte* in, const Part& part, std::byte* out, std::size_t plane,
                                     std::size_t blocks, Scratch& scratch) {
  for (std::size_t block = 0; block < blocks; ++block) {
    for_each_tile(part, [&](std::size_t row_at, std::size_t column) TEGULA_AVX2 {
      rows_to_pairs(in + block * kElements * part.element_size + row_at, part.row(),
                    scratch + block * part.block_bytes() + column * kRows);
    });
  }
  for (std::size_t k = 0; k < part.size; k += 2) {
    std::byte* to = out + 8 * (part.first + k) * plane;
    columns_to_planes<EvenSize, true>(scratch, part, k, to, plane, blocks);
    if (k + 1 < part.size) columns_to_planes<EvenSize, false>(scratch, part, k + 1, to + 8 * plane, plane, blocks);
  }
}

TEGULA_AVX2_INLINE void unshuffle_part(const std::byte* in, std::size_t plane, const Part& part, std::byte* out,
                                       std::size_t blocks, Scratch& scratch) {
  for (std::size_t k = 0; k < part.size; ++k) {
    const std::byte* from = in + 8 * (part.first + k) * plane;
    for (std::size_t block = 0; block < blocks; ++block) {
      __m256i v[8];
#pragma GCC unroll 8
      for (std::size_t b = 0; b < 8; ++b) v[b] = load(from + b * plane + block * kRows);
      transpose_bits(v);
      std::byte* columns = scratch + block * part.block_bytes() + k * kRows;
#pragma GCC unroll 8
      for (std::size_t i = 0; i < 8; ++i) store(columns + i * part.size * kRows, v[i]);
    }
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    for_each_tile(part, [&](std::size_t row_at, std::size_t column) TEGULA_AVX2 {
      const std::byte* columns = scratch + block * part.block_bytes() + column * kRows;
      std::byte* rows = out + block * kElements * part.element_size + row_at;
      __m256i v[8];
#pragma GCC unroll 8
      for (std::size_t c = 0; c < 8; ++c)
        v[c] = _mm256_unpacklo_epi8(load(columns + c * kRows), load(columns + (c + 8) * kRows));
      rotate<3>(v);
      store_lows(v, rows, part.row());
      store_highs(v, rows + 16 * part.row(), part.row());
#pragma GCC unroll 8
      for (std::size_t c = 0; c < 8; ++c)
        v[c] = _mm256_unpackhi_epi8(load(columns + c * kRows), load(columns + (c + 8) * kRows));
      rotate<3>(v);
      store_lows(v, rows + 8 * part.row(), part.row());
      store_highs(v, rows + 24 * part.row(), part.row());
    });
  }
}

// Elements of one byte: planes come straight from the registers.
TEGULA_AVX2 void shuffle_single_bytes(const std::byte* in, std::byte* out, std::size_t plane, std::size_t blocks) {
  for (std::size_t block = 0; block < blocks; ++block) {
    __m256i v[8];
    load_single_bytes(in + block * kElements, v);
    transpose_bits(v);
#pragma GCC unroll 8
    for (std::size_t b = 0; b < 8; ++b) store(out + b * plane + block * kRows, v[b]);
  }
}
TEGULA_AVX2 void unshuffle_single_bytes(const std::byte* in, std::size_t plane, std::byte* out, std::size_t blocks) {
  for (std::size_t block = 0; block < blocks; ++block) {
    __m256i v[8];
#pragma GCC unroll 8
    for (std::size_t b = 0; b < 8; ++b) v[b] = load(in + b * plane + block * kRows);
    transpose_bits(v);
    store_single_bytes(v, out + block * kElements);
  }
}

// Whole blocks of elements whose planes are `plane` bytes apart.
TEGULA_AVX2 void shuffle_blocks(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t plane,
                                std::size_t blocks) {
  if (element_size == 1) return shuffle_single_bytes(in, out, plane, blocks);
  alignas(64) Scratch scratch;
  for (std::size_t block = 0; block < blocks; block += kBlocks) {
    const std::byte* from = in + block * kElements * element_size;
    const std::size_t step = std::min(kBlocks, blocks - block);
    for_each_part(element_size, [&](const Part& part) TEGULA_AVX2 {
      if (part.size % 2 == 0)
        shuffle_part<true>(from, part, out + block * kRows, plane, step, scratch);
      else
        shuffle_part<false>(from, part, out + block * kRows, plane, step, scratch);
    });
  }
}
TEGULA_AVX2 void unshuffle_blocks(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t plane,
                                  std::size_t blocks) {
  if (element_size == 1) return unshuffle_single_bytes(in, plane, out, blocks);
  alignas(64) Scratch scratch;
  for (std::size_t block = 0; block < blocks; block += kBlocks) {
    std::byte* to = out + block * kElements * element_size;
    const std::size_t step = std::min(kBlocks, blocks - block);
    for_each_part(element_size, [&](const Part& part) TEGULA_AVX2 {
      unshuffle_part(in + block * kRows, plane, part, to, step, scratch);
    });
  }
}

// Leftover elements up to this size go through a padded block of their own, larger ones through the plain version.
constexpr std::size_t kLargestTail = 32;
using Tail = std::byte[kElements * kLargestTail];

}  // namespace

TEGULA_AVX2 std::size_t bitshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count) {
  const std::size_t plane = count / 8, blocks = count / kElements, done = blocks * kElements;
  shuffle_blocks(in, out, element_size, plane, blocks);
  if (done == count || element_size > kLargestTail) return done;
  Tail rows, planes;
  std::memcpy(rows, in + done * element_size, (count - done) * element_size);
  shuffle_blocks(rows, planes, element_size, kRows, 1);
  for (std::size_t p = 0; p < 8 * element_size; ++p)
    std::memcpy(out + p * plane + done / 8, planes + p * kRows, (count - done) / 8);
  return count;
}

TEGULA_AVX2 std::size_t bitunshuffle(const std::byte* in, std::byte* out, std::size_t element_size, std::size_t count) {
  const std::size_t plane = count / 8, blocks = count / kElements, done = blocks * kElements;
  unshuffle_blocks(in, out, element_size, plane, blocks);
  if (done == count || element_size > kLargestTail) return done;
  Tail planes, rows;
  for (std::size_t p = 0; p < 8 * element_size; ++p)
    std::memcpy(planes + p * kRows, in + p * plane + done / 8, (count - done) / 8);
  unshuffle_blocks(planes, rows, element_size, kRows, 1);
  std::memcpy(out + done * element_size, rows, (count - done) * element_size);
  return count;
}

}  // namespace tegula::codec::avx2

#endif
