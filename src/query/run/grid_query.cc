#include "query/run/grid_query.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/fail.h"
#include "model/strided.h"
#include "query/aggregate/aggregates.h"
#include "query/columns/gather.h"
#include "query/condition/condition.h"
#include "query/language/literal.h"

namespace tegula {
namespace {

// The index of a coordinate along its dimension.
std::int64_t index_of(const Value& value, const Dimension& dimension, std::uint64_t extent) {
  const auto number = [&](const Value& v) -> Int128 {
    if (const auto* i = std::get_if<std::int64_t>(&v)) return *i;
    if (const auto* u = std::get_if<std::uint64_t>(&v)) return *u;
    fail(ErrorKind::invalid_argument, "ranges of dimension '{}' take integers", dimension.name);
  };
  const Int128 index = number(value) - number(dimension.domain.low);
  if (index < 0 || index >= Int128{extent})
    fail(ErrorKind::invalid_argument, "a range of dimension '{}' leaves its domain of {} cells", dimension.name,
         extent);
  return static_cast<std::int64_t>(index);
}

Int128 origin_of(const Dimension& dimension) {
  if (const auto* i = std::get_if<std::int64_t>(&dimension.domain.low)) return *i;
  if (const auto* u = std::get_if<std::uint64_t>(&dimension.domain.low)) return *u;
  return 0;
}

// Variable cells up to this length stay within the budget.
constexpr std::uint64_t kAssumedText = 1024;
std::uint64_t assumed_size(const FieldInfo& field) { return field.var() ? kAssumedText : field.cell_size(); }

class GridStream final : public BatchStream {
 public:
  GridStream(std::shared_ptr<const GridSource> source, const Query& query, Rules rules)
      : source_(std::move(source)), query_(query), schema_(source_->schema()), fields_(field_infos(schema_)) {
    const Selection selection = query_.select ? *query_.select : selection_of(query_.ranges, schema_);
    picks_ = resolve(selection, schema_.shape());
    condition_ = Condition::bind(query_.where, fields_, rules);
    if (!query_.aggregates.empty()) {
      aggregates_.emplace(query_.aggregates, fields_);
      outputs_ = aggregates_->fields();
    } else if (query_.fields) {
      for (const std::string& name : *query_.fields) {
        const auto found = std::ranges::find(fields_, name, &FieldInfo::name);
        if (found == fields_.end()) fail(ErrorKind::invalid_argument, "the array has no field '{}'", name);
        outputs_.push_back(*found);
      }
    } else {
      std::ranges::copy_if(fields_, std::back_inserter(outputs_),
                           [](const FieldInfo& field) { return !field.dimension; });
    }
    plan();
  }

  std::optional<Batch> next() override {
    if (done_) return std::nullopt;
    if (aggregates_) {
      done_ = true;
      while (position_ < length_) aggregate(take_block());
      return aggregates_->finish();
    }
    Batch batch = read_block(take_block());
    done_ = position_ >= length_;
    return batch;
  }

 private:
  struct Block {
    Selection selection;
    Picks picks;
    std::vector<std::uint64_t> shape;
    std::uint64_t cells = 0;
  };

  // Blocks are cut along the first axis of the result, so that each has the shape of a part of it.
  void plan() {
    const std::vector<std::uint64_t> full = picks_.full_shape();
    axis_ = 0;
    if (!picks_.points)
      while (axis_ + 1 < picks_.axes.size() && picks_.axes[axis_].dropped) ++axis_;
    length_ = picks_.axes.empty() ? 1 : picks_.axes[axis_].count;
    const std::uint64_t cells = picks_.cells();
    std::uint64_t cell_bytes = condition_.empty() ? 0 : 1;
    for (const FieldInfo& field : outputs_) cell_bytes += assumed_size(field);
    for (const FieldInfo& field : condition_.fields()) cell_bytes += assumed_size(field);
    const std::uint64_t per_index = std::max<std::uint64_t>(1, cells / std::max<std::uint64_t>(1, length_)) *
                                    std::max<std::uint64_t>(1, cell_bytes);
    // When there are several blocks, the batch that the caller holds and the next one share the budget.
    step_ = std::max<std::uint64_t>(
        1, query_.work.memory / per_index >= length_ ? length_ : query_.work.memory / 2 / per_index);
    if (!aggregates_ || step_ < length_) return;
    // Aggregates need no more than a block at a time, whose size is fixed so that sums do not depend on the budget.
    constexpr std::uint64_t kBlockBytes = 64 << 20;
    step_ = std::clamp<std::uint64_t>(kBlockBytes / per_index, 1, std::max<std::uint64_t>(1, length_));
  }

