#include "query/run/table_query.h"

#include <algorithm>
#include <functional>

#include "base/fail.h"
#include "base/parallel.h"
#include "query/aggregate/aggregates.h"
#include "query/columns/gather.h"
#include "query/condition/condition.h"

namespace tegula {
namespace {

// The rows asked for, in order: one run of consecutive rows, or several picks. What was asked for in few words stays
// small: a list of every second row would take more memory than the rows.
struct Rows {
  struct Picked {
    std::uint64_t begin = 0;  // position of its first row among all
    AxisPick pick;
  };

  // The rows at `n` positions from `begin` on.
  Buffer<std::uint64_t> list(std::uint64_t begin, std::uint64_t n) const {
    Buffer<std::uint64_t> out(n);
    auto at = std::ranges::upper_bound(picks, begin, {}, &Picked::begin) - 1;
    for (std::uint64_t i = 0; i < n; ++i) {
      while (begin + i - at->begin >= at->pick.count) ++at;
      out[i] = at->pick.at(begin + i - at->begin);
    }
    return out;
  }
  void add(AxisPick pick) {
    if (pick.count == 0) return;
    const std::uint64_t begin = count;
    count += pick.count;
    picks.push_back({begin, std::move(pick)});
  }

  std::uint64_t first = 0, count = 0;
  bool listed = false;
  std::vector<Picked> picks;  // when listed
};

Rows rows_of(const Query& query, std::uint64_t total) {
  Rows rows{0, total, false, {}};
  if (!query.label_ranges.empty()) fail(ErrorKind::invalid_argument, "a table has no labels");
  if (!query.ranges.empty()) {
    if (query.select) fail(ErrorKind::invalid_argument, "a query takes a selection or ranges, not both");
    if (query.ranges.size() > 1)
      fail(ErrorKind::invalid_argument, "a table has one dimension; ranges are given for {}", query.ranges.size());
    const std::vector<Range>& ranges = query.ranges[0].ranges;
    rows.listed = ranges.size() != 1;
    if (rows.listed) rows.count = 0;
    for (const Range& range : ranges) {
      const auto bound = [&](const Value& value) -> std::uint64_t {
        if (const auto* i = std::get_if<std::int64_t>(&value); i && *i >= 0) return static_cast<std::uint64_t>(*i);
        if (const auto* u = std::get_if<std::uint64_t>(&value)) return *u;
        fail(ErrorKind::invalid_argument, "ranges of rows take integers from 0");
      };
      const std::uint64_t low = bound(range.low), high = bound(range.high);
      if (low > high || high >= total)
        fail(ErrorKind::invalid_argument, "rows {}..{} are not inside a table of {} rows", low, high, total);
      AxisPick run;
      run.count = high - low + 1;
      run.start = static_cast<std::int64_t>(low);
      if (!rows.listed)
        rows.first = low, rows.count = run.count;
      else
        rows.add(std::move(run));
    }
  } else if (query.select) {
    Picks picks = resolve(*query.select, {total});
    AxisPick& pick = picks.axes[0];
    if (pick.indices.empty() && (pick.step == 1 || pick.count <= 1)) {
      rows.first = pick.count ? pick.at(0) : 0;
      rows.count = pick.count;
    } else {
      rows.listed = true;
      rows.count = 0;
      rows.add(std::move(pick));
    }
  }
  return rows;
}

struct Block {
  std::uint64_t begin = 0, count = 0;  // positions among the rows asked for
};

// The result of one block: a batch, or partial aggregates.
struct Part {
  Batch batch;
  std::optional<AggregateSet> aggregates;
};

class TableStream final : public BatchStream {
 public:
  TableStream(std::shared_ptr<const RowSource> source, const Query& query, Rules rules)
      : source_(std::move(source)), query_(query), rows_(rows_of(query, source_->rows())) {
    const std::vector<FieldInfo>& fields = source_->fields();
    condition_ = Condition::bind(query_.where, fields, rules);
    for (const FieldInfo& field : condition_.fields()) condition_fields_.push_back(index_of(field.name));
    if (!query_.aggregates.empty()) {
      aggregates_.emplace(query_.aggregates, fields);
      for (const FieldInfo& field : aggregates_->fields()) outputs_.push_back(index_of(field.name));
    } else if (query_.fields) {
      for (const std::string& name : *query_.fields) {
        if (name == kRowColumn)
          query_.row_numbers = true;
        else
          outputs_.push_back(index_of(name));
      }
    } else {
      for (std::size_t i = 0; i < fields.size(); ++i) outputs_.push_back(i);
    }
    plan();
  }

  std::optional<Batch> next() override {
    if (aggregates_) return aggregate();
    while (position_ < rows_.count && left_ > 0) {
      Batch batch = gather_wave();
      if (batch.cells > 0) {
        delivered_ = true;
        return batch;
      }
    }
    // A result without rows still says what its columns are.
    if (delivered_) return std::nullopt;
    delivered_ = true;
    return empty_batch();
  }

