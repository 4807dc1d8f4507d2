#include "format/zarr/codec/dtypes.h"

#include <algorithm>
#include <charconv>

#include "base/datatype_names.h"
#include "base/fail.h"

namespace tegula::zarr {

namespace {

constexpr int kDeepest = 32;
constexpr std::uint64_t kLargestItem = 1u << 30;

Datatype record_of(std::vector<Field> fields) {
  std::uint64_t at = 0;
  for (Field& field : fields) {
    field.offset = static_cast<std::uint32_t>(at);
    at += field.type.full_size();
    if (at > kLargestItem) fail(ErrorKind::corrupt, "a record of more than {} bytes", kLargestItem);
  }
  if (fields.empty()) fail(ErrorKind::corrupt, "a record type without fields");
  Datatype type(TypeId::record, static_cast<std::uint32_t>(at));
  type.fields = std::make_shared<const std::vector<Field>>(std::move(fields));
  return type;
}

Datatype numpy_dtype_at(const Json& json, int depth) {
  if (depth > kDeepest) fail(ErrorKind::corrupt, "record types nest deeper than {}", kDeepest);
  if (json.is_string()) return datatype_from_numpy(json.get_ref<const std::string&>());
  if (!json.is_array()) fail(ErrorKind::corrupt, "dtype {} is neither text nor a list of fields", dump_json(json));
  std::vector<Field> fields;
  for (const Json& entry : json) {
    if (!entry.is_array() || entry.size() < 2 || entry.size() > 3 || !entry[0].is_string())
      fail(ErrorKind::corrupt, "dtype field {} is not [name, type] or [name, type, shape]", dump_json(entry));
    Field field{entry[0].get<std::string>(), numpy_dtype_at(entry[1], depth + 1), 0};
    if (field.type.id == TypeId::object) fail(ErrorKind::unsupported, "field '{}' holds Python objects", field.name);
    if (entry.size() == 3) {
      const Json axes = entry[2].is_array() ? entry[2] : Json::array({entry[2]});
      std::uint64_t cells = 1;
      for (const Json& axis : axes) {
        if (!axis.is_number_unsigned() || axis.get<std::uint64_t>() > kLargestItem)
          fail(ErrorKind::corrupt, "dtype field {} has no valid shape", dump_json(entry));
        field.type.shape.push_back(axis.get<std::uint32_t>());
        cells *= std::max<std::uint64_t>(axis.get<std::uint64_t>(), 1);
        if (cells * field.type.size > kLargestItem)
          fail(ErrorKind::corrupt, "dtype field '{}' has more than {} bytes", field.name, kLargestItem);
      }
    }
    fields.push_back(std::move(field));
  }
  return record_of(std::move(fields));
}

struct Name {
  std::string_view name;
  TypeId id;
};
constexpr Name kV3Names[] = {
    {"bool", TypeId::boolean},        {"int8", TypeId::int8},
    {"int16", TypeId::int16},         {"int32", TypeId::int32},
    {"int64", TypeId::int64},         {"uint8", TypeId::uint8},
    {"uint16", TypeId::uint16},       {"uint32", TypeId::uint32},
    {"uint64", TypeId::uint64},       {"float16", TypeId::float16},
    {"float32", TypeId::float32},     {"float64", TypeId::float64},
    {"complex64", TypeId::complex64}, {"complex128", TypeId::complex128},
};
// Types with a length in their configuration, and bytes per step of it.
constexpr Name kV3Sized[] = {
    {"fixed_length_utf32", TypeId::unicode}, {"null_terminated_bytes", TypeId::bytes}, {"raw_bytes", TypeId::raw}};
constexpr Name kV3Var[] = {{"string", TypeId::utf8}, {"variable_length_bytes", TypeId::blob}, {"bytes", TypeId::blob}};

template <std::size_t N>
const Name* named(const Name (&names)[N], std::string_view name) {
  const auto* it = std::find_if(std::begin(names), std::end(names), [&](const Name& n) { return n.name == name; });
  return it == std::end(names) ? nullptr : it;
}

std::uint64_t size_option(const Json& configuration, std::string_view key, std::string_view type) {
  const auto it = configuration.find(key);
  if (it == configuration.end() || !it->is_number_unsigned() || it->get<std::uint64_t>() > kLargestItem)
    fail(ErrorKind::corrupt, "data type {} has no valid '{}'", type, key);
  return it->get<std::uint64_t>();
}

Datatype v3_dtype_at(const Json& json, bool& var, int depth) {
  if (depth > kDeepest) fail(ErrorKind::corrupt, "record types nest deeper than {}", kDeepest);
  const bool object = json.is_object() && json.contains("name") && json["name"].is_string();
  if (!json.is_string() && !object)
    fail(ErrorKind::corrupt, "data_type {} is neither a name nor an object with one", dump_json(json));
  const std::string name = object ? json["name"].get<std::string>() : json.get<std::string>();
  const Json configuration = object && json.contains("configuration") && json["configuration"].is_object()
                                 ? json["configuration"]
                                 : Json::object();
  if (const Name* n = named(kV3Names, name)) return Datatype(n->id);
  if (const Name* n = named(kV3Var, name)) {
    var = true;
    return Datatype(n->id);
  }
  if (const Name* n = named(kV3Sized, name)) {
    const std::uint64_t size = size_option(configuration, "length_bytes", name);
    if (size == 0 || (n->id == TypeId::unicode && size % 4 != 0))
      fail(ErrorKind::corrupt, "data type {} has an item size of {} bytes", name, size);
    return Datatype(n->id, static_cast<std::uint32_t>(size));
  }
  if (name == "numpy.datetime64" || name == "numpy.timedelta64") {
    Datatype type(name == "numpy.datetime64" ? TypeId::datetime : TypeId::timedelta);
    const std::string unit = configuration.contains("unit") && configuration["unit"].is_string()
                                 ? configuration["unit"].get<std::string>()
                                 : "";
    type.unit = unit_from_name(unit == "\u03bcs" ? "us" : unit);
    if (type.unit == TimeUnit::none && unit != "generic")
      fail(ErrorKind::corrupt, "data type {} has unit '{}'", name, unit);
    type.unit_count = configuration.contains("scale_factor")
                          ? static_cast<std::uint32_t>(size_option(configuration, "scale_factor", name))
                          : 1;
    if (type.unit_count == 0) fail(ErrorKind::corrupt, "data type {} has a scale_factor of 0", name);
    return type;
  }
  if (name == "structured" || name == "struct") {
    const auto fields = configuration.find("fields");
    if (fields == configuration.end() || !fields->is_array())
      fail(ErrorKind::corrupt, "data type {} has no list of fields", name);
    std::vector<Field> out;
    for (const Json& entry : *fields) {
      const bool pair = entry.is_array() && entry.size() == 2 && entry[0].is_string();
      const bool keyed =
          entry.is_object() && entry.contains("name") && entry["name"].is_string() && entry.contains("data_type");
      if (!pair && !keyed) fail(ErrorKind::corrupt, "{} is not a field of a {} data type", dump_json(entry), name);
      bool field_var = false;
      Field field{pair ? entry[0].get<std::string>() : entry["name"].get<std::string>(),
                  v3_dtype_at(pair ? entry[1] : entry["data_type"], field_var, depth + 1), 0};
      if (field_var) fail(ErrorKind::unsupported, "field '{}' of a record has any length", field.name);
      out.push_back(std::move(field));
    }
    return record_of(std::move(out));
  }
  if (name.size() > 1 && name[0] == 'r') {  // r8, r16, ...: raw bits
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), bits);
    if (error == std::errc{} && end == name.data() + name.size() && bits % 8 == 0 && bits > 0 &&
        bits / 8 <= kLargestItem)
      return Datatype(TypeId::raw, static_cast<std::uint32_t>(bits / 8));
  }
  fail(ErrorKind::unsupported, "data type '{}' is not one that this build knows", name);
}

}  // namespace

