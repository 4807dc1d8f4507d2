#include "meta_value.h"

#include "base/fail.h"
#include "base/json.h"
#include "cell_input.h"

namespace tegula::cli {

namespace {

// Words that are no JSON are text: `meta set temps units K` means "K".
Json json_or_text(const std::string& text) {
  try {
    return parse_json(bytes_of(text), "the value");
  } catch (const Error&) {
    const bool meant_json = !text.empty() && (text[0] == '{' || text[0] == '[' || text[0] == '"');
    if (meant_json) fail(ErrorKind::invalid_argument, "'{}' is no JSON", text);
    return text;
  }
}

Datatype natural_type(const Json& value) {
  const Json& one = value.is_array() && !value.empty() ? value[0] : value;
  if (one.is_string()) return TypeId::utf8;
  if (one.is_boolean()) return TypeId::boolean;
  if (one.is_number_float()) return TypeId::float64;
  if (one.is_number_unsigned() && one.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    return TypeId::uint64;
  if (one.is_number()) return TypeId::int64;
  fail(ErrorKind::invalid_argument, "TileDB metadata holds numbers, lists of numbers and text");
}

}  // namespace

MetaValue meta_value(const std::string& text, const std::string& type, bool typed) {
  const Json value = json_or_text(text);
  MetaValue out;
  if (!typed) {
    if (!type.empty()) fail(ErrorKind::invalid_argument, "--type is for TileDB; other formats hold JSON");
    out.json = true;
    out.data = copy_of(bytes_of(dump_json(value)));
    return out;
  }
  out.type = type.empty() ? natural_type(value) : parse_datatype(type);
  if (value.is_string() && out.type.is_text()) {
    out.data = copy_of(bytes_of(value.get<std::string>()));
  } else if (value.is_array()) {
    for (const Json& one : value) append_value(out.data, out.type, one);
  } else {
    append_value(out.data, out.type, value);
  }
  out.count = static_cast<std::uint32_t>(out.data.size() / out.type.size);
  return out;
}

}  // namespace tegula::cli
