#include "schema/schema_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/fail.h"
#include "base/json.h"
#include "base/product.h"
#include "convert/filters.h"
#include "convert/target.h"
#include "files/text_file.h"
#include "query/language/literal.h"
#include "query/request/cell_input.h"
#include "query/request/request.h"
#include "tegula/capabilities.h"
#include "text/format_names.h"
#include "text/numbers_text.h"

namespace tegula::cli {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// A bound or an extent in the form that schemas hold for the type.
Value scalar_of(const Json& json, const Datatype& type) {
  if (json.is_null()) return {};
  if (json.is_string() && type.is_text()) return json.get<std::string>();
  Bytes bytes;
  append_value(bytes, type, json);
  if (type.is_float()) return json.get<double>();
  if (type.is_date() && json.is_string()) return static_cast<std::int64_t>(load_integer(type, bytes.data()));
  return type.is_signed() || type.is_date() ? Value(json.get<std::int64_t>()) : Value(json.get<std::uint64_t>());
}

Value scalar_of(const std::string& text, const Datatype& type) {
  try {
    const bool date = type.is_date() && text.find_first_not_of("-0123456789") == std::string::npos &&
                      text.find('-', 1) != std::string::npos;
    return scalar_of(date ? Json(text) : parse_json(bytes_of(text), "a bound"), type);
  } catch (const Error& error) {
    fail(ErrorKind::invalid_argument, "'{}' is not a bound or extent of type {}", text, display_name(type));
  }
}

void set_default_fill(Attribute& attribute) {
  attribute.fill.resize(attribute.cell_size());
  std::fill(attribute.fill.begin(), attribute.fill.end(), std::byte{0});
}

// "x:int32:0:99:10"; "name:ascii" for text.
Dimension parse_dimension(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 2 && parts.size() != 4 && parts.size() != 5)
    fail(ErrorKind::invalid_argument, "--dim {}: write NAME:TYPE:LOW:HIGH[:TILE], or NAME:ascii for text", text);
  Dimension d;
  d.name = parts[0];
  d.type = parse_datatype(parts[1]);
  if (d.type.is_text()) d.values_per_cell = kVar;
  if (parts.size() == 2 && d.values_per_cell != kVar)
    fail(ErrorKind::invalid_argument, "--dim {}: which domain? Write {}:{}:LOW:HIGH[:TILE]", text, parts[0], parts[1]);
  if (parts.size() >= 4) d.domain = {scalar_of(parts[2], d.type), scalar_of(parts[3], d.type)};
  if (parts.size() == 5) d.tile = scalar_of(parts[4], d.type.is_date() ? Datatype(TypeId::int64) : d.type);
  return d;
}

Value option_of_json(const Json& json) {
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number()) return json.get<std::int64_t>();
  if (json.is_boolean()) return std::int64_t{json.get<bool>()};
  return json.get<std::string>();
}

// {"name": "zstd", "level": 5}, or "zstd:5".
std::vector<Filter> filters_of_json(const Json& json, const std::string& format) {
  std::vector<Filter> filters;
  for (const Json& item : json) {
    if (item.is_string()) {
      for (Filter& filter : parse_filters(item.get<std::string>(), format)) filters.push_back(std::move(filter));
      continue;
    }
    Filter filter{item.at("name").get<std::string>(), {}};
    for (const auto& [key, value] : item.items())
      if (key != "name") filter.options.emplace_back(key, option_of_json(value));
    filters.push_back(std::move(filter));
  }
  if (filters.empty()) return parse_filters("none", format);
  return filters;
}

std::uint32_t count_of_json(const Json& object) {
  const auto found = object.find("values_per_cell");
  if (found == object.end()) return 1;
  return found->is_string() && *found == "var" ? kVar : found->get<std::uint32_t>();
}

Order order_of_json(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && *found == "col-major" ? Order::col
         : found != document.end() && *found == "hilbert" ? Order::hilbert
                                                          : Order::row;
}

Json list_of_json(const Json& document, const char* key) { return document.value(key, Json::array()); }

Enumeration enumeration_of_json(const Json& item) {
  Enumeration out;
  out.name = item.at("name").get<std::string>();
  out.type = parse_datatype(item.at("type").get<std::string>());
  out.values_per_cell = count_of_json(item);
  out.ordered = item.value("ordered", false);
  append_values(out, item.at("values"));
  return out;
}

