// The cells of sparse fragments as rows, while they are merged.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/order/cell_sort.h"
#include "format/tiledb/read/deletes.h"
#include "format/tiledb/read/snapshot.h"
#include "format/tiledb/sparse/sparse_tiles.h"
#include "tegula/columns.h"
#include "tegula/work.h"

namespace tegula::tiledb {

inline constexpr std::uint64_t kNeverDeleted = UINT64_MAX;  // in delete times and delete conditions

// Columns: the attributes, the dimensions, then uint64 columns: when a cell was written and, where cells were deleted,
// when and by which condition.
struct MergeRows {
  std::vector<Column> columns;
  std::size_t attributes = 0, dimensions = 0;

  std::uint64_t cells() const { return times().cells(); }
  std::span<const Column> coordinates() const { return std::span(columns).subspan(attributes, dimensions); }
  std::span<Column> coordinates() { return std::span(columns).subspan(attributes, dimensions); }
  std::size_t special() const { return attributes + dimensions; }  // the columns behind the fields
  const Column& times() const { return columns[special()]; }
  const Column* delete_times() const { return columns.size() > special() + 1 ? &columns[special() + 1] : nullptr; }
  std::uint64_t bytes() const;
};

// The fragments that are merged. Immutable; shared by threads.
class MergeInput {
 public:
  MergeInput(std::shared_ptr<const Snapshot> snapshot, const Work& work);

  const Snapshot& snapshot() const { return *snapshot_; }
  // By fragment, newest first: equal cells keep that order when they are sorted.
  const std::vector<SparseTile>& tiles() const { return tiles_; }
  bool has_deletes() const { return has_deletes_; }
  // The deletes that have been applied to the merged cells, by time.
  const std::vector<std::string>& processed() const { return processed_; }
  // Bytes that the cells of a tile take as rows.
  std::uint64_t bytes(const SparseTile& tile) const;

  MergeRows no_rows() const;
  // Appends the cells of the tiles. Decodes up to `slab` bytes at once.
  void append(std::span<const SparseTile> tiles, std::uint64_t slab, MergeRows& rows, const Work& work) const;

 private:
  struct Source {
    // As in MergeRows; null: cells have the fill value, or the fragment has no such column.
    std::vector<const StoredField*> fields;
    std::vector<FragmentDelete> deletes;
    std::vector<std::uint64_t> delete_numbers;  // of `deletes`, in processed_
    std::vector<std::uint64_t> renumbered;      // conditions of the fragment, in processed_
    std::vector<const StoredField*> loaded;     // each once
  };
  struct LoadedTile;
  void number_conditions(const Work& work);
  void find_deletes(LoadedTile& tile) const;
  void reserve(std::span<const SparseTile> tiles, MergeRows& rows) const;
  void append_column(std::size_t column, std::span<const LoadedTile> tiles, Column& to) const;

  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<Source> sources_;  // by fragment
  std::vector<SparseTile> tiles_;
  std::vector<std::string> processed_;
  bool has_deletes_ = false;
};

// Which of several cells at one place a new fragment keeps.
struct Versions {
  bool all = true;          // keep all versions of a cell, newest first; else the newest only
  bool duplicates = false;  // keep all cells at one place
  bool purge = false;
};
// `order` has the rows by place, those of newer fragments first; removes the rows that the new fragment does not keep.
void resolve_versions(const MergeRows& rows, const Versions& versions, Buffer<std::uint64_t>& order);

}  // namespace tegula::tiledb
