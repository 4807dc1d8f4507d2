#include "format/tiledb/write/schema_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/fail.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/disk/with_type.h"
#include "format/tiledb/fragment/fragment.h"

namespace tegula::tiledb {

namespace {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  fail(ErrorKind::invalid_argument, format, std::forward<Args>(args)...);
}

void need(const ArraySchema& schema, std::uint32_t since, std::string_view what) {
  if (schema.version < since)
    fail(ErrorKind::unsupported, "{} exists from format version {} on, not in version {}", what, since, schema.version);
}

// The first format version with a type or filter.
std::uint32_t since(const Datatype& type) {
  switch (type.id) {
    case TypeId::datetime:
      return 4;
    case TypeId::timedelta:
      return 9;
    case TypeId::blob:
      return 11;
    case TypeId::boolean:
      return 14;
    case TypeId::wkb:
    case TypeId::wkt:
      return 21;
    default:
      return 3;
  }
}

std::uint32_t since(FilterType type) {
  switch (type) {
    case FilterType::md5:
    case FilterType::sha256:
      return 5;
    case FilterType::dictionary:
      return 13;
    case FilterType::scale_float:
      return 15;
    case FilterType::xor_elements:
    case FilterType::webp:
      return 16;
    case FilterType::delta:
      return 19;
    default:
      return 3;
  }
}

struct Feature {
  std::uint32_t since;
  std::string_view what;
  bool (*used)(const ArraySchema& schema);
};

bool any_attribute(const ArraySchema& schema, bool (*test)(const SchemaAttribute&)) {
  return std::any_of(schema.attributes.begin(), schema.attributes.end(), test);
}

constexpr Feature kFeatures[] = {
    {5, "a text dimension", [](const ArraySchema& s) { return s.has_var_dimension(); }},
    {5, "dimensions of different types",
     [](const ArraySchema& s) {
       return std::any_of(s.dimensions.begin(), s.dimensions.end(),
                          [&](const SchemaDimension& d) { return d.type_code != s.dimensions[0].type_code; });
     }},
    {5, "a filter list for one dimension",
     [](const ArraySchema& s) {
       return std::any_of(s.dimensions.begin(), s.dimensions.end(), [&](const SchemaDimension& d) {
         return !d.filters.steps.empty() && d.filters.steps != s.coords.steps;
       });
     }},
    {5, "an array with duplicates", [](const ArraySchema& s) { return s.allows_duplicates; }},
    {6, "a user-defined fill value",
     [](const ArraySchema& s) {
       return any_attribute(s,
                            [](const SchemaAttribute& a) { return a.fill != default_fill(a.type, a.values_per_cell); });
     }},
    {7, "a nullable attribute",
     [](const ArraySchema& s) { return any_attribute(s, [](const SchemaAttribute& a) { return a.nullable; }); }},
    // It came with version 7, and its formula changed with version 9.
    {9, "Hilbert order with the current formula", [](const ArraySchema& s) { return s.cell_order == Order::hilbert; }},
    {18, "a dimension label", [](const ArraySchema& s) { return !s.labels.empty(); }},
    {20, "an enumeration", [](const ArraySchema& s) { return !s.enumerations.empty(); }},
    {22, "a current domain", [](const ArraySchema& s) { return s.current_domain.has_value(); }},
};

void check_names(const ArraySchema& schema) {
  std::set<std::string_view> seen;
  constexpr std::string_view kOwn[] = {kCoordsField, kTimestampsField, kDeleteTimesField, kDeleteConditionField};
  const auto add = [&](std::string_view what, std::string_view name) {
    // Dimensions may start with '__': TileDB-Py's data frames have `__tiledb_rows`.
    const bool own = what == "dimension" ? std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn)
                                         : name.starts_with("__");
    if (own && schema_has_typed_dimensions(schema.version))
      refuse("{} '{}': {} reserved by TileDB", what, name,
             what == "dimension" ? "the name is" : "names that start with '__' are");
    if (!seen.insert(name).second) refuse("there are two fields of the name '{}'", name);
    // Before version 8 names become file names.
    if (schema.version < 8 && (name.find('/') != name.npos || name == "." || name == ".."))
      fail(ErrorKind::unsupported, "{} '{}': such a name can be stored from format version 8 on", what, name);
  };
  for (const SchemaDimension& d : schema.dimensions) add("dimension", d.name);
  for (const SchemaAttribute& a : schema.attributes) add("attribute", a.name);
  for (const SchemaLabel& l : schema.labels) add("label", l.name);
}

