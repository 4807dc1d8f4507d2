#include "format/tiledb/sparse/sparse_query.h"

#include "base/fail.h"
#include "format/tiledb/read/labels.h"
#include "format/tiledb/read/request.h"
#include "format/tiledb/sparse/sparse_aggregate.h"
#include "format/tiledb/sparse/sparse_cells.h"
#include "format/tiledb/sparse/sparse_gather.h"
#include "format/tiledb/sparse/sparse_parts.h"
#include "format/tiledb/sparse/sparse_values.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

class SparseBatches final : public BatchStream {
 public:
  SparseBatches(std::shared_ptr<const Snapshot> snapshot, const Query& query)
      : query_(query),
        sparse_(make_sparse_query(snapshot, query, result_fields(*snapshot, query, labels_))),
        parts_(sparse_, query_.work),
        skip_(query.skip),
        // When only labels are asked for, no cells are read.
        left_(sparse_.fields.empty() && !labels_.empty() ? 0 : query.limit) {}

  std::optional<Batch> next() override {
    while (left_ > 0) {
      query_.work.check();
      std::optional<SparsePart> part = parts_.next();
      if (!part) break;
      Batch batch = sparse_.sorts() ? sorted(std::move(*part)) : unsorted(std::move(*part));
      if (batch.cells == 0) continue;
      add_labels(batch);
      return batch;
    }
    if (given_) return std::nullopt;
    // A result without cells still has its columns.
    Batch batch;
    for (const FieldInfo& field : sparse_.fields) batch.columns.push_back(empty_column(field));
    add_labels(batch);
    return batch;
  }

 private:
  struct Share {
    std::uint64_t first = 0, count = 0;
  };
  // The share of the next `cells` cells that skip and limit leave.
  Share share_of(std::uint64_t cells) {
    const std::uint64_t skipped = std::min(skip_, cells), count = std::min(left_, cells - skipped);
    skip_ -= skipped;
    left_ -= count;
    return {skipped, count};
  }

  Batch unsorted(SparsePart part) {
    SparseHits hits = find_hits(sparse_, std::move(part), {.keep = sparse_.fields}, query_.work);
    const Share share = share_of(hits.count());
    Batch batch;
    batch.cells = share.count;
    if (share.count == 0) return batch;
    if (share.count < hits.count()) cut_hits(hits, share.first, share.count);
    batch.columns = read_hits(sparse_, hits, sparse_.fields, query_.work);
    return batch;
  }

  Batch sorted(SparsePart part) {
    SparseCells cells = find_cells(sparse_, std::move(part), query_.work);
    const Buffer<std::uint64_t> order = result_order(sparse_, cells, query_.work);
    const Share share = share_of(order.size());
    Batch batch;
    batch.cells = share.count;
    if (share.count == 0) return batch;
    batch.columns =
        gather_fields(sparse_, cells, std::span(order).subspan(share.first, share.count), sparse_.fields, query_.work);
    return batch;
  }

  // As in libtiledb, labels belong to the ranges and not to the cells: all of them come with the first batch.
  void add_labels(Batch& batch) {
    for (const std::string& name : labels_) {
      const SchemaLabel& label = label_named(*sparse_.snapshot, name);
      Column column = given_ ? read_labels(*sparse_.snapshot, label, AxisRuns{}, query_.work)
                             : read_labels(*sparse_.snapshot, label,
                                           ranges_of(*sparse_.snapshot, query_)[label.dimension], query_.work);
      batch.columns.push_back(std::move(column));
    }
    given_ = true;
  }

  Query query_;
  std::vector<std::string> labels_;
  SparseQuery sparse_;
  SparseParts parts_;
  std::uint64_t skip_, left_;
  bool given_ = false;
};

}  // namespace

std::unique_ptr<BatchStream> query_sparse(std::shared_ptr<const Snapshot> snapshot, const Query& query) {
  if (query.select) fail(ErrorKind::invalid_argument, "a sparse array is read by ranges, not by a selection");
  if (query.row_numbers)
    fail(ErrorKind::invalid_argument, "the cells of a sparse array have coordinates, not row numbers");
  if (!query.aggregates.empty()) return aggregate_sparse(std::move(snapshot), query);
  return std::make_unique<SparseBatches>(std::move(snapshot), query);
}

}  // namespace tegula::tiledb
