// Testing the cells of a tile against the deletes and the condition of a query.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/tiledb/sparse/sparse_tiles.h"

namespace tegula::tiledb {

struct TileTest {
  bool where = false;
  std::vector<const FragmentDelete*> deletes;
  const StoredField* delete_times = nullptr;
  std::vector<const StoredField*> fields;  // that it looks at, each once

  bool any() const { return where || !deletes.empty() || delete_times; }
  bool by_time() const;  // looks at when cells were written
};

// No value when the metadata alone rules out every cell of the tile.
std::optional<TileTest> plan_test(const SparseQuery& query, const SparseTile& tile);

// Decoded tiles of some fields.
struct LoadedFields {
  std::span<const StoredField* const> fields;
  std::span<const TileData> tiles;
  const TileData& of(const StoredField* field) const;
};

// Clears the mask of the cells that were deleted or that do not match the condition. `times` says when each cell of the
// tile was written; it may be null when the test does not look at times.
void run_test(const SparseQuery& query, const SparseTile& tile, const TileTest& test, const LoadedFields& loaded,
              const std::uint64_t* times, std::span<std::uint8_t> mask);

// Adds `field` unless it is there already.
void want(std::vector<const StoredField*>& fields, const StoredField* field);

}  // namespace tegula::tiledb
