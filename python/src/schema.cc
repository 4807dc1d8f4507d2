#include "schema.h"

#include <cstring>

#include "base/fail.h"
#include "convert/filters.h"
#include "tegula/capabilities.h"
#include "values.h"

namespace tegula::python {

namespace {

constexpr std::pair<std::string_view, Order> kOrders[] = {{"row", Order::row},
                                                          {"col", Order::col},
                                                          {"global", Order::global},
                                                          {"unordered", Order::unordered},
                                                          {"hilbert", Order::hilbert}};

nb::object count_of(std::uint32_t values_per_cell) {
  return values_per_cell == kVar ? nb::object(nb::none()) : nb::object(nb::int_(values_per_cell));
}

std::uint32_t count_from(nb::handle object) {
  return object.is_none() ? kVar : static_cast<std::uint32_t>(unsigned_of(object));
}

nb::str text(std::string_view value) {
  nb::object out =
      nb::steal(PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "surrogateescape"));
  if (!out.is_valid()) throw nb::python_error();
  return nb::borrow<nb::str>(out);
}

nb::object option_of(const Value& value) {
  if (const auto* s = std::get_if<std::string>(&value)) return text(*s);
  return object_of(value);
}

nb::list list_of(const std::vector<Filter>& filters) {
  nb::list out;
  for (const Filter& filter : filters) {
    nb::dict options;
    for (const auto& [name, value] : filter.options) options[text(name)] = option_of(value);
    out.append(nb::make_tuple(text(filter.name), options, text(display_name(filter))));
  }
  return out;
}

nb::dict dict_of(const Dimension& d) {
  nb::dict out;
  out["name"] = text(d.name);
  out["type"] = object_of(d.type);
  out["values"] = count_of(d.values_per_cell);
  out["domain"] = object_of(d.domain);
  out["tile"] = object_of(d.tile);
  out["filters"] = list_of(d.filters);
  return out;
}

nb::dict dict_of(const Attribute& a) {
  nb::dict out;
  out["name"] = text(a.name);
  out["type"] = object_of(a.type);
  out["values"] = count_of(a.values_per_cell);
  out["nullable"] = nb::bool_(a.nullable);
  out["fill"] = to_bytes(a.fill);
  out["fill_valid"] = nb::bool_(a.fill_valid);
  out["fill_defined"] = nb::bool_(a.fill_defined);
  out["filters"] = list_of(a.filters);
  out["enumeration"] = text(a.enumeration);
  out["cell_shape"] = object_of(a.cell_shape);
  return out;
}

nb::dict dict_of(const Enumeration& e) {
  nb::dict out;
  out["name"] = text(e.name);
  out["type"] = object_of(e.type);
  out["values"] = count_of(e.values_per_cell);
  out["ordered"] = nb::bool_(e.ordered);
  nb::list items;
  for (std::size_t i = 0; i < e.count(); ++i) items.append(to_bytes(e.value(i)));
  out["items"] = items;
  return out;
}

nb::object ranges_of(const std::optional<std::vector<Range>>& ranges) {
  if (!ranges) return nb::none();
  nb::list out;
  for (const Range& range : *ranges) out.append(object_of(range));
  return nb::tuple(out);
}

Value option_from(nb::handle object) {
  if (PyUnicode_Check(object.ptr())) return text_from(object);
  if (PyFloat_Check(object.ptr())) return PyFloat_AsDouble(object.ptr());
  return signed_of(object);
}

Dimension dimension_from(nb::handle handle, const std::string& format) {
  const nb::dict dict = checked<nb::dict>(handle);
  Dimension out;
  out.name = text_from(dict["name"]);
  out.type = parse_datatype(text_from(dict["type"]));
  out.values_per_cell = count_from(dict["values"]);
  if (const nb::object domain = dict["domain"]; !domain.is_none())
    out.domain = {value_of(domain[0], out.type), value_of(domain[1], out.type)};
  out.tile = value_of(dict["tile"], out.type);
  out.filters = filters_from(dict["filters"], format);
  return out;
}

Enumeration enumeration_from(nb::handle handle) {
  const nb::dict dict = checked<nb::dict>(handle);
  Enumeration out;
  out.name = text_from(dict["name"]);
  out.type = parse_datatype(text_from(dict["type"]));
  out.values_per_cell = count_from(dict["values"]);
  out.ordered = truth_of(dict["ordered"]);
  for (nb::handle item : checked<nb::list>(dict["items"])) {
    const std::string value = text_from(item);
    if (out.values_per_cell == kVar) out.offsets.push_back(out.data.size());
    const ByteView view = bytes_of(value);
    out.data.insert(out.data.end(), view.begin(), view.end());
  }
  return out;
}

}  // namespace