Label label_of_json(const Json& item) {
  Label out;
  out.name = item.at("name").get<std::string>();
  out.dimension = item.at("dimension").get<std::uint32_t>();
  out.type = parse_datatype(item.at("type").get<std::string>());
  out.values_per_cell = count_of_json(item);
  out.increasing = item.value("increasing", true);
  return out;
}

// What `info --json` prints: the schema, and facts about the cells, which are ignored here.
constexpr std::string_view kMembers[] = {"format",
                                         "kind",
                                         "dimensions",
                                         "attributes",
                                         "tile_order",
                                         "cell_order",
                                         "capacity",
                                         "allows_duplicates",  //
                                         "coords_filters",
                                         "offsets_filters",
                                         "validity_filters",
                                         "enumerations",
                                         "labels",
                                         "current_domain",  //
                                         "uri",
                                         "format_version",
                                         "stored_bytes",
                                         "fields",
                                         "chunks_present",
                                         "chunks_expected",
                                         "fragments",  //
                                         "non_empty_domain",
                                         "metadata",
                                         "first_time",
                                         "last_time"};
constexpr std::string_view kDimensionMembers[] = {"name", "type", "values_per_cell", "domain", "tile", "filters"};
constexpr std::string_view kAttributeMembers[] = {"name", "type",    "values_per_cell", "nullable",
                                                  "fill", "filters", "fill_defined",    "enumeration"};

// A misspelled member must not count as absent.
void check_members(const Json& object, std::span<const std::string_view> known, std::string_view what,
                   const std::string& name) {
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(ErrorKind::invalid_argument, "{}: {} has no '{}'; known: {}", name, what, key, fmt::join(known, ", "));
}

// The file holds the whole schema; another flag would be ignored.
void check_alone(const SchemaFlags& flags) {
  const std::pair<const char*, bool> others[] = {
      {"--shape", !flags.shape.empty()},
      {"--type", !flags.type.empty()},
      {"--dim", !flags.dimensions.empty()},
      {"--attr", !flags.attributes.empty()},
      {"--tile", !flags.tile.empty()},
      {"--fill", !flags.fill.empty()},
      {"--filters", !flags.filters.empty()},
      {"--capacity", flags.capacity.has_value()},
      {"--sparse", flags.sparse},
      {"--table", flags.table},
      {"--allow-duplicates", flags.duplicates},
  };
  for (const auto& [name, given] : others)
    if (given) fail(ErrorKind::invalid_argument, "--schema holds the whole schema: give no {} with it", name);
}

// Formats whose chunks are files: without --tile, the longest axis is halved until a chunk has about 1 MiB. As one
// chunk, a large array could only be written and read as a whole.
void choose_chunks(Schema& schema) {
  const Capabilities& can = capabilities(schema.format);
  if (can.domains || !can.unwritten || schema.dimensions.empty()) return;
  constexpr std::uint64_t kChunk = 1 << 20;
  std::vector<std::uint64_t> chunk = schema.shape();
  const std::uint64_t cell = std::max<std::uint64_t>(1, schema.attributes.at(0).cell_size());
  if (saturated_product(saturated_product(chunk), cell) <= kChunk) return;
  while (saturated_product(saturated_product(chunk), cell) > kChunk) {
    std::uint64_t& longest = *std::max_element(chunk.begin(), chunk.end());
    if (longest <= 1) break;
    longest = (longest + 1) / 2;
  }
  for (std::size_t i = 0; i < chunk.size(); ++i) schema.dimensions[i].tile = chunk[i];
}

}  // namespace

void set_fill(Attribute& attribute, const Json& fill) {
  Column cell;
  cell.name = attribute.name;
  cell.type = attribute.type;
  cell.values_per_cell = attribute.values_per_cell;
  append_cell(cell, fill);
  attribute.fill = cell.data;
  attribute.fill_valid = true;
}

Attribute parse_attribute(const std::string& text, const char* option) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2)
    fail(ErrorKind::invalid_argument, "{} {}: write NAME:TYPE, and :var, :nullable or a number of values after it",
         option, text);
  Attribute a;
  a.name = parts[0];
  a.type = parse_datatype(parts[1]);
  for (std::size_t i = 2; i < parts.size(); ++i) {
    const auto [end, error] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), a.values_per_cell);
    if (parts[i] == "var")
      a.values_per_cell = kVar;
    else if (parts[i] == "nullable")
      a.nullable = true;
    else if (error != std::errc{} || end != parts[i].data() + parts[i].size() || a.values_per_cell == 0)
      fail(ErrorKind::invalid_argument, "{} {}: '{}' is neither var, nullable nor a number of values", option, text,
           parts[i]);
  }
  set_default_fill(a);
  return a;
}