template <class T>
void check_number_domain(const SchemaDimension& dimension) {
  const T low = load_le<T>(dimension.domain.data()), high = load_le<T>(dimension.domain.data() + sizeof(T));
  if (!(low <= high)) refuse("dimension '{}' has the domain [{}, {}]", dimension.name, low, high);
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(low) || !std::isfinite(high))
      refuse("dimension '{}' has the domain [{}, {}], expected finite numbers", dimension.name, low, high);
    if (dimension.extent.empty()) return;
    const T extent = load_le<T>(dimension.extent.data());
    if (!(extent > 0 && extent <= high - low + 1))
      refuse("dimension '{}' has a tile extent of {} for the domain [{}, {}]", dimension.name, extent, low, high);
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    const std::uint64_t last = static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low));
    if (last == std::numeric_limits<Unsigned>::max())
      refuse("dimension '{}': the domain [{}, {}] has more cells than its type can count; shorten it by one",
             dimension.name, low, high);
    if (dimension.extent.empty()) return;
    const T given = load_le<T>(dimension.extent.data());
    if (given < 1) refuse("dimension '{}' has a tile extent of {}", dimension.name, given);
    const std::uint64_t extent = static_cast<Unsigned>(given);
    if (extent - 1 > last)
      refuse("dimension '{}': the tile extent {} is larger than the domain [{}, {}]", dimension.name, given, low, high);
    // libtiledb computes with 64 bits, so tiles of shorter types may extend past the largest value.
    const std::uint64_t room =
        static_cast<Unsigned>(static_cast<Unsigned>(std::numeric_limits<T>::max()) - static_cast<Unsigned>(low));
    if (sizeof(T) == 8 && last / extent * extent > room - (extent - 1))
      refuse("dimension '{}': the last tile of extent {} reaches past the largest {}; end the domain below {}",
             dimension.name, given, display_name(dimension.type), high);
  }
}

void check_dimension(const ArraySchema& schema, const SchemaDimension& dimension) {
  const Datatype& type = dimension.type;
  need(schema, since(type), fmt::format("dimension '{}' of type {}", dimension.name, display_name(type)));
  if (type.id == TypeId::ascii) {
    if (!schema.sparse) refuse("dimension '{}' is of text, which only sparse arrays have", dimension.name);
    if (!dimension.var()) refuse("dimension '{}': text has any number of values per cell", dimension.name);
    return;
  }
  if (!is_number(type) || type.id == TypeId::boolean)
    refuse("dimension '{}' cannot be of type {}; numbers, dates and ASCII text can", dimension.name,
           display_name(type));
  if (dimension.values_per_cell != 1) refuse("dimension '{}' must have one value per cell", dimension.name);
  if (!schema.sparse && type.is_float()) refuse("dimension '{}' of a dense array cannot be a float", dimension.name);
  with_number(type, [&]<class T>(T) { check_number_domain<T>(dimension); });
}

bool is_carried_text(const Datatype& type) { return type.id == TypeId::ascii || type.id == TypeId::utf8; }

// Filters after which old and new releases disagree about the type of the data.
bool changes_type(const FilterStep& step) {
  return step.type == FilterType::scale_float || step.type == FilterType::xor_elements ||
         ((step.type == FilterType::delta || step.type == FilterType::double_delta) && step.reinterpret != kTypeAny);
}
bool depends_on_type(FilterType type) {
  return type == FilterType::byteshuffle || type == FilterType::bitshuffle || type == FilterType::bit_width ||
         type == FilterType::positive_delta || type == FilterType::delta || type == FilterType::double_delta ||
         type == FilterType::xor_elements || type == FilterType::scale_float;
}

