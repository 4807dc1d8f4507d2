// Answering a sparse query in parts that fit a memory budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "format/tiledb/sparse/sparse_tiles.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// `fields` are read from the cells, besides those of the condition.
SparseQuery make_sparse_query(std::shared_ptr<const Snapshot> snapshot, const Query& query,
                              std::vector<FieldInfo> fields);

// Cuts a query into parts that fit a budget and follow each other in the order of the result. Without sorting, parts
// are runs of tiles. Otherwise the domain is halved until a part fits; where tiles overlap, and along a Hilbert curve,
// a sample of the cells decides where to cut. Cells with equal coordinates stay in one part.
class SparseParts {
 public:
  SparseParts(const SparseQuery& query, const Work& work);
  std::optional<SparsePart> next();

 private:
  std::uint64_t cost(const SparsePart& part, const SparseTile& tile) const;
  bool by_space_tiles() const;
  const MbrTable& rectangles(const SparseTile& tile) const;
  // Replaces a part that is too large by smaller ones; false when it cannot be cut.
  bool split(const SparsePart& part);
  void split_text(const SparsePart& part, std::size_t dimension);
  void split_at(const SparsePart& part, std::size_t dimension, const auto& at, const auto& sides);
  void halve(const SparsePart& part, std::size_t dimension, const auto& at);
  void add(std::vector<SparsePart> parts);

  const SparseQuery& query_;
  const Work& work_;
  std::vector<SparsePart> pending_;  // next one last
};

}  // namespace tegula::tiledb