 private:
  std::size_t index_of(std::string_view name) const {
    const auto& fields = source_->fields();
    const auto found = std::ranges::find(fields, name, &FieldInfo::name);
    if (found == fields.end()) fail(ErrorKind::invalid_argument, "the table has no column '{}'", name);
    return static_cast<std::size_t>(found - fields.begin());
  }

  // Blocks do not depend on the number of threads, so that neither do results.
  void plan() {
    std::uint64_t row_bytes = 16;
    for (const std::size_t field : outputs_)
      row_bytes += std::max<std::uint64_t>(source_->fields()[field].cell_size(), 16);
    for (const std::size_t field : condition_fields_)
      row_bytes += std::max<std::uint64_t>(source_->fields()[field].cell_size(), 16);
    const std::uint64_t unit = std::max<std::uint64_t>(1, source_->block_rows());
    constexpr std::uint64_t kTarget = 1 << 18;
    block_ = unit * std::max<std::uint64_t>(1, kTarget / unit);
    // A wave of blocks and the batch made of them share the budget.
    const std::uint64_t affordable = std::max<std::uint64_t>(1024, query_.work.memory / 3 / row_bytes);
    block_ = std::min(block_, affordable);
    wave_ = std::clamp<std::uint64_t>(affordable / block_, 1, std::uint64_t{4} * thread_count(query_.work));
    left_ = query_.limit;
    to_skip_ = query_.skip;
  }

  std::vector<Block> blocks(std::uint64_t limit) const {
    std::vector<Block> out;
    const std::uint64_t unit = std::max<std::uint64_t>(1, source_->block_rows());
    for (std::uint64_t at = position_; at < rows_.count && out.size() < limit;) {
      std::uint64_t n = std::min(block_, rows_.count - at);
      // The next block starts where a chunk of the source does.
      if (!rows_.listed && block_ >= unit && n == block_) {
        const std::uint64_t end = (rows_.first + at + n) / unit * unit;
        if (end > rows_.first + at) n = end - (rows_.first + at);
      }
      out.push_back({at, n});
      at += n;
    }
    return out;
  }

  // `listed` are the rows of the block, when they are no run.
  void read(std::size_t field, const Block& block, const Buffer<std::uint64_t>& listed, Column& out) const {
    if (rows_.listed)
      source_->read_indices(field, listed, out);
    else
      source_->read_rows(field, rows_.first + block.begin, block.count, out);
  }

  // The columns of a block: one after the other, because the blocks are read in parallel, unless the source waits.
  void each(std::size_t columns, const std::function<void(std::size_t)>& body) const {
    Work work = query_.work;
    work.threads = source_->waits() ? static_cast<unsigned>(std::clamp<std::size_t>(columns, 1, 64)) : 1;
    parallel_for(work, columns, body);
  }

  // Reads what the condition needs, and the rest only where something matches.
  Part work(const Block& block) const {
    const auto& fields = source_->fields();
    const Buffer<std::uint64_t> listed = rows_.listed ? rows_.list(block.begin, block.count) : Buffer<std::uint64_t>();
    std::vector<Column> tested(condition_fields_.size());
    each(tested.size(), [&](std::size_t i) {
      tested[i] = empty_column(fields[condition_fields_[i]]);
      read(condition_fields_[i], block, listed, tested[i]);
    });
    const std::vector<ColumnView> views(tested.begin(), tested.end());
    std::vector<std::uint8_t> mask;
    std::uint64_t kept = block.count;
    if (!condition_.empty()) {
      mask.resize(block.count);
      condition_.evaluate(views, 0, mask);
      kept = count_set(mask);
    }
    Part part;
    if (aggregates_) part.aggregates.emplace(aggregates_->fresh());
    if (kept == 0) return part;
    std::vector<Column> columns(outputs_.size());
    each(columns.size(), [&](std::size_t i) {
      const std::size_t field = outputs_[i];
      const auto known = std::ranges::find(condition_fields_, field);
      if (known != condition_fields_.end()) {
        columns[i] = tested[static_cast<std::size_t>(known - condition_fields_.begin())];
      } else {
        columns[i] = empty_column(fields[field]);
        // Few matches in a block: a source may be able to decode less than all of it.
        if (!aggregates_ && !rows_.listed && kept * 64 < block.count) {
          Buffer<std::uint64_t> indices;
          set_indices(mask, rows_.first + block.begin, indices);
          source_->read_indices(field, indices, columns[i]);
          return;
        }
        read(field, block, listed, columns[i]);
      }
      if (!aggregates_ && kept < block.count) columns[i] = filter(columns[i], mask);
    });
    if (aggregates_) {
      std::vector<ColumnView> inputs(columns.begin(), columns.end());
      part.aggregates->update(inputs, 0, block.count, mask.empty() ? nullptr : mask.data());
      return part;
    }
    part.batch.cells = kept;
    part.batch.columns = std::move(columns);
    if (query_.row_numbers) part.batch.columns.push_back(row_numbers(block, listed, mask));
    return part;
  }

