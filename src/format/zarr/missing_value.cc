#include "format/zarr/missing_value.h"

#include "base/endian.h"
#include "base/json.h"
#include "format/zarr/meta/base64.h"
#include "query/language/literal.h"
#include "query/request/cell_input.h"
#include "tegula/error.h"

namespace tegula::zarr {

namespace {

constexpr const char* kAttribute = "_FillValue";
constexpr const char* kWrittenByXarray = "_ARRAY_DIMENSIONS";

MetaValue json_value(const Json& value) {
  MetaValue out;
  out.json = true;
  out.data = copy_of(bytes_of(dump_json(value)));
  return out;
}

bool plain_number(const Attribute& attribute) {
  return attribute.values_per_cell == 1 && (attribute.type.is_integer() || attribute.type.is_float());
}

}  // namespace

std::optional<MetaValue> missing_value(const Array& array) {
  const Schema& schema = array.schema();
  if (schema.attributes.size() != 1 || !plain_number(schema.attributes[0])) return std::nullopt;
  const Attribute& attribute = schema.attributes[0];
  const Metadata metadata = array.metadata();
  if (const auto found = metadata.find(kAttribute); found != metadata.end()) {
    const Json stored = parse_json(found->second.data, kAttribute);
    if (stored.is_number()) return found->second;
    if (!stored.is_string() || !attribute.type.is_float()) return std::nullopt;
    const std::optional<Bytes> bytes = base64_decode(stored.get<std::string>());
    if (!bytes || bytes->size() != sizeof(double)) return std::nullopt;
    return json_value(load_le<double>(bytes->data()));
  }
  if (!metadata.contains(kWrittenByXarray) || !attribute.fill_defined || attribute.fill.size() != attribute.cell_size())
    return std::nullopt;
  if (attribute.type.is_float()) return json_value(load_real(attribute.type, attribute.fill.data()));
  const Int128 number = load_integer(attribute.type, attribute.fill.data());
  if (number > INT64_MAX) return json_value(static_cast<std::uint64_t>(number));
  return json_value(static_cast<std::int64_t>(number));
}

void mark_missing(Schema& schema, const MetaValue& value, std::map<std::string, std::optional<MetaValue>>& metadata) {
  if (schema.attributes.size() != 1 || !plain_number(schema.attributes[0])) return;
  Attribute& attribute = schema.attributes[0];
  const Json number = parse_json(value.data, kAttribute);
  if (!number.is_number()) return;
  if (schema.format == "zarr2") {
    Bytes fill;
    try {
      append_value(fill, attribute.type, number);
    } catch (const Error&) {
      return;  // a value that no cell can have marks none
    }
    attribute.fill = std::move(fill);
    attribute.fill_defined = true;
    metadata.erase(kAttribute);
  } else if (schema.format == "zarr3" && attribute.type.is_float()) {
    Bytes bytes(sizeof(double));
    store_le(bytes.data(), number.get<double>());
    metadata[kAttribute] = json_value(base64_encode(bytes));
  } else {
    metadata[kAttribute] = value;
  }
}

}  // namespace tegula::zarr