void check_pipeline(const ArraySchema& schema, const Pipeline& pipeline, std::string_view name, const Datatype& type,
                    bool var) {
  bool changed = false;
  for (std::size_t i = 0; i < pipeline.steps.size(); ++i) {
    const FilterStep& step = pipeline.steps[i];
    need(schema, since(step.type), fmt::format("filter {} of '{}'", filter_name(step.type), name));
    if (changed && depends_on_type(step.type) && !chains_filter_types(schema.version))
      fail(ErrorKind::unsupported,
           "'{}': releases before 2.17 and later ones read filter {} behind one that changes the type differently; "
           "write format version 20 or later",
           name, filter_name(step.type));
    changed |= changes_type(step);
    const bool carries = step.type == FilterType::rle || step.type == FilterType::dictionary;
    if (carries && var && is_carried_text(type) && i > 0)
      refuse("'{}': filter {} must come first for text of any length", name, filter_name(step.type));
    if (step.type == FilterType::dictionary) {
      if (!var || !is_carried_text(type))
        refuse("'{}': filter dictionary works on ASCII and UTF-8 text of any length only", name);
      if (type.id == TypeId::utf8) need(schema, 17, fmt::format("filter dictionary on the UTF-8 text of '{}'", name));
    }
    if (step.type == FilterType::double_delta && step.reinterpret != kTypeAny)
      need(schema, 20, fmt::format("a reinterpreting double delta of '{}'", name));
    if (step.type == FilterType::aes_gcm) refuse("'{}': encryption comes with a key, not as a filter", name);
    if (step.type == FilterType::webp && (schema.sparse || type.id != TypeId::uint8 || var))
      refuse("'{}': filter webp works on uint8 attributes of dense arrays only", name);
  }
}

void check_filters(const ArraySchema& schema) {
  const std::uint32_t version = schema.version;
  for (const StoredField& field : stored_fields(schema, {version, !schema.sparse}, "")) {
    const Pipeline& own = field.kind == FieldKind::attribute ? schema.attributes[field.index].filters
                          : field.in_coords                  ? schema.coords
                                                             : schema.dimension_filters(field.index);
    check_pipeline(schema, own, field.name, field.type, field.var());
    // Making the plan fails for filters that cannot act on the type.
    const FilterVersions versions{version, version};
    field_plan(schema, field, field.var() ? Fragment::Data::var : Fragment::Data::fixed, versions, nullptr);
  }
  check_pipeline(schema, schema.offsets, "offsets", TypeId::uint64, false);
  check_pipeline(schema, schema.validity, "validity", TypeId::uint8, false);
}

void check_attribute(const ArraySchema& schema, const SchemaAttribute& attribute,
                     const std::vector<Enumeration>& enumerations) {
  need(schema, since(attribute.type),
       fmt::format("attribute '{}' of type {}", attribute.name, display_name(attribute.type)));
  if (attribute.values_per_cell == 0) refuse("attribute '{}' has cells of 0 values", attribute.name);
  if (attribute.type.id == TypeId::any && !attribute.var())
    refuse("attribute '{}' of type any must have any number of values per cell", attribute.name);
  if (attribute.fill.empty() || attribute.fill.size() % attribute.type.size != 0)
    refuse("attribute '{}' has a fill value of {} bytes, expected values of {}", attribute.name, attribute.fill.size(),
           attribute.type.size);
  if (attribute.enumeration.empty()) return;
  const auto found = std::find_if(enumerations.begin(), enumerations.end(),
                                  [&](const Enumeration& e) { return e.name == attribute.enumeration; });
  if (found == enumerations.end())
    refuse("attribute '{}' names the enumeration '{}', which the schema lacks", attribute.name, attribute.enumeration);
  if (!attribute.type.is_integer() || attribute.values_per_cell != 1)
    refuse("attribute '{}' holds codes of an enumeration and must be one integer", attribute.name);
  const unsigned bits = 8 * attribute.type.size - attribute.type.is_signed();
  if (bits < 63 && found->count() > (std::uint64_t{1} << bits))
    refuse("attribute '{}' of type {} has no codes for the {} values of '{}'", attribute.name,
           display_name(attribute.type), found->count(), found->name);
}

