// Copies between TileDB arrays in which stored tiles go over as they are.
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

// What fits is not decoded, so damage is copied as it is. A fragment fits when the target has its grid and filters its
// attributes alike (levels of compression may differ), nothing is encrypted, and the versions of both lay out tiles the
// same way. Not thread-safe.
class TilePass {
 public:
  // Attribute i of `to` is made of the field `fields[i]` of `from`. Borrows both arrays. Null when no tile can go over:
  // one of them is not of TileDB, no fragment fits, or (sparse) the cells are not those of a single fragment.
  static std::unique_ptr<TilePass> between(const Array& from, std::vector<std::string> fields, Array& to,
                                           const Work& work);

  // Dense: a box of cells, counted from the start of the domain, becomes one fragment. Tiles go over whose cells all
  // come from one fragment that fits; `read` gives the cells of other boxes, in global order. Progress is in cells
  // along the dimension that is slowest in tile order. Returns the number of tiles that went over, of all fields.
  using Coordinates = std::vector<std::uint64_t>;
  using BoxReader = std::function<Batch(const Coordinates& first, const Coordinates& count)>;
  std::uint64_t copy_box(const Coordinates& first, const Coordinates& count, const BoxReader& read, const Work& work);

  // Sparse: tiles `first` to `first + count` become one fragment.
  std::uint64_t tiles() const;
  std::uint64_t copy_tiles(std::uint64_t first, std::uint64_t count, const Work& work);

 private:
  // A field of the target, and where a fragment of the source has it.
  struct FieldPair {
    const StoredField* from = nullptr;
    bool statistics = false;  // those of the source are as good as new ones
  };
  using Fit = std::optional<std::vector<FieldPair>>;  // none: does not fit
  struct Stretch;

  TilePass(const TiledbArray& from, std::vector<std::string> fields, TiledbArray& to, const Work& work);
  const Fit& fit(std::uint32_t fragment) const;
  Fit make_fit(const Fragment& fragment) const;
  bool whole_cells(const Work& work) const;
  std::optional<std::uint64_t> place_of(const Coordinates& tile, const DenseBox& part, std::uint32_t& fragment) const;
  std::uint64_t pass(FragmentWriter& writer, const Stretch& stretch, const Work& work) const;
  void take(const Fragment& fragment, const FieldPair& field, const Stretch& stretch, std::size_t first,
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
