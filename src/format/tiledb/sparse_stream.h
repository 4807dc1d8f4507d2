// Queries of sparse arrays.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "format/tiledb/sparse_tiles.h"
#include "tegula/query.h"

namespace tegula::tiledb {

// `fields` are what will be read of the cells besides the condition's.
SparseQuery make_sparse_query(std::shared_ptr<const ReadState> state, const Query& query,
                              std::vector<FieldInfo> fields);

// A part of a sparse result that is read at once.
struct SparsePart {
  RangeSet ranges;
  std::vector<SparseTile> tiles;
};

// Cuts a query into parts that fit a budget and follow each other in the order of the result. Without sorting these are
// runs of tiles. Otherwise the domain is halved until a part fits; a part that cannot be halved is given as it is:
// cells of a Hilbert order read in that order, cells that share all but their text coordinates.
class SparseParts {
 public:
  SparseParts(const SparseQuery& query, const Work& work);
  std::optional<SparsePart> next();

 private:
  std::uint64_t cost(const SparsePart& part, const SparseTile& tile) const;
  bool split(const SparsePart& part);

  const SparseQuery& query_;
  const Work& work_;
  std::vector<SparsePart> pending_;  // next one last
};

// Results come in batches under the budget; `skip` and `limit` count cells.
std::unique_ptr<BatchStream> query_sparse(std::shared_ptr<const ReadState> state, const Query& query);

}  // namespace tegula::tiledb
