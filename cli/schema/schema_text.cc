#include "schema/schema_text.h"

#include <algorithm>

#include "format/registry/dialect.h"
#include "format/registry/registry.h"
#include "query/request/iso_dates.h"
#include "tegula/capabilities.h"

namespace tegula::cli {

namespace {

void write_value(JsonWriter& json, const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value))
    json.number(*i);
  else if (const auto* u = std::get_if<std::uint64_t>(&value))
    json.number(*u);
  else if (const auto* d = std::get_if<double>(&value))
    json.number(*d);
  else if (const auto* s = std::get_if<std::string>(&value))
    json.text(*s);
  else
    json.raw("null");
}

void write_filters(JsonWriter& json, const std::vector<Filter>& filters) {
  json.begin('[');
  for (const Filter& filter : filters) {
    json.begin('{').key("name").text(filter.name);
    for (const auto& [name, value] : filter.options) {
      json.key(name);
      write_value(json, value);
    }
    json.end('}');
  }
  json.end(']');
}

void write_count(JsonWriter& json, std::uint32_t values_per_cell) {
  if (values_per_cell == kVar)
    json.text("var");
  else
    json.number(values_per_cell);
}

void write_labels(JsonWriter& json, const Schema& schema) {
  json.key("labels").begin('[');
  for (const Label& label : schema.labels) {
    json.begin('{').key("name").text(label.name).key("dimension").number(label.dimension);
    json.key("type").text(display_name(label.type)).key("values_per_cell");
    write_count(json, label.values_per_cell);
    json.key("increasing").number(label.increasing).end('}');
  }
  json.end(']');
}

void write_enumerations(JsonWriter& json, const Schema& schema) {
  json.key("enumerations").begin('[');
  for (const Enumeration& e : schema.enumerations) {
    Column values;
    values.type = e.type;
    values.values_per_cell = e.values_per_cell;
    values.data = e.data;
    values.offsets.assign(e.offsets.begin(), e.offsets.end());
    if (values.var()) values.offsets.push_back(e.data.size());
    json.begin('{').key("name").text(e.name).key("type").text(display_name(e.type)).key("values_per_cell");
    write_count(json, e.values_per_cell);
    json.key("ordered").number(e.ordered).key("values").begin('[');
    for (std::size_t i = 0; i < e.count(); ++i) {
      std::string value;
      append_json_cell(value, values, i, dialect_of(schema));
      json.raw(value);
    }
    json.end(']').end('}');
  }
  json.end(']');
}

Column fill_column(const Attribute& attribute) {
  Column column;
  column.type = attribute.type;
  column.values_per_cell = attribute.values_per_cell;
  column.data = attribute.fill;
  if (column.var()) column.offsets = {0, attribute.fill.size()};
  return column;
}

}  // namespace

std::string family_text(std::string_view format) { return std::string(capabilities(format).title); }

std::string what_it_is(const Schema& schema) {
  std::string text = schema.table
                         ? family_text(schema.format) + " table"
                         : fmt::format("{} {} array", schema.sparse ? "sparse" : "dense", family_text(schema.format));
  if (capabilities(schema.format).versions) text += fmt::format(", format version {}", schema.format_version);
  return text;
}

std::string filters_text(const std::vector<Filter>& filters) {
  std::string text;
  for (const Filter& filter : filters) text += (text.empty() ? "" : ", ") + display_name(filter);
  return text.empty() ? "none" : text;
}

std::string cell_type_text(const Datatype& type, std::uint32_t values_per_cell, bool nullable) {
  std::string text = display_name(type);
  if (values_per_cell == kVar)
    text += ", any length";
  else if (values_per_cell != 1)
    text += fmt::format(" x {}", values_per_cell);
  if (nullable) text += ", nullable";
  return text;
}

std::string range_text(const Datatype& type, const Range& range) {
  if (std::holds_alternative<std::monostate>(range.low) && std::holds_alternative<std::monostate>(range.high))
    return type.is_integer() ? "empty" : "any text";
  return plain_value(type, range.low) + " .. " + plain_value(type, range.high);
}

