// What the schema of an Arrow file says about its columns.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arrow/flat_view.h"
#include "tegula/columns.h"

namespace tegula {

// How a column is laid out in a record batch.
struct ArrowLayout {
  Column like;        // its type, without cells
  bool wide = false;  // offsets of 8 bytes
  bool list = false;  // values are a child, with a node and a validity of its own
  bool bits = false;  // booleans
  bool days = false;  // dates of 4 bytes
  struct Dictionary {
    std::int64_t id = 0;
    Datatype index;
  };
  std::optional<Dictionary> dictionary;  // the batch holds indices, and the members above describe the values
};

// Throws unsupported for types that are not read, naming the field.
std::vector<ArrowLayout> arrow_layouts(const FlatTable& schema, std::uint64_t metadata_bytes);

}  // namespace tegula
