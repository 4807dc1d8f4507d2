#include "base/fail.h"
#include "format/zarr/items.h"
#include "format/zarr/zarr_array.h"
#include "query/dense_query.h"

namespace tegula::zarr {

namespace {

// Cells of one block: text of 1 KiB each stays within the budget.
constexpr std::uint64_t kBytesPerCell = 1024;

class ItemStream final : public BatchStream {
 public:
  ItemStream(std::shared_ptr<const void> owner, ChunkStore chunks, const Schema& schema, const Query& query)
      : owner_(std::move(owner)),
        chunks_(std::move(chunks)),
        attribute_(schema.attributes[0]),
        shape_(schema.shape()),
        work_(query.work) {
    const Selection selection = query.select ? *query.select : selection_of(query.ranges, schema);
    picks_ = resolve(selection, shape_);
    axis_ = 0;
    while (!picks_.points && axis_ < picks_.axes.size() && picks_.axes[axis_].dropped) ++axis_;
    const std::uint64_t cells = picks_.cells();
    rows_ = picks_.points ? cells : axis_ < picks_.axes.size() ? picks_.axes[axis_].count : 1;
    const std::uint64_t per_row = rows_ ? std::max<std::uint64_t>(cells / rows_, 1) : 1;
    block_ = std::max<std::uint64_t>(work_.memory / kBytesPerCell / per_row, 1);
    whole_ = rows_ <= block_ || axis_ >= picks_.axes.size() || picks_.points;
  }

  std::optional<Batch> next() override {
    if (done_) return std::nullopt;
    work_.check();
    Picks part = picks_;
    if (whole_) {
      done_ = true;
    } else {
      const std::uint64_t count = std::min(block_, rows_ - at_);
      part = resolve(part_of(picks_, axis_, at_, count), shape_);
      at_ += count;
      done_ = at_ == rows_;
    }
    Items items = chunks_.read_items(part, work_);
    Batch batch;
    batch.cells = part.cells();
    batch.shape = part.shape();
    Column column;
    column.name = attribute_.name;
    column.type = attribute_.type;
    column.values_per_cell = kVar;
    column.data = std::move(items.data);
    column.offsets = std::move(items.offsets);
    batch.columns.push_back(std::move(column));
    return batch;
  }

 private:
  std::shared_ptr<const void> owner_;
  ChunkStore chunks_;
  Attribute attribute_;
  Shape shape_;
  Work work_;
  Picks picks_;
  std::size_t axis_ = 0;
  std::uint64_t rows_ = 0, block_ = 1, at_ = 0;
  bool whole_ = true, done_ = false;
};

}  // namespace

std::unique_ptr<BatchStream> query_items(std::shared_ptr<const void> owner, ChunkStore chunks, const Schema& schema,
                                         const Query& query) {
  if (!query.where.empty() || !query.aggregates.empty())
    fail(ErrorKind::unsupported, "conditions and aggregates over text of zarr arrays");
  if (query.skip != 0 || query.limit != UINT64_MAX || query.row_numbers)
    fail(ErrorKind::invalid_argument, "skip, limit and row numbers are for tables");
  if (query.fields)
    for (const std::string& field : *query.fields)
      if (field != schema.attributes[0].name) fail(ErrorKind::invalid_argument, "there is no field '{}'", field);
  return std::make_unique<ItemStream>(std::move(owner), std::move(chunks), schema, query);
}

}  // namespace tegula::zarr