  Column row_numbers(const Block& block, const Buffer<std::uint64_t>& listed,
                     std::span<const std::uint8_t> mask) const {
    Column column;
    column.name = kRowColumn;
    column.type = TypeId::uint64;
    Buffer<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < block.count; ++i)
      if (mask.empty() || mask[i]) numbers.push_back(rows_.listed ? listed[i] : rows_.first + block.begin + i);
    const ByteView bytes = std::as_bytes(std::span(numbers));
    column.data.assign(bytes.begin(), bytes.end());
    return column;
  }

  std::vector<Part> run(const std::vector<Block>& blocks) {
    std::vector<Part> parts(blocks.size());
    parallel_for(query_.work, blocks.size(), [&](std::size_t i) { parts[i] = work(blocks[i]); });
    position_ = blocks.back().begin + blocks.back().count;
    return parts;
  }

  Batch gather_wave() {
    // Without a condition the rows to skip need not be read.
    if (condition_.empty() && to_skip_ > 0) {
      const std::uint64_t skipped = std::min(to_skip_, rows_.count - position_);
      position_ += skipped;
      to_skip_ -= skipped;
      if (position_ == rows_.count) return empty_batch();
    }
    std::vector<Block> wave = blocks(wave_);
    if (condition_.empty()) {
      std::uint64_t rows = 0;
      for (std::size_t i = 0; i < wave.size(); ++i) {
        if (rows + wave[i].count >= left_) {
          wave[i].count = left_ - rows;
          wave.resize(i + 1);
          break;
        }
        rows += wave[i].count;
      }
    }
    Batch out;
    for (Part& part : run(wave)) {
      Batch& batch = part.batch;
      const std::uint64_t skipped = std::min(to_skip_, batch.cells);
      to_skip_ -= skipped;
      const std::uint64_t taken = std::min(left_, batch.cells - skipped);
      left_ -= taken;
      if (taken == 0) continue;
      if (taken < batch.cells) batch = slice(batch, skipped, taken);
      if (out.cells == 0)
        out = std::move(batch);
      else
        append(out, batch);
    }
    return out;
  }

  std::optional<Batch> aggregate() {
    if (delivered_) return std::nullopt;
    delivered_ = true;
    if (query_.skip || query_.limit != UINT64_MAX)
      fail(ErrorKind::invalid_argument, "skip and limit do not go with aggregates");
    while (position_ < rows_.count)
      for (const Part& part : run(blocks(wave_))) aggregates_->merge(*part.aggregates);
    return aggregates_->finish();
  }

  Batch empty_batch() const {
    Batch batch;
    for (const std::size_t field : outputs_) batch.columns.push_back(empty_column(source_->fields()[field]));
    if (query_.row_numbers) batch.columns.push_back(row_numbers({}, {}, {}));
    return batch;
  }

  std::shared_ptr<const RowSource> source_;
  Query query_;
  Rows rows_;
  Condition condition_;
  std::vector<std::size_t> condition_fields_, outputs_;
  std::optional<AggregateSet> aggregates_;
  std::uint64_t block_ = 1, wave_ = 1, position_ = 0, left_ = 0, to_skip_ = 0;
  bool delivered_ = false;
};

}  // namespace

void RowSource::read_indices(std::size_t field, std::span<const std::uint64_t> indices, Column& out) const {
  out = empty_column(fields()[field]);
  const std::uint64_t unit = std::max<std::uint64_t>(1, block_rows());
  std::vector<std::uint64_t> inside;
  for (std::size_t i = 0; i < indices.size();) {
    const std::uint64_t first = indices[i] / unit * unit;
    const std::uint64_t count = std::min(unit, rows() - first);
    inside.clear();
    for (; i < indices.size() && indices[i] >= first && indices[i] < first + count; ++i)
      inside.push_back(indices[i] - first);
    Column chunk = empty_column(fields()[field]);
    read_rows(field, first, count, chunk);
    append_gathered(out, chunk, inside);
  }
}

std::unique_ptr<BatchStream> query_table(std::shared_ptr<const RowSource> source, const Query& query, Rules rules) {
  if (query.order && *query.order != Order::row && *query.order != Order::unordered)
    fail(ErrorKind::invalid_argument, "rows of a table come in row order");
  refuse_libtiledb_rules(query);
  return std::make_unique<TableStream>(std::move(source), query, rules);
}

}  // namespace tegula
