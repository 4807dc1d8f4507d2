// The ranges of a batch as requests: near ones together, large ones in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "store/http/range_body.h"
#include "store/store.h"

namespace tegula::http {

// A range of one file. Its pieces are sorted by offset and lie inside it.
struct RangeGroup {
  std::string_view key;
  std::uint64_t offset = 0, length = 0;  // 0: only whether the file is there is asked
  std::vector<Piece> pieces;
  std::vector<std::size_t> reads;  // of the batch, that have a piece here
};

// Throws Error(corrupt) for a range that no file can have: such a place comes from a damaged one.
//
// Ranges with at most `gap` bytes between them share a request; none is longer than `part` bytes, so that a read may
// have pieces in several.
std::vector<RangeGroup> plan_ranges(std::span<const RangeRead> reads, std::uint64_t gap, std::uint64_t part);

}  // namespace tegula::http