void SchemaFlags::describe(Verb& verb) {
  verb.option("--format", format, "NAME", fmt::format("{}; zarr means zarr3", known_formats()))
      .option("--schema", schema_file, "FILE", "schema as `tegula info --json` prints it; - is stdin")
      .option("--shape", shape, "N,M", "extents of a dense array; [] for a single cell")
      .option("--type", type, "TYPE[:var|:N][:nullable]",
              "its element type: int32, float64, datetime64[ns], S7, utf8:var, ...")
      .option("-d,--dim", dimensions, "NAME:TYPE:LO:HI[:TILE]", "TileDB: a dimension; repeatable")
      .option("-a,--attr", attributes, "NAME:TYPE[:var|:N][:nullable]", "an attribute or a column; repeatable")
      .option("--tile", tile, "N,M", "tile or chunk extents")
      .option("--fill", fill, "VALUE", "value of cells never written, as JSON (default: zeros)")
      .option("--filters", filters, "LIST", "'byteshuffle,zstd:5', 'blosc:lz4:5:shuffle', 'none'")
      .option("--capacity", capacity, "N", "TileDB: cells of a sparse tile")
      .flag("--sparse", sparse, "TileDB: a sparse array")
      .flag("--table", table, "bcolz: a table; its columns are the attributes")
      .flag("--allow-duplicates", duplicates, "TileDB: several cells at the same place");
}

Schema SchemaFlags::schema(const std::optional<NpyHeader>& like) const {
  const std::string name = full_format(format);
  if (!schema_file.empty()) {
    check_alone(*this);
    Schema schema = schema_of_json(read_text(schema_file), schema_file);
    if (!name.empty()) schema.format = name;
    return schema;
  }
  if (name.empty()) fail(ErrorKind::invalid_argument, "which format? --format {}", known_formats());
  Schema out;
  out.format = name;
  out.sparse = sparse;
  out.table = table;
  out.allows_duplicates = duplicates;
  if (capacity) out.capacity = *capacity;
  for (const std::string& text : dimensions) out.dimensions.push_back(parse_dimension(text));
  for (const std::string& text : attributes) out.attributes.push_back(parse_attribute(text, "--attr"));

  std::vector<std::uint64_t> extents = parse_extents(shape, "--shape");
  if (extents.empty() && like) extents = like->shape;
  if (!capabilities(out.format).empty_axes && out.dimensions.empty() &&
      std::find(extents.begin(), extents.end(), 0) != extents.end())
    fail(ErrorKind::invalid_argument, "--shape {}: a {} dimension has one cell at least", fmt::join(extents, ","),
         capabilities(out.format).title);
  const std::vector<std::uint64_t> tiles = parse_extents(tile, "--tile");
  if (out.dimensions.empty() && !table) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      Dimension d;
      d.name = fmt::format("dim_{}", i);
      d.type = TypeId::uint64;
      if (extents[i]) d.domain = {std::uint64_t{0}, extents[i] - 1};
      out.dimensions.push_back(std::move(d));
    }
  }
  if (table) {
    out.dimensions.resize(1);
    out.dimensions[0].name = "row";
    out.dimensions[0].type = TypeId::uint64;
  }
  if (!tiles.empty() && tiles.size() != out.dimensions.size())
    fail(ErrorKind::invalid_argument, "--tile has {} extents for {} dimensions", tiles.size(), out.dimensions.size());
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i] == 0) fail(ErrorKind::invalid_argument, "--tile {}: a tile extent must be 1 or more", tile);
    out.dimensions[i].tile = out.dimensions[i].type.is_signed() || out.dimensions[i].type.is_date()
                                 ? Value(static_cast<std::int64_t>(tiles[i]))
                                 : Value(tiles[i]);
  }
  if (out.attributes.empty()) {
    if (type.empty() && !like)
      fail(ErrorKind::invalid_argument, "which element type? --type TYPE, or --attr NAME:TYPE");
    Attribute a;
    if (!type.empty()) a = parse_attribute(":" + type, "--type");
    if (type.empty()) a.type = like->type;
    to_type_of(out.format, a);
    set_default_fill(a);
    out.attributes.push_back(std::move(a));
  }
  for (Attribute& a : out.attributes) {
    if (!fill.empty()) set_fill(a, json_argument(fill, "--fill"));
    a.filters = filters.empty() ? default_filters(out.format, a.type) : parse_filters(filters, out.format);
  }
  if (dimensions.empty() && tiles.empty() && !table) choose_chunks(out);
  const bool axes_given = !out.dimensions.empty() || !shape.empty() || like;
  if (!axes_given) fail(ErrorKind::invalid_argument, "which extents? --shape N,M, or --dim for TileDB");
  return out;
}