  Block take_block() {
    query_.work.check();
    Block block;
    const std::uint64_t count = std::min(step_, length_ - std::min(length_, position_));
    block.selection = part_of(picks_, axis_, position_, count);
    block.picks = resolve(block.selection, schema_.shape());
    block.shape = block.picks.shape();
    block.cells = cell_count(block.shape);
    position_ += std::max<std::uint64_t>(count, 1);
    return block;
  }

  Column read_field(const FieldInfo& field, const Block& block) const {
    Column column = empty_column(field);
    if (field.dimension) {
      coordinates(field, block, column);
      return column;
    }
    if (block.cells == 0) return column;
    if (field.var()) {
      source_->read_items(block.selection, field.name, column, query_.work);
      return column;
    }
    column.data.resize(block.cells * field.cell_size());
    source_->read(block.selection, field.name,
                  {column.data.data(), block.shape, contiguous_strides(block.shape, field.cell_size())}, query_.work);
    if (column.nullable) column.validity.assign(block.cells, std::byte{1});
    return column;
  }

  void coordinates(const FieldInfo& field, const Block& block, Column& column) const {
    std::size_t axis = 0;
    while (schema_.dimensions[axis].name != field.name) ++axis;
    const Int128 origin = origin_of(schema_.dimensions[axis]);
    const AxisPick& pick = block.picks.axes[axis];
    column.data.resize(block.cells * field.type.size);
    // Every value repeats for the cells of the later axes.
    std::uint64_t repeat = 1;
    if (!block.picks.points)
      for (std::size_t i = axis + 1; i < block.picks.axes.size(); ++i) repeat *= block.picks.axes[i].count;
    for (std::uint64_t i = 0; i < block.cells; ++i)
      store_integer(field.type, origin + Int128{pick.at(i / repeat % pick.count)},
                    column.data.data() + i * field.type.size);
  }

  // The mask of a block; `columns` keeps the condition's columns, so that results need not read them again.
  std::vector<std::uint8_t> matches(const Block& block, std::vector<Column>& columns) const {
    std::vector<ColumnView> views;
    columns.reserve(condition_.fields().size());
    for (const FieldInfo& field : condition_.fields()) {
      columns.push_back(read_field(field, block));
      views.emplace_back(columns.back());
    }
    std::vector<std::uint8_t> mask(block.cells);
    condition_.evaluate(views, 0, mask);
    return mask;
  }

  std::vector<Column> outputs(const Block& block, std::vector<Column>& tested) const {
    std::vector<Column> columns;
    for (const FieldInfo& field : outputs_) {
      const auto known = std::ranges::find(tested, field.name, &Column::name);
      columns.push_back(known != tested.end() ? *known : read_field(field, block));
    }
    return columns;
  }

  Batch read_block(const Block& block) const {
    Batch batch;
    batch.cells = block.cells;
    batch.shape = block.shape;
    std::vector<Column> tested;
    std::vector<std::uint8_t> mask;
    if (!condition_.empty()) mask = matches(block, tested);
    batch.columns = outputs(block, tested);
    if (condition_.empty()) return batch;
    for (Column& column : batch.columns) {
      const Attribute* attribute = schema_.attribute(column.name);
      if (!attribute) continue;  // coordinates stay
      fill_unmatched(column, mask, attribute->fill, attribute->fill_valid);
    }
    return batch;
  }

  void aggregate(const Block& block) {
    std::vector<Column> tested;
    std::vector<std::uint8_t> mask;
    if (!condition_.empty()) mask = matches(block, tested);
    const std::vector<Column> columns = outputs(block, tested);
    const std::vector<ColumnView> views(columns.begin(), columns.end());
    AggregateSet part = aggregates_->fresh();
    part.update(views, 0, block.cells, mask.empty() ? nullptr : mask.data());
    aggregates_->merge(part);
  }

