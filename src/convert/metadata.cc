#include "convert/metadata.h"

#include <fmt/format.h>

#include "base/endian.h"
#include "base/json.h"
#include "base/utf8.h"
#include "query/language/literal.h"
#include "tegula/capabilities.h"

namespace tegula {

namespace {

Json number_json(const Datatype& type, const std::byte* at) {
  if (type.id == TypeId::boolean) return *at != std::byte{0};
  if (type.is_float()) return load_real(type, at);
  const Int128 value = load_integer(type, at);
  if (value > INT64_MAX) return static_cast<std::uint64_t>(value);
  return static_cast<std::int64_t>(value);
}

Json typed_json(const MetaValue& value) {
  const Datatype& type = value.type;
  const bool number = type.is_integer() || type.is_float() || type.is_date() || type.id == TypeId::boolean;
  if (number && value.data.size() == std::uint64_t{value.count} * type.size) {
    if (value.count == 1) return number_json(type, value.data.data());
    Json list = Json::array();
    for (std::uint32_t i = 0; i < value.count; ++i)
      list.push_back(number_json(type, value.data.data() + i * type.size));
    return list;
  }
  const std::string text(text_of(value.data));
  if (type.is_text() && decode_utf8(text)) return text;
  std::string hex;
  for (const std::byte b : value.data) hex += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return {{"hex", hex}};
}

MetaValue json_text(std::string text) {
  MetaValue out;
  out.json = true;
  out.data = copy_of(bytes_of(text));
  return out;
}

template <class T>
MetaValue scalar(TypeId type, T value) {
  MetaValue out;
  out.type = type;
  out.count = 1;
  out.data.resize(sizeof(T));
  store_le(out.data.data(), value);
  return out;
}

MetaValue json_typed(const MetaValue& value, const std::string& key) {
  const Json json = parse_json(value.data, key);
  if (json.is_boolean()) return scalar(TypeId::boolean, static_cast<std::uint8_t>(json.get<bool>()));
  if (json.is_number_float()) return scalar(TypeId::float64, json.get<double>());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return scalar(TypeId::uint64, json.get<std::uint64_t>());
  if (json.is_number()) return scalar(TypeId::int64, json.get<std::int64_t>());
  MetaValue out;
  out.type = TypeId::utf8;
  const std::string text = json.is_string() ? json.get<std::string>() : dump_json(json);
  out.data = copy_of(bytes_of(text));
  out.count = static_cast<std::uint32_t>(out.data.size());
  return out;
}

}  // namespace

std::map<std::string, std::optional<MetaValue>> metadata_for(const Metadata& metadata, std::string_view format) {
  std::map<std::string, std::optional<MetaValue>> out;
  const bool typed = capabilities(format).typed_metadata;
  for (const auto& [key, value] : metadata) {
    if (value.json == !typed)
      out[key] = value;
    else if (typed)
      out[key] = json_typed(value, key);
    else
      out[key] = json_text(dump_json(typed_json(value)));
  }
  return out;
}

}  // namespace tegula
