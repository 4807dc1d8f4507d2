// Copies stored tiles between TileDB arrays without decoding them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/tiledb/read/snapshot.h"
#include "format/tiledb/write/fragment_writer.h"
#include "format/tiledb/write/write_dense.h"
#include "tegula/array.h"

namespace tegula::tiledb {

class TiledbArray;

// A fragment fits when the target has the same grid, filters the attributes in the same way (compression levels may
// differ), nothing is encrypted, and both versions lay out tiles alike. The tiles of such a fragment are copied as
// stored bytes, damaged or not. Not thread-safe.
class TilePass {
 public:
  // Attribute i of `to` gets the values of the field `fields[i]` of `from`. Borrows both arrays. Null when no tile can
  // be copied: one of the arrays is not TileDB, no fragment fits, or (sparse) the visible cells are not those of
  // exactly one fragment.
  static std::unique_ptr<TilePass> between(const Array& from, std::vector<std::string> fields, Array& to,
                                           const Work& work);

  // Dense: writes a box of cells, counted from the start of the domain, as one fragment. Tiles whose cells all come
  // from one fragment that fits are copied; `read` returns the cells of the other boxes, in global order. Progress
  // counts cells along the dimension that is slowest in tile order. Returns the number of tiles copied, summed over all
  // fields.
  using Coordinates = std::vector<std::uint64_t>;
  using BoxReader = std::function<Batch(const Coordinates& first, const Coordinates& count)>;
  std::uint64_t copy_box(const Coordinates& first, const Coordinates& count, const BoxReader& read, const Work& work);

  // Sparse: writes the tiles first .. first + count as one fragment.
  std::uint64_t tiles() const;
  std::uint64_t copy_tiles(std::uint64_t first, std::uint64_t count, const Work& work);

 private:
  // The field of the source that supplies a field of the target.
  struct FieldPair {
    const StoredField* from = nullptr;
    bool statistics = false;  // those of the source can be trusted
  };
  using Fit = std::optional<std::vector<FieldPair>>;  // none: the fragment does not fit
  struct RunOfTiles;

  TilePass(const TiledbArray& from, std::vector<std::string> fields, TiledbArray& to, const Work& work);
  const Fit& fit(std::uint32_t fragment) const;
  Fit make_fit(const Fragment& fragment) const;
  bool whole_cells(const Work& work) const;
  std::optional<std::uint64_t> place_of(const Coordinates& tile, const DenseBox& part, std::uint32_t& fragment) const;
  std::uint64_t pass(FragmentWriter& writer, const RunOfTiles& run, const Work& work) const;
  void take(const Fragment& fragment, const FieldPair& field, const RunOfTiles& run, std::size_t first,
            std::size_t count, StoredTiles& out, const Work& work) const;

  const std::shared_ptr<const Snapshot> snapshot_;
  const std::vector<std::string> fields_;
  TiledbArray& to_;
  const WriteTarget target_;
  const std::uint32_t version_;
  const std::vector<StoredField> to_fields_;
  const DensePlanner* planner_ = nullptr;         // dense
  mutable std::vector<std::optional<Fit>> fits_;  // by fragment, as far as known
};

}  // namespace tegula::tiledb
