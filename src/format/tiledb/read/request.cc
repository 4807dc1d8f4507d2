#include "format/tiledb/read/request.h"

#include <algorithm>
#include <ranges>

#include "base/fail.h"
#include "base/name_list.h"
#include "format/tiledb/read/labels.h"
#include "query/language/dates.h"

namespace tegula::tiledb {

namespace {

std::string text_of_value(const Value& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return "";
        else if constexpr (std::is_same_v<T, std::string>)
          return fmt::format("'{}'", v);
        else
          return fmt::format("{}", v);
      },
      value);
}

std::string text_of_range(const Range& range) {
  return fmt::format("[{}, {}]", text_of_value(range.low), text_of_value(range.high));
}

// Converts a bound to the type of the dimension.
Value bound(const SchemaDimension& dimension, const Value& given, bool low) {
  if (std::holds_alternative<std::monostate>(given)) {
    if (dimension.var()) return low ? Value(std::string()) : given;
    const std::size_t size = dimension.type.size;
    return value_from_bytes(dimension.type, ByteView(dimension.domain).subspan(low ? 0 : size, size));
  }
  if (const auto* text = std::get_if<std::string>(&given); text && !dimension.var()) {
    const auto ticks = dimension.type.id == TypeId::datetime ? parse_datetime(*text, dimension.type)
                       : dimension.type.is_date()            ? parse_timedelta(*text, dimension.type)
                                                             : std::nullopt;
    if (!ticks)
      fail(ErrorKind::invalid_argument, "dimension '{}' is {}; '{}' is not a value of it", dimension.name,
           display_name(dimension.type), *text);
    return static_cast<std::int64_t>(ticks->floor) + (low && !ticks->exact ? 1 : 0);
  } else if (!text && dimension.var()) {
    fail(ErrorKind::invalid_argument, "dimension '{}' holds text; {} is a number", dimension.name,
         text_of_value(given));
  }
  if (dimension.var()) return given;
  Bytes bytes;
  value_to_bytes(dimension.type, given, bytes);
  return value_from_bytes(dimension.type, bytes);
}

int compare(const SchemaDimension& dimension, const Value& a, const Value& b) {
  Bytes x, y;
  value_to_bytes(dimension.type, a, x);
  value_to_bytes(dimension.type, b, y);
  return compare_values(dimension.type, dimension.var(), x, y);
}

Range checked(const Snapshot& snapshot, std::size_t d, const Range& given) {
  const SchemaDimension& dimension = snapshot.schema().dimensions[d];
  const Range range{bound(dimension, given.low, true), bound(dimension, given.high, false)};
  if (std::holds_alternative<std::monostate>(range.high)) return range;  // text from `low` on
  if (compare(dimension, range.low, range.high) > 0)
    fail(ErrorKind::invalid_argument, "the range {} on dimension '{}' ends before it starts", text_of_range(range),
         dimension.name);
  const auto inside = [&](const Range& box) {
    return compare(dimension, box.low, range.low) <= 0 && compare(dimension, range.high, box.high) <= 0;
  };
  if (!dimension.var()) {
    const std::size_t size = dimension.type.size;
    const Range domain{value_from_bytes(dimension.type, ByteView(dimension.domain).first(size)),
                       value_from_bytes(dimension.type, ByteView(dimension.domain).subspan(size, size))};
    if (!inside(domain))
      fail(ErrorKind::invalid_argument, "the range {} on dimension '{}' lies outside of its domain {}",
           text_of_range(range), dimension.name, text_of_range(domain));
  }
  if (const auto& current = snapshot.schema().current_domain; current && !inside((*current)[d]))
    fail(ErrorKind::invalid_argument, "the range {} on dimension '{}' lies outside of the current domain {}",
         text_of_range(range), dimension.name, text_of_range((*current)[d]));
  return range;
}

std::size_t dimension_named(const Snapshot& snapshot, std::string_view name) {
  const auto d = snapshot.schema().dimension_index(name);
  if (!d) fail(ErrorKind::invalid_argument, "there is no dimension '{}'", name);
  return *d;
}

}  // namespace

