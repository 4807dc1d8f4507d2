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
// read when they are first needed, and kept.
class SparseCells {
 public:
  SparseCells(std::shared_ptr<const Array> array, std::vector<std::string> fields, std::shared_ptr<KeptCells> kept)
      : array_(std::move(array)), fields_(std::move(fields)), kept_(std::move(kept)) {}
  ~SparseCells() { kept_->forget(this); }
  SparseCells(const SparseCells&) = delete;
  SparseCells& operator=(const SparseCells&) = delete;

  Column cells(const std::string& field, const CellBox& box, const Work& work) {
    const std::shared_ptr<const Batch> all = everything(work);
    const Column* column = all->column(field);
    if (!column || box.first[0] + box.count[0] > all->cells)
      fail(ErrorKind::corrupt, "{} cells were counted, and {} read", box.first[0] + box.count[0], all->cells);
    return slice(*column, box.first[0], box.count[0]);
  }

 private:
  std::shared_ptr<const Batch> everything(const Work& work) {
    const std::lock_guard lock(mutex_);  // others wait rather than read the same
    if (std::shared_ptr<const Batch> kept = kept_->find(this)) return kept;
    const auto all = std::make_shared<const Batch>(read_all(work));
    kept_->keep(this, all);
    return all;
  }

  Batch read_all(const Work& work) const {
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
      if (held_bytes(all) > kept_->most())
        throw Unavailable(fmt::format(
            "the cells of this sparse array take more than the {} that may be kept; ask for a part with /api/query, or "
            "give the server more with --memory",
            format_size(kept_->most())));
    }
    return all;
  }

  const std::shared_ptr<const Array> array_;
  const std::vector<std::string> fields_;
  const std::shared_ptr<KeptCells> kept_;
  std::mutex mutex_;
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
  const auto cells = std::make_shared<SparseCells>(
      array, std::move(names), options.kept ? options.kept : std::make_shared<KeptCells>(options.work.memory));
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