void append_values(Enumeration& enumeration, const Json& values) {
  Column column;
  column.name = enumeration.name;
  column.type = enumeration.type;
  column.values_per_cell = enumeration.values_per_cell;
  for (const Json& value : values) append_cell(column, value);
  for (std::size_t i = 0; column.var() && i + 1 < column.offsets.size(); ++i)
    enumeration.offsets.push_back(enumeration.data.size() + column.offsets[i]);
  enumeration.data.insert(enumeration.data.end(), column.data.begin(), column.data.end());
}

Schema schema_of_json(const std::string& text, const std::string& name) {
  try {
    const Json document = json_argument(text, name);
    check_members(document, kMembers, "a schema", name);
    Schema out;
    out.format = document.at("format").get<std::string>();
    const std::string kind = document.value("kind", "dense");
    if (kind != "dense" && kind != "sparse" && kind != "table")
      fail(ErrorKind::invalid_argument, "{}: kind '{}'; there are dense, sparse, table", name, kind);
    out.sparse = kind == "sparse";
    out.table = kind == "table";
    for (const Json& item : document.at("dimensions")) {
      check_members(item, kDimensionMembers, "a dimension", name);
      Dimension d;
      d.name = item.at("name").get<std::string>();
      d.type = parse_datatype(item.at("type").get<std::string>());
      d.values_per_cell = count_of_json(item);
      if (item.contains("domain") && item["domain"].is_array())
        d.domain = {scalar_of(item["domain"].at(0), d.type), scalar_of(item["domain"].at(1), d.type)};
      if (item.contains("tile")) d.tile = scalar_of(item["tile"], d.type.is_date() ? Datatype(TypeId::int64) : d.type);
      if (item.contains("filters")) d.filters = filters_of_json(item["filters"], out.format);
      out.dimensions.push_back(std::move(d));
    }
    for (const Json& item : document.at("attributes")) {
      check_members(item, kAttributeMembers, "an attribute", name);
      Attribute a;
      a.name = item.value("name", "");
      a.type = parse_datatype(item.at("type").get<std::string>());
      a.values_per_cell = count_of_json(item);
      a.nullable = item.value("nullable", false);
      set_default_fill(a);
      if (item.contains("fill") && !item["fill"].is_null()) set_fill(a, item["fill"]);
      if (item.contains("filters")) a.filters = filters_of_json(item["filters"], out.format);
      a.fill_defined = item.value("fill_defined", true);
      a.enumeration = item.value("enumeration", "");
      out.attributes.push_back(std::move(a));
    }
    for (const auto& [key, filters] :
         {std::pair("coords_filters", &out.coords_filters), std::pair("offsets_filters", &out.offsets_filters),
          std::pair("validity_filters", &out.validity_filters)})
      if (document.contains(key)) *filters = filters_of_json(document[key], out.format);
    for (const Json& item : list_of_json(document, "enumerations"))
      out.enumerations.push_back(enumeration_of_json(item));
    for (const Json& item : list_of_json(document, "labels")) out.labels.push_back(label_of_json(item));
    if (document.contains("current_domain")) {
      out.current_domain.emplace();
      for (const Json& item : document["current_domain"]) {
        const Dimension& d = out.dimensions.at(out.current_domain->size());
        out.current_domain->push_back({scalar_of(item.at(0), d.type), scalar_of(item.at(1), d.type)});
      }
    }
    out.tile_order = order_of_json(document, "tile_order");
    out.cell_order = order_of_json(document, "cell_order");
    out.capacity = document.value("capacity", std::uint64_t{10000});
    out.allows_duplicates = document.value("allows_duplicates", false);
    return out;
  } catch (const Json::exception& error) {
    fail(ErrorKind::invalid_argument, "{} is no schema as `tegula info --json` prints it: {}", name, error.what());
  }
}

}  // namespace tegula::cli
