// Sorted runs of rows that do not fit in memory together: storing them in scratch files of the store, and merging them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/tiledb/maintain/merge_rows.h"
#include "format/tiledb/order/cell_sort.h"
#include "store/store.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// Bytes that sorting takes per cell: keys and indices, twice.
inline constexpr std::uint64_t kSortBytes = 48;

// A run of rows in a scratch file, column by column. One thread appends to it; then it is immutable.
class SortedRun {
 public:
  struct Size {
    std::uint64_t cells = 0;
    std::vector<std::uint64_t> bytes;  // of the data of each column
  };
  // Reserves its bytes in `scratch` from `end` on, and moves `end` behind them. Keeps the coordinates of at most
  // `samples` cells in memory.
  SortedRun(std::shared_ptr<Scratch> scratch, std::uint64_t& end, const MergeRows& like, Size size,
            std::uint64_t samples);

  void append(const MergeRows& rows, std::span<const std::uint64_t> order, const Work& work);

  const Size& size() const { return size_; }
  std::uint64_t bytes() const;
  // The coordinates of the cells 0, spacing, 2 * spacing ...
  const std::vector<Column>& samples() const { return samples_; }
  std::uint64_t spacing() const { return spacing_; }

 private:
  friend void read_runs(std::span<const struct RunSlice> slices, MergeRows& rows, const Work& work);
  struct Place {
    std::uint64_t data = 0, offsets = 0, validity = 0;  // in scratch_
  };
  void append_column(std::size_t column, const Column& from, std::span<const std::uint64_t> order);

  std::shared_ptr<Scratch> scratch_;
  Size size_;
  std::vector<Place> places_;           // by column
  std::uint64_t cells_ = 0;             // appended so far
  std::vector<std::uint64_t> written_;  // bytes of the data of each column
  std::uint64_t more_per_cell_ = 0;     // offsets, validity
  std::uint64_t spacing_ = 1;
  std::size_t first_coordinate_ = 0;
  std::vector<Column> samples_;
};

// Consecutive cells of a run.
struct RunSlice {
  const SortedRun* run = nullptr;
  std::uint64_t first = 0, last = 0;
};
// Appends the slices, one after the other.
void read_runs(std::span<const RunSlice> slices, MergeRows& rows, const Work& work);

// Returns the rows of all runs in order of their places, in parts of about `part` bytes, including what sorting takes.
// Rows at one place come in the same part, in the order of the runs.
class RunMerge {
 public:
  RunMerge(std::span<const SortedRun> runs, const CellOrder& order, std::uint64_t part, const Work& work);

  bool more() const { return next_ <= cuts_.size(); }
  // Appends the next part to `rows`, whose places lie before it. `order` gets the rows of the part in order; rows that
  // belong to a later part are not in it.
  void next(MergeRows& rows, Buffer<std::uint64_t>& order, const Work& work);

 private:
  void find_cuts(std::uint64_t part);
  std::uint64_t end_of(std::size_t run, std::uint64_t cut) const;

  const std::span<const SortedRun> runs_;
  const CellOrder& order_;
  std::vector<Column> places_;            // the samples of all runs
  std::vector<std::uint64_t> ranks_;      // of places_: numbers that compare as they do
  std::vector<std::size_t> first_place_;  // of each run
  std::vector<std::uint64_t> cuts_;       // the last place of each part but the last
  std::vector<std::uint64_t> done_;       // cells of each run
  std::size_t next_ = 0;
};

// All rows of a merge, added as any number of runs.
class MergeRuns {
 public:
  MergeRuns(std::shared_ptr<Store> store, const CellOrder& order, MergeRows like, std::uint64_t part);

  void add(const MergeRows& rows, std::span<const std::uint64_t> order, const Work& work);
  // No run can be added afterwards. When there are too many runs to be merged at once, some are merged into longer ones
  // first.
  RunMerge merge(const Work& work);

 private:
  SortedRun new_run(SortedRun::Size size);
  std::uint64_t samples(const SortedRun::Size& size) const;

  const std::shared_ptr<Store> store_;
  const CellOrder& order_;
  const MergeRows like_;
  const std::uint64_t part_;
  std::shared_ptr<Scratch> scratch_;
  std::uint64_t end_ = 0;
  std::vector<SortedRun> runs_;
};

}  // namespace tegula::tiledb
