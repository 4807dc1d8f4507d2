// Byte and bit transposition. `out` has the size of `in` and does not overlap it.
#pragma once

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

// [byte 0 of every element][byte 1 ...]; in.size() % element_size bytes at the end are copied.
void byteshuffle(ByteView in, MutableBytes out, std::size_t element_size);
void byteunshuffle(ByteView in, MutableBytes out, std::size_t element_size);

// Transposes whole groups of 8 elements of `in` as one block: for byte k, for bit b (least significant first), a run of
// bits, one per element. Elements after the last group of 8, and bytes after the last element, are copied.
void bitshuffle_block(ByteView in, MutableBytes out, std::size_t element_size);
void bitunshuffle_block(ByteView in, MutableBytes out, std::size_t element_size);

// The plain versions that the fast ones are tested against.
namespace plain {
void byteshuffle(ByteView in, MutableBytes out, std::size_t element_size);
void byteunshuffle(ByteView in, MutableBytes out, std::size_t element_size);
void bitshuffle_block(ByteView in, MutableBytes out, std::size_t element_size);
void bitunshuffle_block(ByteView in, MutableBytes out, std::size_t element_size);
}  // namespace plain

}  // namespace tegula::codec