Order order_from(std::string_view name) {
  for (const auto& [known, order] : kOrders)
    if (name == known || (name.starts_with(known) && name.substr(known.size()) == "-major")) return order;
  fail(ErrorKind::invalid_argument, "'{}' is not an order; known are row, col, global, unordered, hilbert", name);
}

std::string_view order_name(Order order) { return kOrders[static_cast<std::size_t>(order)].first; }

nb::dict dict_of(const Schema& schema) {
  nb::dict out;
  out["format"] = text(schema.format);
  out["format_version"] = nb::int_(schema.format_version);
  out["sparse"] = nb::bool_(schema.sparse);
  out["table"] = nb::bool_(schema.table);
  nb::list dimensions, attributes, enumerations, labels;
  for (const Dimension& d : schema.dimensions) dimensions.append(dict_of(d));
  for (const Attribute& a : schema.attributes) attributes.append(dict_of(a));
  for (const Enumeration& e : schema.enumerations) enumerations.append(dict_of(e));
  for (const Label& label : schema.labels) {
    nb::dict l;
    l["name"] = text(label.name);
    l["dimension"] = nb::int_(label.dimension);
    l["type"] = object_of(label.type);
    l["values"] = count_of(label.values_per_cell);
    l["increasing"] = nb::bool_(label.increasing);
    labels.append(l);
  }
  out["dims"] = dimensions;
  out["attrs"] = attributes;
  out["enumerations"] = enumerations;
  out["labels"] = labels;
  out["tile_order"] = text(order_name(schema.tile_order));
  out["cell_order"] = text(order_name(schema.cell_order));
  out["capacity"] = nb::int_(schema.capacity);
  out["allows_duplicates"] = nb::bool_(schema.allows_duplicates);
  out["coords_filters"] = list_of(schema.coords_filters);
  out["offsets_filters"] = list_of(schema.offsets_filters);
  out["validity_filters"] = list_of(schema.validity_filters);
  out["current_domain"] = ranges_of(schema.current_domain);
  return out;
}

std::vector<Filter> filters_from(nb::handle list, const std::string& format) {
  std::vector<Filter> out;
  for (nb::handle item : checked<nb::list>(list)) {
    if (PyUnicode_Check(item.ptr())) {
      const std::string written = text_from(item);
      for (Filter& filter : parse_filters(written, format)) out.push_back(std::move(filter));
      continue;
    }
    const nb::tuple pair = tuple_of(item, 2);
    Filter filter{text_from(pair[0]), {}};
    for (auto [name, value] : checked<nb::dict>(pair[1]))
      filter.options.emplace_back(text_from(name), option_from(value));
    out.push_back(std::move(filter));
  }
  return out;
}

Attribute attribute_from(nb::handle handle, const std::string& format) {
  const nb::dict dict = checked<nb::dict>(handle);
  Attribute out;
  out.name = text_from(dict["name"]);
  out.type = parse_datatype(text_from(dict["type"]));
  out.values_per_cell = count_from(dict["values"]);
  out.nullable = truth_of(dict["nullable"]);
  if (const nb::object fill = dict["fill"]; !fill.is_none()) {
    out.fill = bytes_from(fill);
    out.fill_valid = truth_of(dict["fill_valid"]);
  } else {
    // Without a fill value, formats with numpy's types use zeros; TileDB has its own defaults, for which `fill` is
    // empty.
    if (capabilities(format).numpy_types) out.fill.resize(out.cell_size(), std::byte{0});
    std::fill(out.fill.begin(), out.fill.end(), std::byte{0});
  }
  out.fill_defined = truth_of(dict["fill_defined"]);
  out.filters = dict["filters"].is_none() ? default_filters(format, out.type) : filters_from(dict["filters"], format);
  out.enumeration = text_from(dict["enumeration"]);
  for (nb::handle extent : checked<nb::tuple>(dict["cell_shape"])) out.cell_shape.push_back(unsigned_of(extent));
  return out;
}

