// tegula's half of tiledb_interop.py: takes one JSON request a line and answers each with one line, {"error": text}
// where it failed. Schemas, cells and metadata have the form of tests/corpus/README.md; tiledb_capi.py takes the same
// requests.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <iterator>

#include "base/fail.h"
#include "base/json.h"
#include "format/tiledb/driver.h"
#include "query/request/cell_input.h"
#include "query/request/request.h"
#include "query/request/result_json.h"
#include "store/open/open_store.h"
#include "tegula/tegula.h"
#include "tegula/tiledb.h"

namespace {

using namespace tegula;

// Null, which has no items, when absent.
const Json& part(const Json& object, const char* key) {
  static const Json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

Datatype type_named(const std::string& name) {
  for (std::uint8_t code = 0; !tiledb_name(code).empty(); ++code)
    if (std::ranges::equal(tiledb_name(code), name, {}, lower, lower)) return datatype_from_tiledb(code);
  fail(ErrorKind::invalid_argument, "no datatype '{}'", name);
}

std::uint32_t values_per_cell(const Json& field) {
  const auto found = field.find("cell_val_num");
  return found == field.end() ? 1 : found->is_string() ? kVar : found->get<std::uint32_t>();
}

Value scalar(const Json& json, const Datatype& type) {
  if (json.is_null()) return {};
  if (json.is_string()) return json.get<std::string>();
  if (type.is_float()) return json.get<double>();
  if (type.is_signed() || type.is_date()) return json.get<std::int64_t>();
  return json.get<std::uint64_t>();
}

Value option(const Json& json) {
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return json.get<std::int64_t>();
}

std::vector<Filter> filters(const Json& object, const char* key) {
  std::vector<Filter> out;
  for (const Json& item : part(object, key)) {
    Filter filter{item.at("type").get<std::string>(), {}};
    for (const auto& [name, value] : item.items())
      if (name != "type") filter.options.emplace_back(name, option(value));
    out.push_back(std::move(filter));
  }
  return out;
}

Column column_of(const std::string& name, const Datatype& type, std::uint32_t values, bool nullable,
                 const Json& cells) {
  Column column;
  column.name = name;
  column.type = type;
  column.values_per_cell = values;
  column.nullable = nullable;
  if (column.var()) column.offsets.push_back(0);
  for (const Json& cell : cells) append_cell(column, cell);
  return column;
}

Attribute attribute_of(const Json& item) {
  Attribute a;
  a.name = item.at("name").get<std::string>();
  a.type = type_named(item.at("type").get<std::string>());
  a.values_per_cell = values_per_cell(item);
  a.nullable = item.value("nullable", false);
  a.filters = filters(item, "filters");
  a.enumeration = item.value("enumeration", "");
  if (item.contains("fill")) {
    a.fill = column_of(a.name, a.type, a.values_per_cell, false, Json::array({item["fill"]})).data;
    a.fill_valid = item.value("fill_valid", false);
  }
  return a;
}

Enumeration enumeration_of(const std::string& name, const Json& item) {
  Column values =
      column_of(name, type_named(item.at("type").get<std::string>()), values_per_cell(item), false, item.at("values"));
  Enumeration out{name, values.type, values.values_per_cell, item.value("ordered", false), std::move(values.data), {}};
  if (values.var()) out.offsets.assign(values.offsets.begin(), values.offsets.end() - 1);
  return out;
}

Order order_of(const Json& object, const char* key, Order otherwise) {
  if (!object.contains(key)) return otherwise;
  return object[key] == "hilbert" ? Order::hilbert : parse_order(object[key].get<std::string>());
}

std::optional<std::vector<Range>> current_domain(const Json& document, const std::vector<Dimension>& dimensions) {
  if (!document.contains("current_domain")) return std::nullopt;
  std::vector<Range> out;
  for (const Dimension& d : dimensions) {
    const Json& range = document["current_domain"].at(d.name);
    out.push_back({scalar(range.at(0), d.type), scalar(range.at(1), d.type)});
  }
  return out;
}

Schema schema_of(const Json& document) {
  Schema out;
  out.format = "tiledb";
  out.sparse = document.at("type") == "sparse";
  for (const Json& item : document.at("dims")) {
    Dimension d;
    d.name = item.at("name").get<std::string>();
    d.type = type_named(item.at("type").get<std::string>());
    d.values_per_cell = values_per_cell(item);
    if (item.contains("domain"))
      d.domain = {scalar(item["domain"].at(0), d.type), scalar(item["domain"].at(1), d.type)};
    if (item.contains("extent")) d.tile = scalar(item["extent"], d.type);
    d.filters = filters(item, "filters");
    out.dimensions.push_back(std::move(d));
  }
  for (const Json& item : document.at("attrs")) out.attributes.push_back(attribute_of(item));
  out.tile_order = order_of(document, "tile_order", Order::row);
  out.cell_order = order_of(document, "cell_order", Order::row);
  out.capacity = document.value("capacity", out.capacity);
  out.allows_duplicates = document.value("allows_dups", false);
  out.coords_filters = filters(document, "coords_filters");
  out.offsets_filters = filters(document, "offsets_filters");
  out.validity_filters = filters(document, "validity_filters");
  for (const auto& [name, item] : part(document, "enumerations").items())
    out.enumerations.push_back(enumeration_of(name, item));
  for (const Json& item : part(document, "labels"))
    out.labels.push_back({item.at("name").get<std::string>(), item.at("dim").get<std::uint32_t>(),
                          type_named(item.at("type").get<std::string>()), values_per_cell(item),
                          item.value("order", "increasing") == "increasing"});
  out.current_domain = current_domain(document, out.dimensions);
  return out;
}

Bytes key_of(const Json& request) { return copy_of(bytes_of(request.value("key", ""))); }

std::shared_ptr<Store> store_of(const Json& request) {
  return open_store(request.at("uri").get<std::string>(), {.sync = false});
}

std::shared_ptr<Array> open_array(const Json& request) {
  OpenOptions options;
  options.key = key_of(request);
  options.sync = false;
  options.at = open_at(request);
  return tiledb::kTiledbDriver.open(store_of(request), options);
}

WriteOptions write_options(const Json& request) {
  WriteOptions options;
  options.at = request.value("at", std::uint64_t{0});
  options.order = order_of(request, "layout", Order::row);
  return options;
}

Json do_create(const Json& request) {
  CreateOptions options;
  options.format_version = request.at("version").get<std::uint32_t>();
  options.key = key_of(request);
  options.at = request.value("at", std::uint64_t{0});
  options.sync = false;
  tiledb::kTiledbDriver.create(store_of(request), schema_of(request.at("schema")), options);
  return Json::object();
}

Batch cells_of(const Json& fields, const Schema& schema) {
  Batch batch;
  for (const auto& [name, cells] : fields.items()) {
    if (const Attribute* a = schema.attribute(name))
      batch.columns.push_back(column_of(name, a->type, a->values_per_cell, a->nullable, cells));
    else if (const Dimension* d = schema.dimension(name))
      batch.columns.push_back(column_of(name, d->type, d->values_per_cell, false, cells));
    else
      fail(ErrorKind::invalid_argument, "no field '{}'", name);
    batch.cells = cells.size();
  }
  return batch;
}

// The box of a dense write, whose ranges count as the dimensions do.
Selection box_of(const Json& ranges, const Schema& schema) {
  Selection box;
  for (const Dimension& d : schema.dimensions) {
    const auto range = ranges.find(d.name);
    if (range == ranges.end()) {
      box.axes.emplace_back(Slice{});
      continue;
    }
    const Json low = std::holds_alternative<std::int64_t>(d.domain.low) ? Json(std::get<std::int64_t>(d.domain.low))
                                                                        : Json(std::get<std::uint64_t>(d.domain.low));
    // As unsigned: the distance fits whatever the type.
    const auto from = [&](const Json& end) { return end.get<std::uint64_t>() - low.get<std::uint64_t>(); };
    box.axes.emplace_back(
        Slice{static_cast<std::int64_t>(from(range->at(0))), static_cast<std::int64_t>(from(range->at(1)) + 1)});
  }
  return box;
}

// Cells [first, last) of every field.
Json part_of(const Json& fields, std::size_t first, std::size_t last) {
  Json out = Json::object();
  for (const auto& [name, cells] : fields.items()) {
    Json& cut = out[name] = Json::array();
    for (std::size_t i = first; i < last && i < cells.size(); ++i) cut.push_back(cells[i]);
  }
  return out;
}

Json do_write(const Json& request) {
  const auto array = open_array(request);
  const Schema& schema = array->schema();
  const WriteOptions options = write_options(request);
  const Json& fields = request.at("fields");
  const Selection box = schema.sparse ? Selection{} : box_of(part(request, "ranges"), schema);
  if (request.contains("pieces")) {
    const auto writer = array->write_stream(schema.sparse ? std::nullopt : std::optional(box), options);
    const auto step = request["pieces"].get<std::size_t>();
    for (std::size_t i = 0; i < fields.begin()->size(); i += step)
      writer->write(cells_of(part_of(fields, i, i + step), schema));
    writer->commit();
  } else if (schema.sparse) {
    array->write(cells_of(fields, schema), options);
  } else {
    array->write(box, cells_of(fields, schema), options);
  }
  return Json::object();
}

Json json_of(const Batch& batch) { return parse_json(bytes_of(result_json(batch, Dialect::libtiledb)), "a result"); }

Json do_read(const Json& request) {
  const auto array = open_array(request);
  Json query = Json::object();
  for (const char* key : {"ranges", "label_ranges", "layout", "fields"})
    if (request.contains(key)) query[key] = request[key];
  return json_of(collect(*array->query(query_of(query, array->schema()))));
}

Json json_of(const Metadata& metadata) {
  Json out = Json::object();
  for (const auto& [key, value] : metadata) {
    Batch one;
    one.columns.push_back({key, value.type, kVar, false, value.data, {0, value.data.size()}, {}});
    out[key] = {{"type", std::string(tiledb_name(*tiledb_code(value.type)))},
                {"values", json_of(one)["fields"][key][0]}};
  }
  return out;
}

using Changes = std::map<std::string, std::optional<MetaValue>>;
Changes changes_of(const Json& request) {
  Changes out;
  for (const auto& [key, item] : part(request, "put").items()) {
    const Datatype type = type_named(item.at("type").get<std::string>());
    Column one = column_of(key, type, kVar, false, Json::array({item.at("values")}));
    out[key] = MetaValue{type, static_cast<std::uint32_t>(one.data.size() / type.size), std::move(one.data)};
  }
  for (const Json& key : part(request, "remove")) out[key.get<std::string>()] = std::nullopt;
  return out;
}

Json do_put_metadata(const Json& request) {
  open_array(request)->update_metadata(changes_of(request), write_options(request));
  return Json::object();
}

Json do_metadata(const Json& request) { return json_of(open_array(request)->metadata()); }

Json do_evolve(const Json& request) {
  const auto array = open_array(request);
  tiledb::Evolution changes;
  for (const Json& item : part(request, "add")) changes.add_attributes.push_back(attribute_of(item));
  for (const Json& name : part(request, "drop")) changes.drop_attributes.push_back(name);
  for (const auto& [name, item] : part(request, "enumerations").items())
    (array->schema().enumeration(name) ? changes.extend_enumerations : changes.add_enumerations)
        .push_back(enumeration_of(name, item));
  changes.current_domain = current_domain(request, array->schema().dimensions);
  tiledb::evolve(*array, changes, write_options(request));
  return Json::object();
}

Json do_upgrade(const Json& request) {
  tiledb::upgrade(*open_array(request), request.at("version").get<std::uint32_t>(), write_options(request));
  return Json::object();
}

Json do_delete(const Json& request) {
  tiledb::delete_cells(*open_array(request), request.at("where").get<std::string>(), write_options(request));
  return Json::object();
}

Json do_delete_fragments(const Json& request) {
  const auto times = request.at("times").get<std::pair<std::uint64_t, std::uint64_t>>();
  return tiledb::delete_fragments(*open_array(request), times.first, times.second);
}

tiledb::Part part_named(const Json& request) {
  const std::string name = request.value("mode", "fragments");
  return name == "fragment_meta" ? tiledb::Part::fragment_metadata
         : name == "commits"     ? tiledb::Part::commits
         : name == "array_meta"  ? tiledb::Part::array_metadata
                                 : tiledb::Part::fragments;
}

Json do_consolidate(const Json& request) {
  tiledb::ConsolidateOptions options;
  options.part = part_named(request);
  options.keep_times = request.value("keep_times", true);
  options.purge_deleted = request.value("purge", false);
  return tiledb::consolidate(*open_array(request), options).size();
}

Json do_vacuum(const Json& request) {
  tiledb::VacuumOptions options;
  options.part = part_named(request);
  return tiledb::vacuum(*open_array(request), options);
}

Json do_verify(const Json& request) {
  Json out = Json::array();
  for (const Problem& problem : open_array(request)->verify())
    if (problem.severity == Problem::Severity::damage) out.push_back(problem.file + ": " + problem.text);
  return out;
}

std::shared_ptr<Group> open_group(const Json& request) {
  OpenOptions options;
  options.sync = false;
  return tiledb::kTiledbDriver.open_group(store_of(request), options);
}

Json do_change_group(const Json& request) {
  CreateOptions made;
  made.sync = false;
  const auto group = request.value("create", false)
                         ? tiledb::kTiledbDriver.create_group(store_of(request), "tiledb", made)
                         : open_group(request);
  for (const Json& member : part(request, "add"))
    group->add(member.at("uri").get<std::string>(), member.value("name", ""), member.value("absolute", false));
  for (const Json& name : part(request, "drop")) group->remove(name.get<std::string>());
  if (const Changes changes = changes_of(request); !changes.empty()) group->update_metadata(changes);
  return Json::object();
}

Json do_group(const Json& request) {
  const auto group = open_group(request);
  Json members = Json::array();
  for (const Member& member : group->members())
    members.push_back({{"name", member.name}, {"type", member.kind == ObjectKind::group ? "group" : "array"}});
  return {{"members", std::move(members)}, {"metadata", json_of(group->metadata())}};
}

struct Action {
  std::string_view name;
  Json (*run)(const Json& request);
};
constexpr Action kActions[] = {
    {"create", do_create},
    {"write", do_write},
    {"read", do_read},
    {"put_metadata", do_put_metadata},
    {"metadata", do_metadata},
    {"evolve", do_evolve},
    {"upgrade", do_upgrade},
    {"delete", do_delete},
    {"delete_fragments", do_delete_fragments},
    {"consolidate", do_consolidate},
    {"vacuum", do_vacuum},
    {"verify", do_verify},
    {"change_group", do_change_group},
    {"group", do_group},
};

Json answer(const Json& request) {
  for (const Action& action : kActions)
    if (request.at("do") == action.name) return action.run(request);
  fail(ErrorKind::invalid_argument, "no action {}", dump_json(request.at("do")));
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    Json out;
    try {
      out = answer(parse_json(bytes_of(line), "a request"));
    } catch (const std::exception& error) {
      out = {{"error", error.what()}};
    }
    std::cout << dump_json(out, {.ascii = true}) << std::endl;
  }
}
