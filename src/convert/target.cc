#include "convert/target.h"

#include <algorithm>

#include "base/fail.h"
#include "convert/filters.h"
#include "convert/written_boxes.h"
#include "format/registry/registry.h"

namespace tegula {

namespace {

// TileDB's text of a fixed length is numpy's S, or U when its units are code points; its other types have a numpy type
// of the same size.
void to_numpy_type(Attribute& attribute) {
  if (attribute.values_per_cell == 1 && !attribute.type.is_text()) return;
  if (attribute.values_per_cell == kVar) {
    if (attribute.type.is_text() || attribute.type.id == TypeId::blob) return;
    fail(ErrorKind::unsupported, "attribute '{}' has lists of any length, which only {} holds", attribute.name,
         formats_with(&Capabilities::lists));
  }
  if (!attribute.type.is_text())
    fail(ErrorKind::unsupported, "attribute '{}' has {} values in a cell, which only {} holds", attribute.name,
         attribute.values_per_cell, formats_with(&Capabilities::lists));
  const bool points = attribute.type.id == TypeId::utf32 || attribute.type.id == TypeId::ucs4;
  attribute.type =
      Datatype(points ? TypeId::unicode : TypeId::bytes, static_cast<std::uint32_t>(attribute.cell_size()));
  attribute.values_per_cell = 1;
}

bool starts_at_zero(const Dimension& d) {
  const auto* i = std::get_if<std::int64_t>(&d.domain.low);
  const auto* u = std::get_if<std::uint64_t>(&d.domain.low);
  return (i && *i == 0) || (u && *u == 0) || std::holds_alternative<std::monostate>(d.domain.low);
}

// Axes of zarr and bcolz, whose indices start at 0.
void to_counted_axes(Target& target) {
  const std::vector<std::uint64_t> shape = target.schema.shape(), chunks = target.schema.chunks();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Dimension& d = target.schema.dimensions[i];
    if (!starts_at_zero(d))
      target.losses.push_back(fmt::format("the domain of '{}', which does not start at 0", d.name));
    if (d.type.is_date()) target.losses.push_back(fmt::format("the dates of '{}'", d.name));
    d.type = Datatype(TypeId::uint64);
    d.domain = shape[i] ? Range{std::uint64_t{0}, shape[i] - 1} : Range{};
    d.tile = std::max<std::uint64_t>(1, chunks[i]);
    d.filters.clear();
  }
}

// Coordinates of sparse cells become columns of a table.
void to_columns(Target& target) {
  Schema& schema = target.schema;
  std::vector<Attribute> columns;
  for (const Dimension& d : schema.dimensions) {
    Attribute column;
    column.name = d.name;
    column.type = d.type;
    column.values_per_cell = d.values_per_cell;
    column.fill.resize(column.cell_size());
    std::fill(column.fill.begin(), column.fill.end(), std::byte{0});
    columns.push_back(std::move(column));
  }
  schema.attributes.insert(schema.attributes.begin(), columns.begin(), columns.end());
  Dimension rows;
  rows.name = "row";
  rows.type = Datatype(TypeId::uint64);
  schema.dimensions = {rows};
  schema.sparse = false;
  schema.table = true;
  target.losses.push_back("the dimensions, which become columns");
}

void apply_chunks(Schema& schema, const std::vector<std::uint64_t>& chunks) {
  if (chunks.empty()) return;
  if (chunks.size() != schema.dimensions.size())
    fail(ErrorKind::invalid_argument, "{} tile extents for {} dimensions", chunks.size(), schema.dimensions.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i] == 0) fail(ErrorKind::invalid_argument, "a tile extent must be 1 or more");
    Dimension& d = schema.dimensions[i];
    d.tile = d.type.is_signed() || d.type.is_date() ? Value(static_cast<std::int64_t>(chunks[i])) : Value(chunks[i]);
  }
}

void keep_field(Target& target, const std::string& name) {
  std::vector<Attribute>& attributes = target.schema.attributes;
  if (!target.schema.attribute(name)) fail(ErrorKind::invalid_argument, "there is no field '{}'", name);
  std::erase_if(attributes, [&](const Attribute& a) { return a.name != name; });
}

// In some formats an empty filter list stands for the default filters. A copy of unfiltered fields must say "none".
void keep_unfiltered(Schema& schema) {
  const auto keep = [&](std::vector<Filter>& filters) {
    if (filters.empty()) filters = parse_filters("none", schema.format);
  };
  bool nullable = false;
  for (Attribute& a : schema.attributes) {
    keep(a.filters);
    nullable = nullable || a.nullable;
  }
  keep(schema.coords_filters);
  keep(schema.offsets_filters);
  if (nullable) keep(schema.validity_filters);
}

}  // namespace

