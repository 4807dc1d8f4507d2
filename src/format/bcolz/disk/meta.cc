#include "format/bcolz/disk/meta.h"

#include <algorithm>

#include "base/datatype_names.h"
#include "base/fail.h"
#include "base/json.h"

namespace tegula::bcolz {

namespace {

constexpr std::size_t kMostAxes = 32;  // numpy 1's limit, and every bcolz ran on numpy 1

const Json& member(const Json& document, const char* key, const std::string& file) {
  const auto it = document.find(key);
  if (it == document.end()) fail(ErrorKind::corrupt, "'{}': \"{}\" is missing", file, key);
  return *it;
}

Json parse_object(ByteView text, const std::string& file) {
  if (text.empty()) fail(ErrorKind::corrupt, "'{}' is empty: its writer was interrupted", file);
  Json document = parse_json(text, file);
  if (!document.is_object())
    fail(ErrorKind::corrupt, "'{}': expected a JSON object, found {}", file, document.type_name());
  return document;
}

std::uint64_t whole_number(const Json& value, std::string_view what, const std::string& file) {
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0))
    fail(ErrorKind::corrupt, "'{}': {} is {}, expected a whole number", file, what, dump_json(value));
  return value.get<std::uint64_t>();
}

int number_in(const Json& value, int low, int high, std::string_view what, const std::string& file) {
  const std::uint64_t number = value.is_boolean() ? value.get<bool>() : whole_number(value, what, file);
  if (number < static_cast<std::uint64_t>(low) || number > static_cast<std::uint64_t>(high))
    fail(ErrorKind::corrupt, "'{}': {} is {}, expected {} to {}", file, what, number, low, high);
  return static_cast<int>(number);
}

Compression decode_compression(const Json& cparams, const std::string& file) {
  if (!cparams.is_object()) fail(ErrorKind::corrupt, "'{}': \"cparams\" is not a JSON object", file);
  Compression out;
  out.level = number_in(member(cparams, "clevel", file), 0, 9, "\"clevel\"", file);
  const Json& shuffle = member(cparams, "shuffle", file);
  out.shuffle_flag = shuffle.is_boolean();
  out.shuffle = number_in(shuffle, 0, 2, "\"shuffle\"", file);
  if (const auto it = cparams.find("cname"); it != cparams.end() && !it->is_null()) {
    if (!it->is_string()) fail(ErrorKind::corrupt, "'{}': \"cname\" is not text", file);
    // An unknown name does not matter for reading, since chunks name their codec themselves.
    out.cname = it->get<std::string>();
  }
  if (const auto it = cparams.find("quantize"); it != cparams.end() && !it->is_null())
    out.quantize = number_in(*it, 0, 64, "\"quantize\"", file);
  return out;
}

}  // namespace

Storage Storage::decode(ByteView text, const std::string& file) {
  const Json document = parse_object(text, file);
  Storage out;
  const Json& dtype = member(document, "dtype", file);
  if (!dtype.is_string()) fail(ErrorKind::corrupt, "'{}': \"dtype\" is not text", file);
  try {
    out.type = datatype_from_numpy(dtype.get<std::string>());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    fail(ErrorKind::unsupported, "'{}': dtype {} is not known", file, dump_json(dtype));
  }
  if (out.type.full_size() == 0 || !out.type.shape.empty())
    fail(ErrorKind::unsupported, "'{}': dtype {} is not an item of one or more bytes", file, dump_json(dtype));
  out.compression = decode_compression(member(document, "cparams", file), file);
  out.chunklen = whole_number(member(document, "chunklen", file), "\"chunklen\"", file);
  if (out.chunklen == 0) fail(ErrorKind::corrupt, "'{}': \"chunklen\" is 0, expected 1 or more", file);
  if (const auto it = document.find("expectedlen"); it != document.end() && it->is_number_unsigned())
    out.expectedlen = it->get<std::uint64_t>();
  if (const auto it = document.find("dflt"); it != document.end()) out.dflt = dump_json(*it);
  return out;
}

std::string Storage::encode() const {
  Json document;
  document["dtype"] = dtype_text(type);
  Json& cparams = document["cparams"];
  cparams["clevel"] = compression.level;
  cparams["shuffle"] = compression.shuffle;
  cparams["cname"] = compression.cname;
  cparams["quantize"] = compression.quantize;
  document["chunklen"] = chunklen;
  document["expectedlen"] = expectedlen;
  document["dflt"] = parse_json(bytes_of(dflt), "dflt");
  return dump_json(document) + "\n";
}

Sizes Sizes::decode(ByteView text, const std::string& file) {
  const Json document = parse_object(text, file);
  const Json& shape = member(document, "shape", file);
  Sizes out;
  if (shape.is_array()) {
    if (shape.empty() || shape.size() > kMostAxes)
      fail(ErrorKind::corrupt, "'{}': \"shape\" has {} axes, expected 1 to {}", file, shape.size(), kMostAxes);
    for (const Json& extent : shape) out.shape.push_back(whole_number(extent, "an extent of \"shape\"", file));
  } else {
    out.shape.push_back(whole_number(shape, "\"shape\"", file));
  }
  const auto hint = [&](const char* key) {
    const auto it = document.find(key);
    return it != document.end() && it->is_number_unsigned() ? it->get<std::uint64_t>() : 0;
  };
  out.nbytes = hint("nbytes");
  out.cbytes = hint("cbytes");
  return out;
}

std::string Sizes::encode() const {
  Json document;
  document["shape"] = shape;
  document["nbytes"] = nbytes;
  document["cbytes"] = cbytes;
  return dump_json(document) + "\n";
}

bool usable_column_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

std::vector<std::string> decode_column_names(ByteView text, const std::string& file) {
  const Json document = parse_object(text, file);
  const Json& names = member(document, "names", file);
  if (!names.is_array()) fail(ErrorKind::corrupt, "'{}': \"names\" is not a list", file);
  std::vector<std::string> out;
  for (const Json& name : names) {
    if (!name.is_string() || !usable_column_name(name.get_ref<const std::string&>()))
      fail(ErrorKind::corrupt, "'{}': {} is not the name of a column", file, dump_json(name));
    out.push_back(name.get<std::string>());
  }
  std::vector<std::string> sorted = out;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    fail(ErrorKind::corrupt, "'{}': column '{}' is named twice", file, *twice);
  return out;
}

std::string encode_column_names(const std::vector<std::string>& names) {
  Json document;
  document["names"] = names;
  return dump_json(document) + "\n";
}

std::string dtype_text(const Datatype& type) {
  std::string text = numpy_string(type);
  if (type.id > TypeId::timedelta || type.big_endian) return text;
  // Units are spelled the same in both: "<M8[25s]", "datetime64[25s]".
  const std::size_t unit = std::min(text.find('['), text.size());
  return std::string(simple_type(type.id).name) + text.substr(unit);
}

}  // namespace tegula::bcolz
