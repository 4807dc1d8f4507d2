// The statistics of a field in a tile, and what a condition concludes from them.
#pragma once

#include <cstdint>
#include <optional>

#include "tegula/bytes.h"

namespace tegula {

// What is known of a field in a tile. Everything left out means "not known".
struct FieldStats {
  bool absent = false;               // as ColumnView::absent
  std::optional<ByteView> min, max;  // one cell each, of the valid cells
  bool no_nan = false;               // no NaN among the cells: without it, bounds of float fields are ignored
  std::optional<std::uint64_t> null_count;
  std::uint64_t cells = 0;  // needed with null_count
};

enum class Match : std::uint8_t { none, some, all };

}  // namespace tegula
