#include "format/bcolz/queries.h"

#include <algorithm>

#include "base/fail.h"
#include "query/run/grid_query.h"
#include "query/run/table_query.h"

namespace tegula::bcolz {

namespace {

constexpr std::uint64_t kBlockRows = 65536;  // fewer rows would make the overhead of a block noticeable

// The query itself is parallel.
Work single(Work work) {
  work.threads = 1;
  work.progress = nullptr;
  return work;
}

class TableRows final : public RowSource {
 public:
  TableRows(std::shared_ptr<const Snapshot> snapshot, const Work& work)
      : snapshot_(std::move(snapshot)), work_(single(work)) {
    for (const Attribute& attribute : snapshot_->schema->attributes)
      fields_.push_back(field_info(attribute, *snapshot_->schema));
    std::uint64_t length = 1;
    for (const Carray& column : snapshot_->columns) length = std::max(length, column.storage.chunklen);
    length = std::min(length, std::max<std::uint64_t>(snapshot_->rows, 1));
    block_rows_ = length * ((kBlockRows + length - 1) / length);
    // The chunks of a block are fetched at once: it should have as many as there may be requests in flight.
    if (const unsigned in_flight = snapshot_->store->hints().in_flight)
      block_rows_ = std::max(block_rows_, length * in_flight);
  }

  std::uint64_t rows() const override { return snapshot_->rows; }
  const std::vector<FieldInfo>& fields() const override { return fields_; }
  std::uint64_t block_rows() const override { return block_rows_; }
  bool waits() const override { return snapshot_->store->hints().remote(); }

  void read_rows(std::size_t field, std::uint64_t first, std::uint64_t count, Column& out) const override {
    const Carray& column = snapshot_->columns[field];
    column.refuse_objects();
    out.data.resize(count * column.row_bytes);
    column.read_rows(first, count, out.data, work_);
  }

  void read_indices(std::size_t field, std::span<const std::uint64_t> indices, Column& out) const override {
    const Carray& column = snapshot_->columns[field];
    column.refuse_objects();
    out.data.resize(indices.size() * column.row_bytes);
    if (indices.empty()) return;
    AxisPick rows;
    rows.count = indices.size();
    rows.indices.assign(indices.begin(), indices.end());
    column.read_cells(rows, {out.data.data(), {indices.size()}, {static_cast<std::int64_t>(column.row_bytes)}}, work_);
  }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
  Work work_;
  std::vector<FieldInfo> fields_;
  std::uint64_t block_rows_ = kBlockRows;
};

class CarrayCells final : public GridSource {
 public:
  explicit CarrayCells(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}
  const Schema& schema() const override { return *snapshot_->schema; }
  void read(const Selection& selection, std::string_view field, const StridedBuffer& out,
            const Work& work) const override {
    read_field(*snapshot_, selection, field, out, work);
  }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace

void read_field(const Snapshot& snapshot, const Selection& selection, std::string_view field, const StridedBuffer& out,
                const Work& work) {
  const Carray& carray = snapshot.columns[snapshot.column(field)];
  if (snapshot.table) {
    const Picks picks = resolve(selection, {snapshot.rows});
    carray.read_cells(picks.axes[0], out, work);
  } else {
    carray.read(resolve(selection, carray.sizes.shape), out, work);
  }
}

std::unique_ptr<BatchStream> query(std::shared_ptr<const Snapshot> snapshot, const Query& query) {
  if (snapshot->table) return query_table(std::make_shared<TableRows>(std::move(snapshot), query.work), query);
  snapshot->columns[0].refuse_objects();
  return query_grid(std::make_shared<CarrayCells>(std::move(snapshot)), query);
}

}  // namespace tegula::bcolz