Datatype numpy_dtype(const Json& json) { return numpy_dtype_at(json, 0); }

Json numpy_dtype_json(const Datatype& type) {
  if (type.id != TypeId::record) return numpy_string(type);
  Json out = Json::array();
  std::uint64_t at = 0;
  for (const Field& field : *type.fields) {
    if (field.offset != at)
      fail(ErrorKind::unsupported, "field '{}' begins at byte {} of the record; zarr stores records without gaps",
           field.name, field.offset);
    at += field.type.full_size();
    Datatype element = field.type;
    element.shape.clear();
    Json entry = Json::array({field.name, numpy_dtype_json(element)});
    if (!field.type.shape.empty()) entry.push_back(field.type.shape);
    out.push_back(std::move(entry));
  }
  if (at != type.size)
    fail(ErrorKind::unsupported, "the record has {} bytes behind its last field; zarr stores none", type.size - at);
  return out;
}

Datatype v3_dtype(const Json& json, bool& var) {
  var = false;
  return v3_dtype_at(json, var, 0);
}

Json v3_dtype_json(const Datatype& type, bool var) {
  if (var) return type.is_text() && type.size == 1 ? "string" : "variable_length_bytes";
  for (const Name& n : kV3Names)
    if (n.id == type.id) return n.name;
  for (const Name& n : kV3Sized)
    if (n.id == type.id) return {{"name", n.name}, {"configuration", {{"length_bytes", type.size}}}};
  if (type.is_date()) {
    const std::string_view unit = type.unit == TimeUnit::none ? "generic" : unit_name(type.unit);
    return {{"name", type.id == TypeId::datetime ? "numpy.datetime64" : "numpy.timedelta64"},
            {"configuration", {{"unit", unit}, {"scale_factor", type.unit_count}}}};
  }
  if (type.id == TypeId::record) {
    Json fields = Json::array();
    std::uint64_t at = 0;
    for (const Field& field : *type.fields) {
      if (field.offset != at || !field.type.shape.empty())
        fail(ErrorKind::unsupported, "field '{}' has a gap before it or a shape, which zarr 3 records lack",
             field.name);
      at += field.type.full_size();
      fields.push_back(Json::array({field.name, v3_dtype_json(field.type, false)}));
    }
    return {{"name", "structured"}, {"configuration", {{"fields", std::move(fields)}}}};
  }
  fail(ErrorKind::unsupported, "zarr 3 has no data type for {}", display_name(type));
}

}  // namespace tegula::zarr
