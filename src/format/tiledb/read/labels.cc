#include "format/tiledb/read/labels.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "format/tiledb/read/dense_read.h"
#include "store/wrap/sub_store.h"

namespace tegula::tiledb {

namespace {

std::shared_ptr<Snapshot> open_labels(const Snapshot& snapshot, const SchemaLabel& label) {
  if (label.external || !label.relative)
    fail(ErrorKind::unsupported, "label '{}' lies outside of the array, at '{}'", label.name, label.uri);
  OpenOptions options = snapshot.options();
  options.at = {snapshot.window().first, snapshot.window().last};
  const auto labels = std::make_shared<Snapshot>(sub_store(snapshot.store(), label.uri), options);
  if (labels->schema().sparse || labels->schema().dimensions.size() != 1 || !labels->field(label.attribute))
    fail(ErrorKind::corrupt, "{} is not an array of labels", label.uri);
  return labels;
}

Column read_axis(const Snapshot& labels, const SchemaLabel& label, const AxisRuns& axis, const Work& work) {
  const DenseSelection selection{{axis}, {}};
  const DensePlan plan = labels.planner(work).plan(selection.axes, work);
  const FieldInfo field = *labels.field(label.attribute);
  Column column = std::move(read_columns(labels, plan, selection, std::span(&field, 1), false, work)[0]);
  column.name = label.name;
  return column;
}

}  // namespace

const SchemaLabel& label_named(const Snapshot& snapshot, std::string_view name) {
  for (const SchemaLabel& label : snapshot.schema().labels)
    if (label.name == name) return label;
  fail(ErrorKind::invalid_argument, "there is no label '{}'", name);
}

std::vector<Range> label_to_dimension(const Snapshot& snapshot, const SchemaLabel& label,
                                      const std::vector<Range>& ranges, const Work& work) {
  const Context doing([&] { return fmt::format("looking up label '{}'", label.name); });
  const std::shared_ptr<Snapshot> labels = open_labels(snapshot, label);
  const DenseGrid& grid = labels->grid();
  // Cells that were never written have no label, so only the boxes of the fragments are searched.
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const auto& fragment : labels->fragments(work)) {
    if (fragment->domain().empty()) continue;
    const auto low = grid.index(0, fragment->domain()[0].low), high = grid.index(0, fragment->domain()[0].high);
    if (!low || !high) fail(ErrorKind::corrupt, "{}: a fragment outside of the domain", fragment->folder());
    first = std::min(first, *low);
    last = std::max(last, *high);
  }
  AxisRuns axis;
  if (first <= last) add_run(axis, first, last);
  const Column column = read_axis(*labels, label, axis, work);
  std::vector<Range> found;
  for (const Range& range : ranges) {
    Bytes low, high;
    value_to_bytes(label.type, range.low, low);
    value_to_bytes(label.type, range.high, high);
    std::uint64_t begin = UINT64_MAX, end = 0;
    for (std::uint64_t i = 0; i < axis.length; ++i) {
      if (compare_values(label.type, column.var(), column.cell(i), low) < 0 ||
          compare_values(label.type, column.var(), column.cell(i), high) > 0)
        continue;
      begin = std::min(begin, i);
      end = i;
    }
    if (begin > end) fail(ErrorKind::invalid_argument, "no label lies in the range asked for");
    Bytes value(grid.types[0].size);
    Range& in_dimension = found.emplace_back();
    grid.value(0, first + begin, value.data());
    in_dimension.low = value_from_bytes(grid.types[0], value);
    grid.value(0, first + end, value.data());
    in_dimension.high = value_from_bytes(grid.types[0], value);
  }
  return found;
}

Column read_labels(const Snapshot& snapshot, const SchemaLabel& label, const AxisRuns& axis, const Work& work) {
  const Context doing([&] { return fmt::format("reading label '{}'", label.name); });
  return read_axis(*open_labels(snapshot, label), label, axis, work);
}

Column read_labels(const Snapshot& snapshot, const SchemaLabel& label, std::span<const Range> ranges,
                   const Work& work) {
  const Context doing([&] { return fmt::format("reading label '{}'", label.name); });
  const std::shared_ptr<Snapshot> labels = open_labels(snapshot, label);
  const DenseGrid& grid = labels->grid();
  AxisRuns axis;
  for (const Range& range : ranges) {
    const auto low = grid.index(0, range.low), high = grid.index(0, range.high);
    if (!low || !high) fail(ErrorKind::corrupt, "{}: its domain is not that of the dimension", label.uri);
    add_run(axis, *low, *high);
  }
  if (ranges.empty()) add_run(axis, 0, grid.last[0]);
  const std::uint64_t size = labels->field(label.attribute)->var() ? 8 : label.type.size;
  if (axis.length > work.memory / size)
    fail(ErrorKind::invalid_argument, "{} labels do not fit the budget of {} bytes; ask for a range of dimension '{}'",
         axis.length, work.memory, snapshot.schema().dimensions[label.dimension].name);
  return read_axis(*labels, label, axis, work);
}

}  // namespace tegula::tiledb