void check_enumerations(const std::vector<Enumeration>& enumerations) {
  std::set<std::string_view> names;
  for (const Enumeration& e : enumerations) {
    if (e.name.empty() || !names.insert(e.name).second) refuse("there are two enumerations of the name '{}'", e.name);
    std::set<std::string_view> values;
    for (std::size_t i = 0; i < e.count(); ++i)
      if (!values.insert(text_of(e.value(i))).second) refuse("enumeration '{}' holds value {} twice", e.name, i);
  }
}

void check_current_domain(const ArraySchema& schema) {
  const NdRange& current = *schema.current_domain;
  if (current.size() != schema.dimensions.size())
    refuse("a current domain of {} dimensions, expected {}", current.size(), schema.dimensions.size());
  for (std::size_t d = 0; d < current.size(); ++d) {
    const SchemaDimension& dimension = schema.dimensions[d];
    if (dimension.var()) {
      const auto *low = std::get_if<std::string>(&current[d].low), *high = std::get_if<std::string>(&current[d].high);
      if (!low || !high || *low > *high) refuse("the current domain of '{}' is not a range of text", dimension.name);
      continue;
    }
    Bytes bounds;
    value_to_bytes(dimension.type, current[d].low, bounds);
    value_to_bytes(dimension.type, current[d].high, bounds);
    with_number(dimension.type, [&]<class T>(T) {
      const T low = load_le<T>(bounds.data()), high = load_le<T>(bounds.data() + sizeof(T));
      const T first = load_le<T>(dimension.domain.data()), last = load_le<T>(dimension.domain.data() + sizeof(T));
      if (!(first <= low && low <= high && high <= last))
        refuse("the current domain [{}, {}] of '{}' is not inside of its domain [{}, {}]", low, high, dimension.name,
               first, last);
    });
  }
}

}  // namespace

void check_new_schema(const ArraySchema& schema, const std::vector<Enumeration>& enumerations) {
  if (schema.dimensions.empty()) refuse("an array needs at least one dimension");
  if (schema.attributes.empty() && !schema.sparse) refuse("a dense array needs at least one attribute");
  if (schema.capacity == 0) refuse("a capacity of 0 cells per tile");
  if (schema.tile_order != Order::row && schema.tile_order != Order::col) refuse("the tile order must be row or col");
  if (schema.cell_order == Order::global || schema.cell_order == Order::unordered)
    refuse("the cell order must be row, col or hilbert");
  if (!schema.sparse && schema.cell_order == Order::hilbert) refuse("a dense array cannot be in Hilbert order");
  if (!schema.sparse && schema.allows_duplicates) refuse("a dense array has one cell at each place: no duplicates");
  if (schema.cell_order == Order::hilbert && schema.dimensions.size() > 15)
    refuse("Hilbert order takes up to 15 dimensions, not {}", schema.dimensions.size());
  check_names(schema);
  for (const SchemaDimension& dimension : schema.dimensions) {
    if (!schema.sparse && dimension.type_code != schema.dimensions[0].type_code)
      refuse("the dimensions of a dense array must be of one type");
    check_dimension(schema, dimension);
  }
  for (const SchemaLabel& label : schema.labels) {
    if (label.dimension >= schema.dimensions.size())
      refuse("label '{}' of dimension {}, there are {}", label.name, label.dimension, schema.dimensions.size());
    const bool text = label.type.id == TypeId::ascii;
    if (text != (label.values_per_cell == kVar) || (!text && (!is_number(label.type) || label.values_per_cell != 1)))
      refuse("label '{}' must be ASCII text of any length, or one number or date", label.name);
  }
  check_enumerations(enumerations);
  for (const SchemaAttribute& attribute : schema.attributes) check_attribute(schema, attribute, enumerations);
  for (const Feature& feature : kFeatures)
    if (feature.used(schema)) need(schema, feature.since, feature.what);
  if (schema.current_domain) check_current_domain(schema);
  check_filters(schema);
}

}  // namespace tegula::tiledb
