// Cutting a dense request into blocks that fit a budget.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/tiledb/read/request.h"

namespace tegula::tiledb {

struct DenseBlock {
  DenseSelection selection;
  std::optional<DensePlan> plan;
};

// Returns the blocks of a request one after the other, in the given order.
class DenseBlocks {
 public:
  // `fields` are those that will be read from each block.
  DenseBlocks(const Snapshot& snapshot, DenseSelection selection, Order order, std::vector<FieldInfo> fields,
              const Work& work);
  // The cells of a block, of all fields, take no more than the budget, unless a single row of cells does.
  std::optional<DenseBlock> next();
  bool fortran() const { return fortran_; }
  // What the cells of a block take.
  std::uint64_t bytes_of(const DenseBlock& block) const;

 private:
  std::uint64_t least_bytes(const DenseSelection& selection) const;
  std::uint64_t var_bytes(const DensePlan& plan) const;
  bool split(const DenseSelection& selection);
  std::optional<DenseBlock> next_tile();

  const Snapshot& snapshot_;
  std::vector<FieldInfo> fields_;
  const Work& work_;
  std::uint64_t limit_;  // bytes of a block
  bool fortran_ = false;
  std::uint64_t cell_bytes_ = 0;
  bool has_var_ = false;
  std::vector<DenseSelection> pending_;  // next one last
  // Global order: tile by tile.
  std::vector<std::vector<TilePart>> tiles_;
  std::vector<std::size_t> at_;
  bool by_tile_ = false, done_ = false;
};

}  // namespace tegula::tiledb
