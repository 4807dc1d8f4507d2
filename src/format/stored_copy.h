// How a family copies between its own arrays without decoding, and how it takes cells in fragments.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/cell_box.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

// Attribute i of the new array is made of the field `fields[i]` of `from`.
struct CopySource {
  const Array& from;
  const std::vector<std::string>& fields;
};

// A new array that is written in fragments, each of which becomes visible as a whole. Borrows both arrays. Not
// thread-safe.
class FragmentTarget {
 public:
  using Coordinates = std::vector<std::uint64_t>;
  using BoxReader = std::function<Batch(const Coordinates& first, const Coordinates& count)>;

  virtual ~FragmentTarget() = default;

  // Dense: the cells of a box, counted from the start of the domain, become one fragment.
  virtual std::unique_ptr<CellWriter> write_box(const Coordinates& first, const Coordinates& count,
                                                const WriteOptions& options) = 0;
  // True when some of the stored tiles can be copied without decoding; otherwise the next three must not be called.
  virtual bool copies_tiles() const = 0;
  // Dense: a box becomes one fragment. Tiles that fit are copied as they are stored, so damage is copied with them;
  // `read` returns the cells of the other boxes, in global order. Progress is in cells along the dimension that is
  // slowest in tile order. Returns the number of tiles that were not decoded, of all fields.
  virtual std::uint64_t copy_box(const Coordinates& first, const Coordinates& count, const BoxReader& read,
                                 const Work& work) = 0;
  // Sparse: tiles `first` to `first + count` become one fragment.
  virtual std::uint64_t tiles() const = 0;
  virtual std::uint64_t copy_tiles(std::uint64_t first, std::uint64_t count, const Work& work) = 0;

  // Sparse: the source stores its cells in the global order of the target.
  virtual bool in_order() const = 0;
  // Sparse: merges the fragments written so far into one and removes them.
  virtual void merge(const Work& work) = 0;
};

// Null members: the family does not do that.
struct CopyHooks {
  // Boxes that hold every cell that was written; they may overlap. No value: the whole domain counts.
  std::optional<std::vector<CellBox>> (*written_boxes)(const Array& array, const Work& work) = nullptr;

  // Are the stored rows of the source, byte for byte, those of an array with this schema? It is then created without
  // rows, and copy_stored() adds them.
  bool (*rows_fit)(const CopySource& source, const Schema& to) = nullptr;
  // Are the stored chunks of the source, byte for byte, those of the new array?
  bool (*chunks_fit)(const CopySource& source, const Array& to) = nullptr;
  // Copies the stored chunks or rows of a source that fits; absent chunks stay absent, and chunks that an interrupted
  // call has already copied are not copied again. Nothing is decoded, so damage is copied as it is. Returns the number
  // of chunks.
  std::uint64_t (*copy_stored)(const CopySource& source, Array& to, Store& store, const Work& work) = nullptr;

  // The new array takes its cells in fragments. `copy_tiles` false: every tile is decoded.
  std::unique_ptr<FragmentTarget> (*fragments)(const CopySource& source, Array& to, bool copy_tiles,
                                               const Work& work) = nullptr;
};

}  // namespace tegula
