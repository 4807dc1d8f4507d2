#include "convert/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fail.h"
#include "convert/blocks.h"
#include "convert/convert.h"
#include "convert/equal_cells.h"
#include "convert/written_boxes.h"
#include "query/columns/gather.h"

namespace tegula {

namespace {

constexpr std::uint64_t kMostCells = 1 << 22;

struct FieldPair {
  std::string left, right;
  const Attribute* as = nullptr;  // the left column is converted to this before it is compared
};

bool dense(const Schema& schema) { return !schema.sparse && !schema.table; }

std::string axes_text(const std::vector<std::uint64_t>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

// Fields of the same name, or the only attributes of both arrays.
std::vector<FieldPair> pair_fields(const Schema& left, const Schema& right, Comparison& report) {
  if (left.attributes.size() == 1 && right.attributes.size() == 1)
    return {{left.attributes[0].name, right.attributes[0].name, nullptr}};
  std::vector<FieldPair> pairs;
  for (const Attribute& a : left.attributes) {
    if (right.attribute(a.name))
      pairs.push_back({a.name, a.name, nullptr});
    else
      report.schema.push_back(fmt::format("field '{}' is only in the first", a.name));
  }
  for (const Attribute& a : right.attributes)
    if (!left.attribute(a.name)) report.schema.push_back(fmt::format("field '{}' is only in the second", a.name));
  return pairs;
}

// Equal bytes of equal types are equal values; everything else is compared cell by cell.
bool identical(const Column& a, std::uint64_t i, const Column& b, std::uint64_t j, std::uint64_t count) {
  if (a.var() || b.var() || a.nullable || b.nullable || !(a.type == b.type) || a.values_per_cell != b.values_per_cell)
    return false;
  const std::uint64_t size = a.cell_size();
  return std::memcmp(a.data.data() + i * size, b.data.data() + j * size, count * size) == 0;
}

template <class Index>
void compare_columns(Comparison& report, const Column& a, std::uint64_t i, const Column& b, std::uint64_t j,
                     std::uint64_t count, Index index_of) {
  report.cells += count;
  if (count == 0 || identical(a, i, b, j, count)) return;
  for (std::uint64_t k = 0; k < count; ++k) {
    if (equal_cells(a, i + k, b, j + k)) continue;
    if (++report.different <= Comparison::kMost)
      report.first.push_back({a.name, index_of(k), slice(a, i + k, 1), slice(b, j + k, 1)});
  }
}

// The boxes to compare: the whole domain, or the parts where either side was written.
std::vector<CellBox> boxes_to_compare(Comparison& report, const Array& left, const Array& right,
                                      const std::vector<FieldPair>& fields, const Work& work) {
  const CellBox whole = whole_domain(left.schema());
  if (cells_of(whole) <= kLargeDomain) return {whole};
  std::optional<std::vector<CellBox>> boxes = written_boxes(left, work), more = written_boxes(right, work);
  if (!boxes || !more) return {whole};
  for (const FieldPair& field : fields) {
    Column a = fill_of(*left.schema().attribute(field.left));
    const Column b = fill_of(*right.schema().attribute(field.right));
    if (field.as) shape_column(a, *field.as);
    if (!equal_cells(a, 0, b, 0))
      report.schema.push_back(fmt::format("the fill values of '{}', which all unwritten cells have", field.left));
  }
  boxes->insert(boxes->end(), more->begin(), more->end());
  return join_boxes(*std::move(boxes), left.schema().chunks());
}

void compare_box(Comparison& report, const Array& left, const Array& right, const std::vector<FieldPair>& fields,
                 const CellBox& box, const Work& work) {
  for (const FieldPair& field : fields) {
    Query query;
    query.work = work;
    query.work.progress = nullptr;
    const auto cells = [&](const Array& array, const std::string& name) {
      Query one = query;
      one.fields = {name};
      ask_for(one, array.schema(), box);
      return collect(*array.query(one));
    };
    Batch a = cells(left, field.left);
    const Batch b = cells(right, field.right);
    if (a.cells != b.cells)
      fail(ErrorKind::corrupt, "a block of field '{}' has {} cells on one side and {} on the other", field.left,
           a.cells, b.cells);
    if (field.as) shape_column(a.columns.at(0), *field.as);
    compare_columns(report, a.columns[0], 0, b.columns[0], 0, a.cells, [&](std::uint64_t k) {
      std::vector<std::uint64_t> index(box.first);
      for (std::size_t axis = index.size(); axis-- > 0; k /= box.count[axis]) index[axis] += k % box.count[axis];
      return index;
    });
  }
}

void compare_dense(Comparison& report, const Array& left, const Array& right, const std::vector<FieldPair>& fields,
                   const Work& work) {
  std::vector<Blocks> boxes;
  std::uint64_t count = 0;
  for (const CellBox& box : boxes_to_compare(report, left, right, fields, work)) {
    boxes.emplace_back(box, left.schema().chunks(),
                       std::min<std::uint64_t>(kMostCells, std::max<std::uint64_t>(1, work.memory / 64)));
    count += boxes.back().count();
  }
  if (work.progress) work.progress->begin("comparing", count);
  for (const Blocks& blocks : boxes)
    for (std::uint64_t n = 0; n < blocks.count(); ++n) {
      work.check();
      compare_box(report, left, right, fields, blocks.box(n), work);
      if (work.progress) work.progress->advance(1);
    }
  if (work.progress) work.progress->end();
}

// The rows of one side, independent of how they are cut into batches.
struct Rows {
  std::unique_ptr<BatchStream> stream;
  Batch batch;
  std::uint64_t at = 0;

  std::vector<FieldPair> shapes;  // of the left side: what its columns are converted to

  Rows(const Array& array, std::vector<std::string> fields, Order order, const Work& work) {
    Query query;
    query.fields = std::move(fields);
    if (array.schema().sparse) query.order = order;
    query.work = work;
    query.work.memory /= 2;
    query.work.progress = nullptr;
    stream = array.query(query);
  }
  std::uint64_t left() {
    while (at == batch.cells) {
      std::optional<Batch> next = stream->next();
      if (!next) return 0;
      batch = *std::move(next);
      at = 0;
      for (Column& column : batch.columns)
        for (const FieldPair& field : shapes)
          if (field.as && column.name == field.left) {
            shape_column(column, *field.as);
            column.name = field.left;
          }
    }
    return batch.cells - at;
  }
};

void compare_rows(Comparison& report, const Array& left, const Array& right, const std::vector<FieldPair>& fields,
                  const Work& work) {
  std::vector<std::string> names_a, names_b;
  const bool both = left.schema().sparse && right.schema().sparse;
  if (both) {
    for (const Dimension& d : left.schema().dimensions) names_a.push_back(d.name);
    for (const Dimension& d : right.schema().dimensions) names_b.push_back(d.name);
  }
  for (const FieldPair& field : fields) {
    names_a.push_back(field.left);
    names_b.push_back(field.right);
  }
  // Rows of a table that was made of sparse cells are in the order in which they were copied.
  Rows a(left, names_a, both ? Order::row : Order::global, work), b(right, names_b, Order::row, work);
  a.shapes = fields;
  std::uint64_t row = 0;
  while (true) {
    work.check();
    const std::uint64_t count = std::min(a.left(), b.left());
    if (count == 0) break;
    for (std::size_t c = 0; c < names_a.size(); ++c) {
      const Column* from = a.batch.column(names_a[c]);
      const Column* to = b.batch.column(names_b[c]);
      compare_columns(report, *from, a.at, *to, b.at, count,
                      [&](std::uint64_t k) { return std::vector<std::uint64_t>{row + k}; });
    }
    a.at += count;
    b.at += count;
    row += count;
  }
  if (a.left() || b.left())
    report.schema.push_back(
        fmt::format("the {} has more rows than the {} of the other", a.left() ? "first" : "second", row));
}

}  // namespace

Comparison compare(const Array& left, const Array& right, const Work& work) {
  Comparison report;
  const Schema &a = left.schema(), &b = right.schema();
  if (a.sparse != b.sparse) {
    report.schema.push_back("one is sparse, the other dense");
    return report;
  }
  if (a.dimensions.size() != b.dimensions.size()) {
    report.schema.push_back(fmt::format("{} and {} dimensions", a.dimensions.size(), b.dimensions.size()));
    return report;
  }
  const std::vector<FieldPair> fields = pair_fields(a, b, report);
  if (dense(a) && dense(b)) {
    if (a.shape() != b.shape()) {
      report.schema.push_back(fmt::format("shapes {} and {}", axes_text(a.shape()), axes_text(b.shape())));
      return report;
    }
    compare_dense(report, left, right, fields, work);
  } else {
    compare_rows(report, left, right, fields, work);
  }
  return report;
}

Comparison compare_copy(const Array& source, const Target& target, const Array& copy, const Work& work) {
  const Schema &a = source.schema(), &b = copy.schema();
  Comparison report;
  const bool rows = !dense(a) || !dense(b);
  if (!rows && a.shape() != b.shape()) {
    report.schema.push_back(fmt::format("shapes {} and {}", axes_text(a.shape()), axes_text(b.shape())));
    return report;
  }
  std::vector<FieldPair> fields;
  for (std::size_t i = 0; i < target.sources.size(); ++i) {
    const std::string& name = target.schema.attributes.at(i).name;
    const Attribute* there = b.attribute(name);
    // TileDB's versions 3 and 4 give an attribute without a name a name of their own.
    if (!there && name.empty() && i < b.attributes.size()) there = &b.attributes[i];
    if (there)
      fields.push_back({target.sources[i], there->name, there});
    else
      report.schema.push_back(fmt::format("field '{}' is not in the copy", name));
  }
  if (rows)
    compare_rows(report, source, copy, fields, work);
  else
    compare_dense(report, source, copy, fields, work);
  return report;
}

}  // namespace tegula
