#include "schema/meta_value.h"

#include <charconv>

#include "base/fail.h"
#include "base/json.h"
#include "base/utf8.h"
#include "query/request/cell_input.h"

namespace tegula::cli {

namespace {

// "2024-05-31", "-" and "3 m" are plain words, 1e400 is a number that does not fit.
bool looks_like_words(const std::string& text) {
  if (text[0] == '{' || text[0] == '[' || text[0] == '"') return false;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end != text.data() + text.size() || error != std::errc::result_out_of_range;
}

// What is not JSON is text: `meta set temps units K` means "K".
Json json_or_text(const std::string& text) {
  try {
    return parse_json(bytes_of(text), "the value");
  } catch (const Error&) {
    const bool meant_json =
        !text.empty() && std::string_view("{[\"-0123456789").find(text[0]) != std::string_view::npos;
    if (meant_json && !looks_like_words(text))
      fail(ErrorKind::invalid_argument, "'{}' is no JSON; text that begins like it goes in quotes: '\"...\"'", text);
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
    if (!decode_utf8(text))
      fail(ErrorKind::invalid_argument, "the value is not UTF-8, and the metadata of this format is JSON text");
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
