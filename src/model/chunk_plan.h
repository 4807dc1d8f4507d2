// Which chunks of a regular grid a selection touches, and which cells of each belong where in the result.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/selection.h"

namespace tegula {

// A piece is what the selection takes from one chunk. Every chunk has at most one piece, whatever the order of the
// selection. Immutable, and no two pieces share a cell of the result, so pieces can be processed in parallel.
class ChunkPlan {
 public:
  // `chunk_shape` has no zeros.
  ChunkPlan(const Picks& picks, std::span<const std::uint64_t> shape, std::span<const std::uint64_t> chunk_shape);

  std::size_t pieces() const { return pieces_; }
  // Grid coordinates of the chunk of piece i.
  std::vector<std::uint64_t> chunk(std::size_t i) const;
  // True when the piece covers all cells of its chunk that lie inside the array: a write need not read the chunk first.
  bool whole(std::size_t i) const;
  // First and last+1 cell that the piece touches, counted in C order of the whole chunk.
  std::pair<std::uint64_t, std::uint64_t> extent(std::size_t i) const;

  // Where the piece begins in the result, if it is a whole chunk that is contiguous there in C order; else null.
  std::byte* direct(std::size_t i, const StridedBuffer& out, std::size_t item) const;

  // Copies from the chunk to the result. `chunk` points at the chunk's first cell, `strides` are its byte strides.
  void gather(std::size_t i, const std::byte* chunk, std::span<const std::int64_t> strides, const StridedBuffer& out,
              std::size_t item) const;
  // Sets the cells of the piece in the result to the fill value.
  void fill(std::size_t i, const StridedBuffer& out, ByteView item) const;
  // Copies values to the chunk.
  void scatter(std::size_t i, std::byte* chunk, std::span<const std::int64_t> strides, const StridedView& in,
               std::size_t item) const;

 private:
  // The part of one axis that falls into one chunk: either a run (start, step, count, out) or lists.
  struct Part {
    std::uint64_t chunk = 0;
    std::uint64_t count = 0;
    std::int64_t start = 0, step = 1;  // in the chunk
    std::uint64_t out = 0;             // first place in the result
    std::vector<std::uint64_t> in_list, out_list;
    bool listed() const { return !in_list.empty(); }
  };
  // With points: the cells of one chunk.
  struct PointGroup {
    std::vector<std::uint64_t> chunk;
    std::vector<std::uint64_t> out;              // places in the 1-d result
    std::vector<std::vector<std::uint64_t>> in;  // per axis, in the chunk
  };

  std::vector<const Part*> parts_of(std::size_t i) const;
  template <class Copy>
  void walk(std::size_t i, const std::vector<std::int64_t>& out_strides, std::span<const std::int64_t> chunk_strides,
            Copy copy) const;
  std::vector<std::int64_t> full_strides(const std::vector<std::int64_t>& strides) const;
  void group_points(const Picks& picks);

  std::vector<std::uint64_t> shape_, chunk_shape_;
  std::vector<bool> dropped_;
  bool points_ = false;
  std::vector<std::vector<Part>> axes_;
  std::vector<PointGroup> groups_;
  std::size_t pieces_ = 1;
};

}  // namespace tegula
