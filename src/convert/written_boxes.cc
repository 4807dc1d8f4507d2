#include "convert/written_boxes.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "base/fail.h"
#include "convert/convert.h"
#include "convert/equal_cells.h"
#include "format/registry/registry.h"
#include "query/columns/gather.h"

namespace tegula {

namespace {

constexpr double kMost = 1e13;                       // cells; a copy of more would take weeks
constexpr double kSmall = 1 << 24, kMuchLarger = 4;  // cells, and a factor: when many boxes are merged into one

using Extents = std::vector<std::uint64_t>;

// As unsigned numbers, whose differences are right for signed values too.
std::uint64_t bits_of(const Value& value) {
  const auto* i = std::get_if<std::int64_t>(&value);
  const auto* u = std::get_if<std::uint64_t>(&value);
  return i ? static_cast<std::uint64_t>(*i) : u ? *u : 0;
}

std::uint64_t last_of(const CellBox& box, std::size_t axis) { return box.first[axis] + (box.count[axis] - 1); }

CellBox hull(const CellBox& a, const CellBox& b) {
  CellBox out = a;
  for (std::size_t d = 0; d < a.first.size(); ++d) {
    out.first[d] = std::min(a.first[d], b.first[d]);
    out.count[d] = std::max(last_of(a, d), last_of(b, d)) - out.first[d] + 1;
  }
  return out;
}

bool share_a_chunk(const CellBox& a, const CellBox& b, const Extents& chunks) {
  for (std::size_t d = 0; d < a.first.size(); ++d) {
    const std::uint64_t chunk = std::max<std::uint64_t>(1, chunks[d]);
    if (last_of(a, d) / chunk < b.first[d] / chunk || last_of(b, d) / chunk < a.first[d] / chunk) return false;
  }
  return true;
}

// Merges boxes that are adjacent along one axis and equal along the others: chunks of a grid, appended rows.
void join_rows(std::vector<CellBox>& boxes, std::size_t axis) {
  const auto others = [&](const CellBox& box) {
    Extents key;
    for (std::size_t d = 0; d < box.first.size(); ++d)
      if (d != axis) key.insert(key.end(), {box.first[d], box.count[d]});
    key.push_back(box.first[axis]);
    return key;
  };
  std::sort(boxes.begin(), boxes.end(), [&](const CellBox& a, const CellBox& b) { return others(a) < others(b); });
  std::vector<CellBox> joined;
  for (CellBox& box : boxes) {
    bool goes_on = !joined.empty() && box.first[axis] - joined.back().first[axis] <= joined.back().count[axis];
    for (std::size_t d = 0; d < box.first.size() && goes_on; ++d)
      goes_on = d == axis || (box.first[d] == joined.back().first[d] && box.count[d] == joined.back().count[d]);
    if (goes_on)
      joined.back() = hull(joined.back(), box);
    else
      joined.push_back(std::move(box));
  }
  boxes = std::move(joined);
}

double cells_of(const std::vector<CellBox>& boxes) {
  double cells = 0;
  for (const CellBox& box : boxes) cells += tegula::cells_of(box);
  return cells;
}

}  // namespace

CellBox whole_domain(const Schema& schema) {
  CellBox box;
  box.count = schema.shape();
  box.first.assign(box.count.size(), 0);
  return box;
}

void ask_for(Query& query, const Schema& schema, const CellBox& box) {
  bool near = true;
  for (std::size_t d = 0; d < box.first.size(); ++d)
    near = near && box.first[d] + box.count[d] <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (near) {
    query.select = selection_of(box);
    return;
  }
  for (std::size_t d = 0; d < box.first.size(); ++d) {
    const Dimension& dimension = schema.dimensions[d];
    const std::uint64_t low = bits_of(dimension.domain.low) + box.first[d], high = low + (box.count[d] - 1);
    const bool is_signed = std::holds_alternative<std::int64_t>(dimension.domain.low);
    const auto value = [&](std::uint64_t bits) {
      return is_signed ? Value(static_cast<std::int64_t>(bits)) : Value(bits);
    };
    query.ranges.push_back({dimension.name, {{value(low), value(high)}}});
  }
}

std::optional<std::vector<CellBox>> written_boxes(const Array& array, const Work& work) {
  const auto ask = driver_of(array).copy.written_boxes;
  return ask ? ask(array, work) : std::nullopt;
}

std::vector<CellBox> join_boxes(std::vector<CellBox> boxes, const Extents& chunks) {
  if (boxes.empty()) return boxes;
  for (std::size_t axis = chunks.size(); axis-- > 0;) join_rows(boxes, axis);
  std::vector<CellBox> apart;
  for (CellBox box : boxes) {
    // A box that has grown may share chunks with boxes that were checked before.
    for (std::size_t i = 0; i < apart.size();) {
      if (!share_a_chunk(box, apart[i], chunks)) {
        ++i;
        continue;
      }
      box = hull(box, apart[i]);
      apart.erase(apart.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
    apart.push_back(std::move(box));
  }
  CellBox all = apart.front();
  for (const CellBox& box : apart) all = hull(all, box);
  if (tegula::cells_of(all) <= std::max(kSmall, kMuchLarger * cells_of(apart))) return {all};
  std::sort(apart.begin(), apart.end(), [](const CellBox& a, const CellBox& b) { return a.first < b.first; });
  return apart;
}

Column fill_of(const Attribute& attribute) {
  Column column = empty_column(field_info(attribute, {}));
  append_fill(column, attribute.fill, attribute.fill_valid, 1);
  return column;
}

std::vector<CellBox> boxes_to_copy(const Array& from, const std::vector<std::string>& fields, const Schema& to,
                                   const Work& work) {
  const Schema& schema = from.schema();
  const CellBox whole = whole_domain(schema);
  std::vector<CellBox> boxes{whole};
  const Capabilities &can = capabilities(to.format), &could = capabilities(schema.format);
  // A missing chunk may be a lost one, so the copy has every chunk unless the domain is too large for that or fragments
  // record what was written.
  std::optional<std::vector<CellBox>> written;
  if (tegula::cells_of(whole) > kLargeDomain ? can.unwritten : can.fragments && could.fragments)
    written = written_boxes(from, work);
  for (std::size_t i = 0; i < fields.size() && written; ++i) {
    const Attribute& attribute = *schema.attribute(fields[i]);
    Column fill = fill_of(attribute);
    shape_column(fill, to.attributes.at(i));
    if (!equal_cells(fill, 0, fill_of(to.attributes[i]), 0)) written.reset();
  }
  if (written) {
    const Extents chunks = to.chunks();
    boxes = join_boxes(*std::move(written), chunks);
    for (CellBox& box : boxes)
      for (std::size_t d = 0; d < chunks.size() && !can.fragments; ++d) {
        const std::uint64_t chunk = std::max<std::uint64_t>(1, chunks[d]), first = box.first[d] / chunk * chunk;
        const std::uint64_t last = std::min(whole.count[d] - 1, last_of(box, d) / chunk * chunk + (chunk - 1));
        box.first[d] = first;
        box.count[d] = last - first + 1;
      }
  }
  const double cells = cells_of(boxes);
  if (cells > kMost)
    fail(ErrorKind::unsupported, "a copy of {:.1e} cells, {}, would take weeks{}", cells,
         written ? "those that were written and those between them" : "written or not",
         written ? "" : fmt::format("; {} hold only what was written", formats_with(&Capabilities::unwritten)));
  return boxes;
}

}  // namespace tegula
