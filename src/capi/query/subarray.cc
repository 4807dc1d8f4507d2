#include "capi/query/subarray.h"

#include <algorithm>
#include <cmath>

namespace tegula::capi {

namespace {

std::string shown(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *i);
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *u);
  if (const auto* d = std::get_if<double>(&value)) return fmt::format("{}", *d);
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  return "";
}

bool is_nan(const Value& value) {
  const auto* number = std::get_if<double>(&value);
  return number && std::isnan(*number);
}

// Does `next` begin right behind `last`? Integers and dates only.
bool follows(const tiledb::SchemaDimension& dimension, const Bytes& last, ByteView next) {
  if (dimension.var() || dimension.type.is_float()) return false;
  const Value end = value_of(dimension.type, false, last), begin = value_of(dimension.type, false, next);
  if (const auto* i = std::get_if<std::int64_t>(&end))
    return *i != INT64_MAX && *i + 1 == std::get<std::int64_t>(begin);
  const auto* u = std::get_if<std::uint64_t>(&end);
  return u && *u != UINT64_MAX && *u + 1 == std::get<std::uint64_t>(begin);
}

}  // namespace

Value value_of(const Datatype& type, bool var, ByteView bytes) {
  return var ? Value(std::string(text_of(bytes))) : tiledb::value_from_bytes(type, bytes);
}

Subarray::Subarray(std::shared_ptr<OpenArray> array)
    : array_(std::move(array)), dimensions_(array_->stored_schema().dimensions) {
  added_.resize(dimensions_.size());
  const auto& current = array_->stored_schema().current_domain;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const tiledb::SchemaDimension& dimension = dimensions_[d];
    RawRange all;
    if (!dimension.var() && current) {
      tiledb::value_to_bytes(dimension.type, (*current)[d].low, all.low);
      tiledb::value_to_bytes(dimension.type, (*current)[d].high, all.high);
    } else if (!dimension.var()) {
      const ByteView domain = dimension.domain;
      all = {copy_of(domain.first(dimension.type.size)), copy_of(domain.subspan(dimension.type.size))};
    }
    whole_.push_back({all});
  }
}

std::size_t Subarray::index_of(std::string_view name) const {
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    if (dimensions_[d].name == name) return d;
  refuse("Subarray: there is no dimension '{}'", name);
}

std::size_t Subarray::checked_dimension(std::uint64_t index) const {
  if (index >= dimensions_.size())
    refuse("Subarray: Cannot add range; Invalid dimension index {}, the array has {}", index, dimensions_.size());
  return static_cast<std::size_t>(index);
}

void Subarray::add(std::size_t d, ByteView low, ByteView high) {
  const tiledb::SchemaDimension& dimension = dimensions_[d];
  for (const LabelRanges& label : labels_)
    for (const tiledb::SchemaLabel& known : array_->stored_schema().labels)
      if (known.name == label.label && known.dimension == d)
        refuse(
            "Subarray: Cannot add range to dimension; A range is already set on a dimension label for this dimension");
  const Value first = value_of(dimension.type, dimension.var(), low),
              last = value_of(dimension.type, dimension.var(), high);
  if (is_nan(first) || is_nan(last)) refuse("TileDB internal: Cannot add range; Range contains NaN");
  // Texts in the wrong order make an empty range.
  if (!dimension.var() && tiledb::compare_values(dimension.type, false, low, high) > 0)
    refuse("TileDB internal: Lower range bound {} cannot be larger than the higher bound {}", shown(first),
           shown(last));
  if (!dimension.var()) {
    const ByteView both = dimension.domain;
    const RawRange domain{copy_of(both.first(dimension.type.size)), copy_of(both.subspan(dimension.type.size))};
    if (tiledb::compare_values(dimension.type, false, low, domain.low) < 0 ||
        tiledb::compare_values(dimension.type, false, high, domain.high) > 0)
      refuse("Subarray: Cannot add range to dimension '{}'; Range [{}, {}] is out of domain bounds [{}, {}]",
             dimension.name, shown(first), shown(last), shown(value_of(dimension.type, false, domain.low)),
             shown(value_of(dimension.type, false, domain.high)));
  }
  std::vector<RawRange>& ranges = added_[d];
  if (coalesce_ && !ranges.empty() && follows(dimension, ranges.back().high, low))
    ranges.back().high = copy_of(high);
  else
    ranges.push_back({copy_of(low), copy_of(high)});
}

void Subarray::add_label(std::string_view name, ByteView low, ByteView high) {
  const auto& known = array_->stored_schema().labels;
  const auto label = std::find_if(known.begin(), known.end(), [&](const auto& l) { return l.name == name; });
  if (label == known.end()) refuse("Subarray: there is no dimension label '{}'", name);
  if (has_ranges(label->dimension))
    refuse("Subarray: Cannot add label range; Dimension '{}' has ranges already", dimensions_[label->dimension].name);
  for (const LabelRanges& other : labels_)
    for (const tiledb::SchemaLabel& l : known)
      if (l.name == other.label && l.dimension == label->dimension && other.label != name)
        refuse("Subarray: Cannot add label range; Dimension '{}' has ranges of the label '{}' already",
               dimensions_[label->dimension].name, other.label);
  auto at = std::find_if(labels_.begin(), labels_.end(), [&](const LabelRanges& l) { return l.label == name; });
  if (at == labels_.end()) at = labels_.insert(labels_.end(), {std::string(name), {}});
  at->ranges.push_back({copy_of(low), copy_of(high)});
}

bool Subarray::has_any() const {
  return !labels_.empty() || std::any_of(added_.begin(), added_.end(), [](const auto& r) { return !r.empty(); });
}

const std::vector<RawRange>& Subarray::ranges(std::size_t dimension) const {
  return added_[dimension].empty() ? whole_[dimension] : added_[dimension];
}

const RawRange& Subarray::range(std::size_t dimension, std::uint64_t index) const {
  const std::vector<RawRange>& all = ranges(dimension);
  if (index >= all.size())
    refuse("Subarray: there is no range {}, dimension '{}' has {}", index, dimensions_[dimension].name, all.size());
  return all[static_cast<std::size_t>(index)];
}

std::vector<DimensionRanges> Subarray::engine_ranges() const {
  std::vector<DimensionRanges> all;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (added_[d].empty()) continue;
    DimensionRanges& ranges = all.emplace_back();
    ranges.name = dimensions_[d].name;
    for (const RawRange& range : added_[d])
      ranges.ranges.push_back({value_of(dimensions_[d].type, dimensions_[d].var(), range.low),
                               value_of(dimensions_[d].type, dimensions_[d].var(), range.high)});
  }
  return all;
}

std::vector<DimensionRanges> Subarray::engine_labels() const {
  std::vector<DimensionRanges> all;
  for (const LabelRanges& given_ranges : labels_) {
    DimensionRanges& ranges = all.emplace_back();
    ranges.name = given_ranges.label;
    for (const tiledb::SchemaLabel& label : array_->stored_schema().labels) {
      if (label.name != given_ranges.label) continue;
      for (const RawRange& range : given_ranges.ranges)
        ranges.ranges.push_back({value_of(label.type, label.values_per_cell == kVar, range.low),
                                 value_of(label.type, label.values_per_cell == kVar, range.high)});
    }
  }
  return all;
}

}  // namespace tegula::capi