  std::shared_ptr<const GridSource> source_;
  Query query_;
  const Schema& schema_;
  std::vector<FieldInfo> fields_, outputs_;
  Picks picks_;
  Condition condition_;
  std::optional<AggregateSet> aggregates_;
  std::size_t axis_ = 0;
  std::uint64_t length_ = 0, step_ = 1, position_ = 0;
  bool done_ = false;
};

}  // namespace

void GridSource::read_items(const Selection&, std::string_view field, Column&, const Work&) const {
  fail(ErrorKind::unsupported, "field '{}' has cells of variable length, which this array does not read", field);
}

Selection selection_of(const std::vector<DimensionRanges>& ranges, const Schema& schema) {
  Selection selection;
  const std::vector<std::uint64_t> shape = schema.shape();
  for (const DimensionRanges& given : ranges)
    if (!schema.dimension(given.name)) fail(ErrorKind::invalid_argument, "the array has no dimension '{}'", given.name);
  for (std::size_t axis = 0; axis < schema.dimensions.size(); ++axis) {
    const Dimension& dimension = schema.dimensions[axis];
    const auto given = std::ranges::find(ranges, dimension.name, &DimensionRanges::name);
    if (given == ranges.end()) {
      selection.axes.emplace_back(Slice{});
      continue;
    }
    IndexList list;
    for (const Range& range : given->ranges) {
      const std::int64_t low = index_of(range.low, dimension, shape[axis]),
                         high = index_of(range.high, dimension, shape[axis]);
      if (low > high)
        fail(ErrorKind::invalid_argument, "a range of dimension '{}' ends before it starts", dimension.name);
      if (given->ranges.size() == 1) {
        selection.axes.emplace_back(Slice{low, high + 1, 1});
        break;
      }
      for (std::int64_t i = low; i <= high; ++i) list.push_back(i);
    }
    if (given->ranges.size() != 1) selection.axes.emplace_back(std::move(list));
  }
  return selection;
}

Selection part_of(const Picks& picks, std::size_t axis, std::uint64_t first, std::uint64_t count) {
  Selection selection;
  selection.points = picks.points;
  for (std::size_t i = 0; i < picks.axes.size(); ++i) {
    const AxisPick& pick = picks.axes[i];
    if (pick.dropped && !picks.points) {
      selection.axes.emplace_back(static_cast<std::int64_t>(pick.at(0)));
      continue;
    }
    // Points advance along all axes together, so that all are cut alike.
    const bool cut = i == axis || picks.points;
    const std::uint64_t begin = cut ? first : 0, n = cut ? count : pick.count;
    if (!pick.indices.empty() || picks.points) {
      IndexList list;
      for (std::uint64_t k = 0; k < n; ++k) list.push_back(static_cast<std::int64_t>(pick.at(begin + k)));
      selection.axes.emplace_back(std::move(list));
      continue;
    }
    if (n == 0) {
      selection.axes.emplace_back(Slice{0, 0, 1});
      continue;
    }
    const std::int64_t start = static_cast<std::int64_t>(pick.at(begin));
    const std::int64_t stop = start + static_cast<std::int64_t>(n) * pick.step;
    Slice slice{start, stop, pick.step};
    if (stop < 0) slice.stop.reset();  // -1 would count from the end
    selection.axes.emplace_back(slice);
  }
  return selection;
}

std::unique_ptr<BatchStream> query_grid(std::shared_ptr<const GridSource> source, const Query& query, Rules rules) {
  if (query.skip || query.limit != UINT64_MAX || query.row_numbers || query.rows)
    fail(ErrorKind::invalid_argument, "rows, skip, limit and row numbers are for tables");
  refuse_libtiledb_rules(query);
  if (!query.label_ranges.empty()) fail(ErrorKind::invalid_argument, "the array has no labels");
  if (query.select && !query.ranges.empty())
    fail(ErrorKind::invalid_argument, "a query takes a selection or ranges, not both");
  if (query.order && *query.order != Order::row && *query.order != Order::unordered)
    fail(ErrorKind::unsupported, "this array is read in row order only");
  return std::make_unique<GridStream>(std::move(source), query, rules);
}

}  // namespace tegula