void to_tiledb_type(Attribute& attribute) {
  Datatype& type = attribute.type;
  const bool text = type.id == TypeId::bytes || type.id == TypeId::unicode || type.id == TypeId::raw;
  if (text && attribute.values_per_cell != 1)
    fail(ErrorKind::unsupported, "attribute '{}': its cells are lists of {} texts, and TileDB's hold one",
         attribute.name, attribute.values_per_cell);
  if (type.id == TypeId::bytes && type.size > 0) {
    attribute.values_per_cell = type.size;
    type = Datatype(TypeId::ascii);
  } else if (type.id == TypeId::unicode && type.size > 0) {
    attribute.values_per_cell = type.size / 4;
    type = Datatype(TypeId::utf32);
  } else if (type.id == TypeId::raw && type.size > 0) {
    attribute.values_per_cell = type.size;
    type = Datatype(TypeId::blob);
  }
  type.big_endian = false;
  if (!tiledb_code(type))
    fail(ErrorKind::unsupported, "attribute '{}': TileDB has no type {}", attribute.name, display_name(attribute.type));
}

void to_type_of(std::string_view format, Attribute& attribute) {
  if (!capabilities(format).numpy_types) to_tiledb_type(attribute);
}

namespace {

// Converts axes, fields and types for a format without domains.
void to_counted(Target& target, const Schema& from, const Capabilities& can) {
  Schema& to = target.schema;
  if (from.sparse && can.tables)
    to_columns(target);
  else if (from.sparse)
    fail(ErrorKind::unsupported, "the source is sparse, and {} arrays are dense", to.format);
  if (to.attributes.size() > 1 && !can.tables)
    fail(ErrorKind::invalid_argument, "the source has {} fields and a {} array holds one; choose a field",
         to.attributes.size(), can.family);
  if (to.attributes.size() > 1 && !to.table) {
    if (to.dimensions.size() != 1)
      fail(ErrorKind::unsupported, "{1} cannot hold several fields along {0} dimensions; choose a field",
           to.dimensions.size(), can.title);
    to.table = true;
  }
  if (!can.tables) to.table = false;
  if (!to.table || !from.sparse) to_counted_axes(target);
  for (Attribute& a : to.attributes) {
    if (a.nullable && !can.nullable) {
      target.losses.push_back(fmt::format("the nulls of '{}', which become its fill value", a.name));
      a.nullable = false;
    }
    if (!a.enumeration.empty() && !can.enumerations) {
      target.losses.push_back(fmt::format("the enumeration of '{}': its codes stay", a.name));
      a.enumeration.clear();
    }
    if (can.numpy_types) to_numpy_type(a);
    target.sources.push_back(a.name);
    if (!to.table) a.name.clear();  // arrays of one field have no name for it
  }
  for (const Label& label : to.labels) target.losses.push_back(fmt::format("the label '{}'", label.name));
  to.labels.clear();
  if (!can.enumerations) to.enumerations.clear();
  to.current_domain.reset();
}

// Converts axes, fields and types for a format with domains.
void to_domains(Schema& to, const Capabilities& can) {
  for (Attribute& a : to.attributes) to_type_of(to.format, a);
  to.table = false;
  const auto empty = [](const Dimension& d) { return d.domain == Range{}; };
  if (!can.empty_axes && std::any_of(to.dimensions.begin(), to.dimensions.end(), empty))
    fail(ErrorKind::unsupported, "the source is empty along an axis, and a {} domain cannot be empty", can.title);
  // Chunks of the other formats may be longer than their axis, tiles may not.
  apply_chunks(to, to.chunks());
}

}  // namespace

Target plan_target(const Array& source, const TargetOptions& options) {
  const Schema& from = source.schema();
  Target target;
  target.schema = from;
  Schema& to = target.schema;
  const auto [driver, format] = find_format(options.format.empty() ? from.format : options.format);
  const Capabilities& can = format.capabilities;
  to.format = can.format;
  const bool same = to.format == from.format;
  require(can, &Capabilities::create);
  if (options.field) keep_field(target, *options.field);
  if (from.dimensions.empty() && !can.scalars)
    fail(ErrorKind::unsupported, "the source is a single cell with no dimensions, which only {} hold",
         formats_with(&Capabilities::scalars));
  if (!same && can.domains)
    to_domains(to, can);
  else if (!same)
    to_counted(target, from, can);
  if (!same) {
    to.format_version = 0;
    to.coords_filters.clear();
    to.offsets_filters.clear();
    to.validity_filters.clear();
    for (Attribute& a : to.attributes) a.filters = carried_filters(a, from.format, to.format);
    if (!can.column_order) to.cell_order = to.tile_order = Order::row;
  }
  if (same && format.filters.explicit_none) keep_unfiltered(to);
  if (options.filters)
    for (Attribute& a : to.attributes) a.filters = *options.filters;
  apply_chunks(to, options.chunks);

  if (target.sources.empty())
    for (const Attribute& a : to.attributes) target.sources.push_back(a.name);
  for (Attribute& a : to.attributes)
    if (same && !a.name.empty() && a.name == driver.unnamed_attribute) a.name.clear();
  if (!from.sparse && !from.table) boxes_to_copy(source, target.sources, to, {});
  const std::size_t fragments = source.info().fragments.size();
  if (fragments > 1)
    target.losses.push_back(fmt::format("the history of {} fragments: only the present state is copied", fragments));
  return target;
}

std::string losses_text(const Target& target) {
  std::string text = target.schema.format + " cannot hold:";
  for (const std::string& loss : target.losses) text += "\n  " + loss;
  return text;
}

}  // namespace tegula
