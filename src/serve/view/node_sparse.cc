// Sparse arrays as columns: one array for each dimension and attribute, all of one length.
#include <algorithm>
#include <mutex>

#include "base/endian.h"
#include "base/fail.h"
#include "base/utf8.h"
#include "query/columns/gather.h"
#include "serve/view/node_builder.h"

namespace tegula::serve {

namespace {

constexpr std::uint64_t kRows = 1 << 16;  // of a chunk

std::uint64_t count_cells(const Array& array, const Work& work) {
  Query query;
  query.aggregates = {{"n", AggregateOp::count, ""}};
  query.work = work;
  const Batch batch = collect(*array.query(query));
  if (batch.columns.size() != 1 || batch.columns[0].data.size() < 8)
    fail(ErrorKind::corrupt, "the cells could not be counted");
  return load_le<std::uint64_t>(batch.columns[0].data.data());
}

// All cells in row order. Which cells the n-th chunk holds is known only after all are sorted and merged, so they are
// read once, when they are first needed.
class SparseCells {
 public:
  SparseCells(std::shared_ptr<const Array> array, std::vector<std::string> fields, std::uint64_t most)
      : array_(std::move(array)), fields_(std::move(fields)), most_(most) {}

  Column cells(const std::string& field, const CellBox& box, const Work& work) {
    const std::lock_guard lock(mutex_);
    if (!read_) {
      read_all(work);
      read_ = true;
    }
    const Column* column = cells_.column(field);
    if (!column || box.first[0] + box.count[0] > cells_.cells)
      fail(ErrorKind::corrupt, "{} cells were counted, and {} read", box.first[0] + box.count[0], cells_.cells);
    return slice(*column, box.first[0], box.count[0]);
  }

 private:
  void read_all(const Work& work) {
    Query query;
    query.fields = fields_;
    query.order = Order::row;
    query.work = work;
    Batch all;
    const std::unique_ptr<BatchStream> stream = array_->query(query);
    while (std::optional<Batch> next = stream->next()) {
      if (all.columns.empty())
        all = std::move(*next);
      else
        append(all, *next);
      std::uint64_t bytes = 0;
      for (const Column& column : all.columns) bytes += column.bytes();
      if (bytes > most_)
        throw Unavailable(fmt::format(
            "the cells of this sparse array take more than the {} that may be kept; ask for a part with /api/query, or "
            "give the server more with --memory",
            format_size(most_)));
    }
    cells_ = std::move(all);
  }

  const std::shared_ptr<const Array> array_;
  const std::vector<std::string> fields_;
  const std::uint64_t most_;
  std::mutex mutex_;
  bool read_ = false;
  Batch cells_;
};

}  // namespace

Node sparse_node(const std::shared_ptr<const Array>& array, const NodeOptions& options) {
  const Schema& schema = array->schema();
  const std::uint64_t count = count_cells(*array, options.work);
  std::vector<Attribute> fields;
  for (const Dimension& dimension : schema.dimensions) fields.push_back(attribute_of(dimension));
  for (const Attribute& attribute : schema.attributes) fields.push_back(attribute);

  NodeBuilder builder(schema, options);
  std::vector<std::string> names;
  for (const Attribute& field : fields) names.push_back(field.name);
  const auto cells = std::make_shared<SparseCells>(array, std::move(names), options.work.memory / 4);
  CellSource like;
  like.state = options.state;
  const std::vector<Axis> axes = {{"cell", count, std::clamp<std::uint64_t>(count, 1, kRows)}};
  for (const Attribute& field : fields)
    builder.add(
        field.name.empty() ? "value" : field.name, field, axes,
        [cells, name = field.name](const CellBox& box, const Work& work) { return cells->cells(name, box, work); },
        like);
  return builder.take(attributes_of(array->metadata()));
}

}  // namespace tegula::serve