std::string domain_text(const Schema& schema, const std::vector<Range>& domain) {
  std::string text;
  for (std::size_t i = 0; i < domain.size() && i < schema.dimensions.size(); ++i)
    text += (i > 0 ? ", " : "") + schema.dimensions[i].name + " " + range_text(schema.dimensions[i].type, domain[i]);
  return text;
}

std::string fill_text(const Attribute& attribute, const Schema& schema) {
  if (!attribute.fill_defined) return "undefined";
  if (attribute.nullable && !attribute.fill_valid) return "null";
  if (attribute.fill.empty()) return attribute.values_per_cell == kVar ? "''" : "none";
  std::string text;
  append_plain_cell(text, fill_column(attribute), 0, dialect_of(schema));
  return text.empty() ? "''" : text;
}

std::string time_text(std::uint64_t milliseconds) {
  Datatype type(TypeId::datetime);
  type.unit = TimeUnit::ms;
  // Small times are the counters of tests and tools, not moments of 1970.
  if (milliseconds < 86400000 || milliseconds > INT64_MAX) return fmt::format("{}", milliseconds);
  return date_text(type, static_cast<std::int64_t>(milliseconds)) + "Z";
}

std::string_view order_text(Order order) {
  constexpr std::string_view kNames[] = {"row-major", "col-major", "global", "unordered", "hilbert"};
  return kNames[static_cast<std::size_t>(order)];
}

std::string aligned(std::vector<std::vector<std::string>> rows, std::string_view indent) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = visible(cell);
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) line += row[i] + std::string(widths[i] - width_of(row[i]) + 2, ' ');
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out;
}

void write_range(JsonWriter& json, const Range& range) {
  json.begin('[');
  write_value(json, range.low);
  write_value(json, range.high);
  json.end(']');
}

void write_schema(JsonWriter& json, const Schema& schema) {
  json.key("format").text(schema.format).key("format_version").number(schema.format_version);
  json.key("kind").text(schema.table ? "table" : schema.sparse ? "sparse" : "dense");
  json.key("dimensions").begin('[');
  for (const Dimension& d : schema.dimensions) {
    json.begin('{').key("name").text(d.name).key("type").text(display_name(d.type)).key("values_per_cell");
    write_count(json, d.values_per_cell);
    json.key("domain");
    write_range(json, d.domain);
    json.key("tile");
    write_value(json, d.tile);
    json.key("filters");
    write_filters(json, d.filters);
    json.end('}');
  }
  json.end(']').key("attributes").begin('[');
  for (const Attribute& a : schema.attributes) {
    json.begin('{').key("name").text(a.name).key("type").text(display_name(a.type)).key("values_per_cell");
    write_count(json, a.values_per_cell);
    json.key("nullable").number(a.nullable).key("fill");
    std::string fill = "null";
    if (a.fill_defined && !a.fill.empty() && (!a.nullable || a.fill_valid)) {
      fill.clear();
      append_json_cell(fill, fill_column(a), 0, dialect_of(schema));
    }
    json.raw(fill).key("filters");
    write_filters(json, a.filters);
    if (!a.fill_defined) json.key("fill_defined").number(false);
    if (!a.enumeration.empty()) json.key("enumeration").text(a.enumeration);
    json.end('}');
  }
  json.end(']')
      .key("tile_order")
      .text(order_text(schema.tile_order))
      .key("cell_order")
      .text(order_text(schema.cell_order));
  if (schema.sparse)
    json.key("capacity").number(schema.capacity).key("allows_duplicates").number(schema.allows_duplicates);
  if (find_format(schema.format).format.filters.explicit_none) {
    for (const auto& [key, filters] :
         {std::pair("coords_filters", &schema.coords_filters), std::pair("offsets_filters", &schema.offsets_filters),
          std::pair("validity_filters", &schema.validity_filters)}) {
      json.key(key);
      write_filters(json, *filters);
    }
  }
  if (!schema.enumerations.empty()) write_enumerations(json, schema);
  if (!schema.labels.empty()) write_labels(json, schema);
  if (schema.current_domain) {
    json.key("current_domain").begin('[');
    for (const Range& range : *schema.current_domain) write_range(json, range);
    json.end(']');
  }
}

}  // namespace tegula::cli