Schema schema_from(nb::dict dict) {
  Schema out;
  out.format = text_from(dict["format"]);
  out.sparse = truth_of(dict["sparse"]);
  out.table = truth_of(dict["table"]);
  for (nb::handle d : checked<nb::list>(dict["dims"])) out.dimensions.push_back(dimension_from(d, out.format));
  for (nb::handle a : checked<nb::list>(dict["attrs"])) out.attributes.push_back(attribute_from(a, out.format));
  for (nb::handle e : checked<nb::list>(dict["enumerations"])) out.enumerations.push_back(enumeration_from(e));
  out.tile_order = order_from(text_from(dict["tile_order"]));
  out.cell_order = order_from(text_from(dict["cell_order"]));
  out.capacity = unsigned_of(dict["capacity"]);
  out.allows_duplicates = truth_of(dict["allows_duplicates"]);
  out.coords_filters = filters_from(dict["coords_filters"], out.format);
  out.offsets_filters = filters_from(dict["offsets_filters"], out.format);
  out.validity_filters = filters_from(dict["validity_filters"], out.format);
  if (const nb::object current = dict["current_domain"]; !current.is_none()) {
    out.current_domain.emplace();
    std::size_t i = 0;
    for (nb::handle range : checked<nb::tuple>(current)) {
      const Datatype& type = out.dimensions.at(i++).type;
      const nb::tuple pair = tuple_of(range, 2);
      out.current_domain->push_back({value_of(pair[0], type), value_of(pair[1], type)});
    }
  }
  return out;
}

nb::dict dict_of(const Metadata& metadata) {
  nb::dict out;
  for (const auto& [key, value] : metadata)
    out[text(key)] =
        nb::make_tuple(object_of(value.type), nb::int_(value.count), to_bytes(value.data), nb::bool_(value.json));
  return out;
}

std::map<std::string, std::optional<MetaValue>> metadata_from(nb::dict dict) {
  std::map<std::string, std::optional<MetaValue>> out;
  for (auto [key, value] : dict) {
    std::optional<MetaValue>& entry = out[text_from(key)];
    if (value.is_none()) continue;
    const nb::tuple t = tuple_of(value, 4);
    entry.emplace();
    entry->type = parse_datatype(text_from(t[0]));
    entry->count = static_cast<std::uint32_t>(unsigned_of(t[1]));
    entry->data = bytes_from(t[2]);
    entry->json = truth_of(t[3]);
  }
  return out;
}

nb::dict dict_of(const Info& info) {
  nb::dict out;
  out["stored_bytes"] = nb::int_(info.stored_bytes);
  nb::dict fields;
  for (const FieldSize& field : info.fields)
    fields[text(field.name)] = nb::make_tuple(nb::int_(field.stored), nb::int_(field.decoded));
  out["fields"] = fields;
  out["chunks_present"] = nb::int_(info.chunks_present);
  out["chunks_expected"] = nb::int_(info.chunks_expected);
  nb::list fragments;
  for (const FragmentInfo& fragment : info.fragments) {
    nb::dict f;
    f["name"] = text(fragment.name);
    f["times"] = nb::make_tuple(nb::int_(fragment.first_time), nb::int_(fragment.last_time));
    f["version"] = nb::int_(fragment.version);
    f["sparse"] = nb::bool_(fragment.sparse);
    f["cells"] = nb::int_(fragment.cells);
    f["bytes"] = nb::int_(fragment.bytes);
    f["domain"] = ranges_of(fragment.domain);
    fragments.append(f);
  }
  out["fragments"] = fragments;
  out["non_empty_domain"] = ranges_of(info.non_empty_domain);
  return out;
}

}  // namespace tegula::python
