#include "input/file_array.h"

#include <algorithm>
#include <utility>

#include "base/fail.h"
#include "model/strided.h"
#include "query/columns/gather.h"

namespace tegula::cli {

namespace {

// The part of `whole` that a query asks for, counted from where `whole` begins.
CellBox asked_box(const Query& query, const CellBox& whole) {
  CellBox box;
  for (std::size_t i = 0; i < whole.first.size(); ++i) {
    const auto& slice = std::get<Slice>(query.select->axes.at(i));
    box.first.push_back(static_cast<std::uint64_t>(*slice.start) - whole.first[i]);
    box.count.push_back(static_cast<std::uint64_t>(*slice.stop - *slice.start));
  }
  return box;
}

// Batches that a function makes until it has no more.
template <class Next>
class Made final : public BatchStream {
 public:
  explicit Made(Next next) : next_(std::move(next)) {}
  std::optional<Batch> next() override { return next_(); }

 private:
  Next next_;
};
template <class Next>
std::unique_ptr<BatchStream> made(Next next) {
  return std::make_unique<Made<Next>>(std::move(next));
}

std::unique_ptr<BatchStream> just(Batch batch) {
  return made([only = std::optional(std::move(batch))]() mutable { return std::exchange(only, std::nullopt); });
}

class NpyArrayFile final : public FileArray {
 public:
  NpyArrayFile(const InputFile& file, NpyHeader header, Schema schema, const Attribute& attribute, CellBox box)
      : FileArray(std::move(schema)),
        file_(file),
        header_(std::move(header)),
        attribute_(attribute),
        box_(std::move(box)) {
    header_.shape = box_.count;
  }

  std::unique_ptr<BatchStream> query(const Query& query) const override {
    if (query.select) return just(read_box(asked_box(query, box_)));
    // Rows of a table or of the first axis.
    const std::uint64_t rows = box_.count.at(0), cells = std::max<std::uint64_t>(1, cell_count(box_.count));
    const std::uint64_t row_bytes =
        std::max<std::uint64_t>(1, cells / std::max<std::uint64_t>(1, rows) * header_.type.full_size());
    const std::uint64_t step = std::max<std::uint64_t>(1, query.work.memory / 4 / row_bytes);
    return made([this, rows, step, at = std::uint64_t{0}]() mutable -> std::optional<Batch> {
      if (at >= rows) return std::nullopt;
      CellBox box{std::vector<std::uint64_t>(box_.count.size(), 0), box_.count};
      box.first[0] = at;
      box.count[0] = std::min(step, rows - at);
      at += box.count[0];
      return read_box(box);
    });
  }

 private:
  Batch read_box(const CellBox& box) const {
    Batch batch;
    batch.columns.push_back(column_of_npy(header_.type, read_npy_box(file_, header_, box), attribute_));
    batch.cells = cell_count(box.count);
    batch.shape = box.count;
    return batch;
  }

  const InputFile& file_;
  NpyHeader header_;
  const Attribute attribute_;
  const CellBox box_;
};

class RowArrayFile final : public FileArray {
 public:
  RowArrayFile(std::unique_ptr<Rows> rows, Schema schema, CellBox box)
      : FileArray(std::move(schema)), rows_(std::move(rows)), box_(std::move(box)) {}

  std::unique_ptr<BatchStream> query(const Query& query) const override {
    if (query.select) return just(read_box(asked_box(query, box_), query));
    return made([this, query] {
      std::optional<Batch> batch = rows_->next(UINT64_MAX, query.work.memory / 4);
      if (batch) *batch = in_order(*std::move(batch), query);
      return batch;
    });
  }

  std::uint64_t rest() override {
    std::uint64_t cells = 0;
    while (const std::optional<Batch> batch = rows_->next(UINT64_MAX, 1 << 24)) cells += batch->cells;
    return cells;
  }

 private:
  // The columns that the query asks for, in its order.
  static Batch in_order(Batch batch, const Query& query) {
    if (!query.fields) return batch;
    Batch out;
    out.cells = batch.cells;
    for (const std::string& name : *query.fields) {
      const auto found = std::find_if(batch.columns.begin(), batch.columns.end(),
                                      [&](const Column& column) { return column.name == name; });
      if (found == batch.columns.end()) fail(ErrorKind::invalid_argument, "the file has no field '{}'", name);
      out.columns.push_back(*found);
    }
    return out;
  }

  // Are the cells of the box the next ones of the file?
  bool is_next(const CellBox& box) const {
    std::uint64_t first = 0;
    bool run = true, whole_behind = true;
    for (std::size_t i = 0; i < box.count.size(); ++i) first = first * box_.count[i] + box.first[i];
    for (std::size_t i = box.count.size(); i-- > 0;) {
      run = run && (whole_behind || box.count[i] == 1);
      whole_behind = whole_behind && box.count[i] == box_.count[i];
    }
    return run && first == at_;
  }

  Batch read_box(const CellBox& box, const Query& query) const {
    const std::uint64_t cells = cell_count(box.count);
    if (cells > 0 && !is_next(box))
      fail(ErrorKind::unsupported,
           "the tiles that lie side by side in a row need more memory than there is to fill them from a file that is "
           "read from its first cell to its last; give more with --memory, make the tiles smaller, or use a .npy file");
    Batch out;
    while (out.cells < cells) {
      std::optional<Batch> part = rows_->next(cells - out.cells, UINT64_MAX);
      if (!part)
        fail(ErrorKind::invalid_argument, "the file has {} cells, the selection {}", at_ + out.cells,
             cell_count(box_.count));
      if (out.cells == 0)
        out = *std::move(part);
      else
        tegula::append(out, *part);
    }
    at_ += cells;
    out = in_order(std::move(out), query);
    out.shape = box.count;
    return out;
  }

  const std::unique_ptr<Rows> rows_;
  const CellBox box_;
  mutable std::uint64_t at_ = 0;  // cells that were read
};

}  // namespace

std::unique_ptr<FileArray> npy_array(const InputFile& file, NpyHeader header, Schema schema, const Attribute& attribute,
                                     CellBox box) {
  return std::make_unique<NpyArrayFile>(file, std::move(header), std::move(schema), attribute, std::move(box));
}

std::unique_ptr<FileArray> row_array(std::unique_ptr<Rows> rows, Schema schema, CellBox box) {
  return std::make_unique<RowArrayFile>(std::move(rows), std::move(schema), std::move(box));
}

}  // namespace tegula::cli
