#include "files/npy.h"

#include <algorithm>
#include <limits>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/utf8.h"
#include "query/language/int128.h"

namespace tegula::cli {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// The value of a key in the header's Python dict, up to the comma that ends it.
std::string_view dict_value(std::string_view dict, std::string_view key, const std::string& name) {
  const std::size_t at = dict.find("'" + std::string(key) + "'");
  const std::size_t colon = at == std::string_view::npos ? at : dict.find(':', at);
  if (colon == std::string_view::npos) fail(ErrorKind::corrupt, "{}: the header has no '{}'", name, key);
  std::size_t end = colon + 1;
  int depth = 0;
  char quote = 0;
  for (; end < dict.size(); ++end) {
    const char c = dict[end];
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == '(' || c == '[' || c == '{')
      ++depth;
    else if (depth == 0 && (c == ',' || c == '}'))
      break;
    else if (c == ')' || c == ']' || c == '}')
      --depth;
  }
  std::string_view value = dict.substr(colon + 1, end - colon - 1);
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  return value;
}

std::vector<std::uint64_t> parse_shape(std::string_view text, const std::string& name) {
  std::vector<std::uint64_t> shape;
  bool digit = false;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      if (!digit) shape.push_back(0);
      if (shape.back() > (std::numeric_limits<std::uint64_t>::max() - 9) / 10)
        fail(ErrorKind::corrupt, "{}: the shape {} is too large", name, text);
      shape.back() = shape.back() * 10 + static_cast<std::uint64_t>(c - '0');
    } else if (c == '-') {
      fail(ErrorKind::corrupt, "{}: the shape {} has a negative extent", name, text);
    }
    digit = c >= '0' && c <= '9';
  }
  return shape;
}

bool text_like(TypeId id) {
  return id == TypeId::character || id == TypeId::ascii || id == TypeId::utf8 || id == TypeId::wkt;
}

std::vector<std::uint32_t> code_points(std::string_view text, const std::string& name) {
  if (auto points = decode_utf8(text)) return *std::move(points);
  fail(ErrorKind::unsupported, "field '{}' holds bytes that are no text; use --json", name);
}

NpyArray text_as_unicode(const Column& column, std::uint64_t cells) {
  if (!text_like(column.type.id))
    fail(ErrorKind::unsupported, "field '{}' has cells of variable length, which numpy files cannot hold; use --json",
         column.name);
  std::size_t longest = 1;
  std::vector<std::vector<std::uint32_t>> texts(cells);
  for (std::uint64_t i = 0; i < cells; ++i) {
    if (column.valid(i)) texts[i] = code_points(text_of(column.cell(i)), column.name);
    longest = std::max(longest, texts[i].size());
  }
  NpyArray out;
  out.type = Datatype(TypeId::unicode, static_cast<std::uint32_t>(longest * 4));
  out.data.resize(cells * longest * 4);
  std::fill(out.data.begin(), out.data.end(), std::byte{0});
  for (std::uint64_t i = 0; i < cells; ++i)
    for (std::size_t k = 0; k < texts[i].size(); ++k) store_le(out.data.data() + (i * longest + k) * 4, texts[i][k]);
  return out;
}

}  // namespace

NpyArray read_npy(ByteView file, const std::string& name) {
  Cursor in(file, name);
  if (text_of(in.bytes(kMagic.size(), "the magic of a .npy file")) != kMagic) in.fail_at(0, "not a .npy file");
  const auto major = in.read<std::uint8_t>();
  in.skip(1);
  const std::uint64_t length = major == 1 ? in.read<std::uint16_t>() : in.read<std::uint32_t>();
  const std::string dict = in.string(length, "the header");
  NpyArray out;
  std::string_view descr = dict_value(dict, "descr", name);
  if (descr.size() >= 2 && descr.front() == '\'') descr = descr.substr(1, descr.size() - 2);
  out.type = datatype_from_numpy(descr);
  if (out.type.id == TypeId::object)
    fail(ErrorKind::unsupported, "{} holds Python objects (pickled), which are not read", name);
  out.fortran = dict_value(dict, "fortran_order", name) == "True";
  out.shape = parse_shape(dict_value(dict, "shape", name), name);
  Int128 bytes = out.type.full_size();
  for (const std::uint64_t n : out.shape) {
    bytes *= n;
    if (bytes > in.remaining()) break;
  }
  if (bytes != in.remaining())
    in.fail("the shape asks for another number of bytes than the {} that follow", in.remaining());
  out.data = copy_of(in.rest());
  return out;
}

std::string npy_header(const Datatype& type, const std::vector<std::uint64_t>& shape, bool room) {
  std::string descr = numpy_string(type);
  if (descr.empty() || descr[0] != '[') descr = "'" + descr + "'";
  std::string axes;
  for (const std::uint64_t n : shape) axes += fmt::format("{}{}", n, shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) axes.resize(axes.size() - 2);
  std::string dict = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", descr, axes);
  const std::size_t most = room ? dict.size() - axes.size() + 22 * shape.size() : dict.size();
  const std::size_t before = most + 11 > 65000 ? 12 : 10;
  const std::size_t total = (before + most + 1 + 63) / 64 * 64;
  dict.append(total - before - dict.size() - 1, ' ');
  dict += '\n';
  std::string out(kMagic);
  out += before == 12 ? '\x02' : '\x01';
  out += '\0';
  for (std::size_t i = 0; i < before - 8; ++i) out += static_cast<char>(dict.size() >> (8 * i) & 255);
  return out + dict;
}

std::optional<NpyArray> npy_layout(const Column& column) {
  if (column.var()) return std::nullopt;
  NpyArray out;
  out.type = column.type;
  if (text_like(column.type.id))
    out.type = Datatype(TypeId::bytes, column.values_per_cell * column.type.size);
  else if (column.type.is_text() || (column.type.id >= TypeId::any && column.type.id <= TypeId::wkt))
    out.type = Datatype(TypeId::raw, static_cast<std::uint32_t>(column.cell_size()));
  else if (column.values_per_cell != 1)
    out.shape.push_back(column.values_per_cell);
  return out;
}

NpyArray npy_of(const Column& column, std::uint64_t cells, const std::vector<std::uint64_t>& shape) {
  NpyArray out;
  if (auto layout = npy_layout(column)) {
    out = *std::move(layout);
    out.data = column.data;
  } else {
    out = text_as_unicode(column, cells);
  }
  out.shape.insert(out.shape.begin(), shape.begin(), shape.end());
  return out;
}

}  // namespace tegula::cli