std::vector<std::vector<Range>> ranges_of(const Snapshot& snapshot, const Query& query) {
  std::vector<std::vector<Range>> ranges(snapshot.schema().dimensions.size());
  for (const DimensionRanges& given : query.ranges) {
    const std::size_t d = dimension_named(snapshot, given.name);
    for (const Range& range : given.ranges) ranges[d].push_back(checked(snapshot, d, range));
  }
  for (const DimensionRanges& given : query.label_ranges) {
    const SchemaLabel& label = label_named(snapshot, given.name);
    if (!ranges[label.dimension].empty())
      fail(ErrorKind::invalid_argument, "label '{}' and dimension '{}' cannot both have ranges", label.name,
           snapshot.schema().dimensions[label.dimension].name);
    ranges[label.dimension] = label_to_dimension(snapshot, label, given.ranges, query.work);
  }
  return ranges;
}

RangeSet sparse_ranges(const Snapshot& snapshot, std::span<const std::vector<Range>> ranges) {
  RangeSet set;
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    RangeList& list = set.emplace_back(snapshot.schema().dimensions[d].range_type());
    for (const Range& range : ranges[d]) list.add(range);
    list.finish();
  }
  return set;
}

std::vector<std::optional<RangeCounts>> overlapping_ranges(const Snapshot& snapshot,
                                                           std::span<const std::vector<Range>> ranges) {
  std::vector<std::optional<RangeCounts>> repeats(ranges.size());
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    RangeCounts counts(snapshot.schema().dimensions[d].range_type(), ranges[d]);
    if (counts.overlap()) repeats[d] = std::move(counts);
  }
  return repeats;
}

DenseRequest dense_request(const Snapshot& snapshot, const Query& query) {
  DenseRequest request;
  const DenseGrid& grid = snapshot.grid();
  const std::size_t n = grid.dimensions();
  request.dropped.assign(n, false);
  if (query.select) {
    if (!query.ranges.empty() || !query.label_ranges.empty())
      fail(ErrorKind::invalid_argument, "a query has either a selection or ranges");
    const Picks picks = resolve(*query.select, snapshot.model().shape());
    if (picks.points) {
      DensePoints& points = request.selection.points.emplace(n);
      for (std::size_t d = 0; d < n; ++d)
        for (std::uint64_t i = 0; i < picks.axes[d].count; ++i) points[d].push_back(picks.axes[d].at(i));
      std::fill(request.dropped.begin() + 1, request.dropped.end(), true);
      return request;
    }
    for (std::size_t d = 0; d < n; ++d) {
      request.selection.axes.push_back(runs_of(picks.axes[d]));
      request.dropped[d] = picks.axes[d].dropped;
    }
    return request;
  }
  const std::vector<std::vector<Range>> ranges = ranges_of(snapshot, query);
  for (std::size_t d = 0; d < n; ++d) {
    AxisRuns& axis = request.selection.axes.emplace_back();
    for (const Range& range : ranges[d]) add_run(axis, *grid.index(d, range.low), *grid.index(d, range.high));
    if (!ranges[d].empty()) continue;
    if (const auto& current = snapshot.schema().current_domain) {
      const auto low = grid.index(d, (*current)[d].low), high = grid.index(d, (*current)[d].high);
      if (!low || !high || *low > *high) fail(ErrorKind::corrupt, "the current domain lies outside of the domain");
      add_run(axis, *low, *high);
    } else {
      add_run(axis, 0, grid.last[d]);
    }
  }
  return request;
}

std::vector<FieldInfo> result_fields(const Snapshot& snapshot, const Query& query, std::vector<std::string>& labels) {
  std::vector<FieldInfo> fields;
  if (!query.fields) {
    // Dimensions come first, as people list them.
    for (const bool dimensions : {true, false})
      for (const FieldInfo& field : snapshot.fields())
        if (field.dimension == dimensions && (!dimensions || snapshot.schema().sparse)) fields.push_back(field);
    return fields;
  }
  for (const std::string& name : *query.fields) {
    if (const FieldInfo* field = snapshot.field(name)) {
      fields.push_back(*field);
      continue;
    }
    const auto& known = snapshot.schema().labels;
    if (std::none_of(known.begin(), known.end(), [&](const SchemaLabel& label) { return label.name == name; }))
      fail(ErrorKind::invalid_argument, "there is no field '{}'; the array has {}", name,
           name_list(std::views::transform(snapshot.fields(), &FieldInfo::name)));
    labels.push_back(name);
  }
  return fields;
}

Condition bind_condition(const Snapshot& snapshot, const Query& query) {
  return Condition::bind(query.where, snapshot.fields(), Rules::tiledb);
}

}  // namespace tegula::tiledb
