// The tiles that a sparse query reads, and what is to be known of them first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/tiledb/fragment/fragment.h"
#include "format/tiledb/fragment/tile_source.h"
#include "format/tiledb/order/hilbert.h"
#include "format/tiledb/order/range_set.h"
#include "format/tiledb/read/deletes.h"
#include "format/tiledb/read/snapshot.h"
#include "query/condition/condition.h"
#include "tegula/query.h"

namespace tegula::tiledb {

struct SparseTile {
  std::uint32_t fragment = 0;  // in Snapshot::fragments()
  std::uint64_t tile = 0;
  Overlap overlap = Overlap::some;  // all: every cell lies in the ranges
  std::uint64_t cells = 0;
  double share = 1;  // of its cells that a part holds, as far as they were counted
};

// Cells at the places first .. last of a curve; all cells when there is none.
struct CurveRange {
  std::shared_ptr<const HilbertCurve> curve;
  std::uint64_t first = 0, last = UINT64_MAX;
};

// A part of a sparse result that is read at once: the cells of its tiles that lie in all of these ranges.
struct SparsePart {
  RangeSet ranges;
  std::vector<SparseTile> tiles;
  CurveRange curve;
  RangeSet counted;  // the ranges when the cells of the tiles were counted; empty: they were not
};

// A sparse query, ready to be answered for the whole array or for a part of it. Immutable; shared by threads.
struct SparseQuery {
  std::shared_ptr<const Snapshot> snapshot;
  std::vector<FieldInfo> fields;  // of the result
  RangeSet ranges;
  Condition where;
  Order order = Order::unordered;
  std::vector<std::vector<FragmentDelete>> deletes;  // by fragment
  // Row and col order show a cell once for each of the ranges it lies in: by dimension, where ranges overlap.
  std::vector<std::vector<RangeList>> repeats;
  bool unique = false;  // equal coordinates occur at most once among the cells that can be seen

  bool deduplicates() const { return !unique && !snapshot->schema().allows_duplicates; }
  bool sorts() const {
    return deduplicates() || order == Order::row || order == Order::col || (order == Order::global && !in_order);
  }
  bool in_order = false;  // reading tile by tile gives the global order
};

std::vector<FieldInfo> dimensions_of(const Snapshot& snapshot);

// Tiles of all fragments that meet the ranges; fragments oldest first, tiles in order.
std::vector<SparseTile> find_tiles(const Snapshot& snapshot, const RangeSet& ranges, const Work& work);

// load_tiles in an order in which neighbours in a file are fetched together.
std::vector<TileData> load_in_file_order(const ArrayFiles& files, std::span<const TileRef> refs, const Work& work);

}  // namespace tegula::tiledb
