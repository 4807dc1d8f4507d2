// What deletes and the condition of a query ask of the cells of one tile.
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

// No value: what the metadata says of the tile leaves no cell.
std::optional<TileTest> plan_test(const SparseQuery& query, const SparseTile& tile);

// Tiles of some fields, and whose they are.
struct LoadedFields {
  std::span<const StoredField* const> fields;
  std::span<const TileData> tiles;
  const TileData& of(const StoredField* field) const;
};

// Clears the mask of the cells that a delete removed or that the condition does not match. `times`: when each cell of
// the tile was written, where the test looks at it.
void run_test(const SparseQuery& query, const SparseTile& tile, const TileTest& test, const LoadedFields& loaded,
              const std::uint64_t* times, std::span<std::uint8_t> mask);

// Adds `field` unless it is there already.
void want(std::vector<const StoredField*>& fields, const StoredField* field);

}  // namespace tegula::tiledb
