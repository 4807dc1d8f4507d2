// numpy's spellings of element types: short strings, names, and the text of Python lists and dicts for records.
#include <fmt/format.h>

#include <charconv>

#include "base/datatype_names.h"
#include "base/fail.h"
#include "tegula/datatype.h"

namespace tegula {

namespace {

constexpr std::string_view kUnits[] = {"", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};

// numpy refuses itemsizes beyond a C int; so do we, since they come from files.
constexpr std::uint64_t kLargestItem = 0x7FFFFFFF;

[[noreturn]] void unknown(std::string_view text) { fail(ErrorKind::unsupported, "dtype '{}' is not known", text); }

std::uint64_t number(std::string_view digits, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value > kLargestItem) unknown(text);
  return value;
}

// "[25s]" or "".
void parse_unit(Datatype& type, std::string_view bracket, std::string_view text) {
  if (bracket.empty() || bracket == "[generic]") return;
  if (bracket.size() < 3 || bracket.front() != '[' || bracket.back() != ']') unknown(text);
  bracket = bracket.substr(1, bracket.size() - 2);
  const std::size_t digits = std::min(bracket.find_first_not_of("0123456789"), bracket.size());
  if (digits > 0) type.unit_count = static_cast<std::uint32_t>(number(bracket.substr(0, digits), text));
  type.unit = unit_from_name(bracket.substr(digits));
  if (type.unit == TimeUnit::none || type.unit_count == 0) unknown(text);
}

Datatype parse_simple(std::string_view text) {
  std::string_view rest = text;
  bool big = false;
  if (!rest.empty() && (rest[0] == '<' || rest[0] == '>' || rest[0] == '|' || rest[0] == '=')) {
    big = rest[0] == '>';
    rest.remove_prefix(1);
  }
  // Names first: "int32", "datetime64[ns]".
  for (const SimpleType& row : simple_types()) {
    if (row.id > TypeId::timedelta && row.id != TypeId::object) continue;
    if (!rest.starts_with(row.name)) continue;
    const std::string_view tail = rest.substr(row.name.size());
    Datatype type(row.id);
    if (type.is_date() && (tail.empty() || tail[0] == '[')) {
      parse_unit(type, tail, text);
    } else if (!tail.empty()) {
      continue;
    }
    type.big_endian = big && type.size > 1;
    return type;
  }
  if (rest.empty()) unknown(text);
  const char kind = rest[0];
  rest.remove_prefix(1);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  std::uint64_t size = digits ? number(rest.substr(0, digits), text) : 0;
  const std::string_view tail = rest.substr(digits);
  Datatype type;
  if (kind == 'O' && tail.empty()) return Datatype(TypeId::object);
  if (kind == '?' && digits == 0 && tail.empty()) return Datatype(TypeId::boolean);
  if (kind == 'S' || kind == 'a' || kind == 'V' || kind == 'U') {
    if (!tail.empty()) unknown(text);
    if (kind == 'U') size *= 4;
    if (size > kLargestItem) unknown(text);
    type = Datatype(kind == 'U'   ? TypeId::unicode
                    : kind == 'V' ? TypeId::raw
                                  : TypeId::bytes,
                    static_cast<std::uint32_t>(size));
    type.big_endian = big && kind == 'U';
    return type;
  }
  for (const SimpleType& row : simple_types()) {
    if (row.id > TypeId::timedelta || row.kind != kind || row.size != size) continue;
    type = Datatype(row.id);
    if (type.is_date())
      parse_unit(type, tail, text);
    else if (!tail.empty())
      unknown(text);
    type.big_endian = big && type.size > 1;
    return type;
  }
  unknown(text);
}

// A reader of the few Python literals that str(dtype) prints: strings, integers, True/False, lists, tuples, dicts.
class PythonText {
 public:
  explicit PythonText(std::string_view text) : text_(text) {}

  Datatype type(int depth) {
    if (depth > 32) fail(ErrorKind::unsupported, "dtype '{}' is nested too deeply", text_);
    if (peek() == '[') return list(depth);
    if (peek() == '{') return dict(depth);
    if (peek() == '(') return tuple_type(depth);
    return parse_simple(string());
  }
  void end() {
    skip();
    if (at_ != text_.size()) unknown(text_);
  }

 private:
  // [('a', '<i4'), ('b', '<f8', (2,)), (('title', 'c'), 'i1')]
  Datatype list(int depth) {
    expect('[');
    auto fields = std::make_shared<std::vector<Field>>();
    std::uint64_t offset = 0;
    while (!accept(']')) {
      Field field;
      expect('(');
      field.name = field_name();
      expect(',');
      field.type = type(depth + 1);
      if (accept(',') && peek() != ')') append_shape(field.type);
      accept(',');
      expect(')');
      field.offset = static_cast<std::uint32_t>(offset);
      offset += field.type.full_size();
      if (offset > kLargestItem) unknown(text_);
      if (!field.name.empty() || field.type.id != TypeId::raw) fields->push_back(std::move(field));
      if (!accept(',') && peek() != ']') unknown(text_);
    }
    return record(std::move(fields), offset);
  }

  // {'names': [...], 'formats': [...], 'offsets': [...], 'titles': [...], 'itemsize': 16, 'aligned': True}
  Datatype dict(int depth) {
    expect('{');
    std::vector<std::string> names;
    std::vector<Datatype> formats;
    std::vector<std::uint64_t> offsets;
    std::optional<std::uint64_t> itemsize;
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "itemsize") {
        itemsize = integer();
      } else if (key == "aligned") {
        word();
      } else {
        expect('[');
        while (!accept(']')) {
          if (key == "names")
            names.push_back(field_name());
          else if (key == "formats")
            formats.push_back(type(depth + 1));
          else if (key == "offsets")
            offsets.push_back(integer());
          else if (key == "titles")
            peek() == '\'' || peek() == '"' ? void(string()) : word();
          else
            unknown(text_);
          if (!accept(',') && peek() != ']') unknown(text_);
        }
      }
      if (!accept(',') && peek() != '}') unknown(text_);
    }
    if (formats.size() != names.size() || (!offsets.empty() && offsets.size() != names.size())) unknown(text_);
    auto fields = std::make_shared<std::vector<Field>>();
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::uint64_t offset = offsets.empty() ? end : offsets[i];
      if (offset > kLargestItem || offset + formats[i].full_size() > kLargestItem) unknown(text_);
      fields->push_back({names[i], formats[i], static_cast<std::uint32_t>(offset)});
      end = std::max(end, offset + formats[i].full_size());
    }
    if (itemsize && *itemsize < end) unknown(text_);
    return record(std::move(fields), itemsize.value_or(end));
  }

  // ('<f8', (2,)) : a sub-array type
  Datatype tuple_type(int depth) {
    expect('(');
    Datatype inner = type(depth + 1);
    expect(',');
    append_shape(inner);
    accept(',');
    expect(')');
    return inner;
  }

  void append_shape(Datatype& type) {
    std::vector<std::uint32_t> shape;
    if (accept('(')) {
      while (!accept(')')) {
        shape.push_back(static_cast<std::uint32_t>(integer()));
        accept(',');
      }
    } else {
      shape.push_back(static_cast<std::uint32_t>(integer()));
    }
    type.shape.insert(type.shape.begin(), shape.begin(), shape.end());
    std::uint64_t size = type.size;
    for (const std::uint32_t extent : type.shape)
      if (size *= extent; size > kLargestItem) unknown(text_);
  }

  Datatype record(std::shared_ptr<std::vector<Field>> fields, std::uint64_t size) {
    if (fields->empty() || size > kLargestItem) unknown(text_);
    Datatype type(TypeId::record, static_cast<std::uint32_t>(size));
    type.fields = std::move(fields);
    return type;
  }

  std::string field_name() {
    if (!accept('(')) return string();
    string();  // the title
    expect(',');
    std::string name = string();
    expect(')');
    return name;
  }

  std::string string() {
    skip();
    if (at_ + 1 < text_.size() && (text_[at_] == 'u' || text_[at_] == 'b') &&
        (text_[at_ + 1] == '\'' || text_[at_ + 1] == '"'))
      ++at_;
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) unknown(text_);
    const char quote = text_[at_++];
    std::string out;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_++];
    }
    if (at_ >= text_.size()) unknown(text_);
    ++at_;
    return out;
  }

  std::uint64_t integer() {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    if (at_ == from) unknown(text_);
    return number(text_.substr(from, at_ - from), text_);
  }

  void word() {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ == from) unknown(text_);
  }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) unknown(text_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string record_string(const Datatype& type) {
  // A list says everything unless there are gaps between the fields.
  bool packed = true;
  std::uint64_t end = 0;
  for (const Field& field : *type.fields) {
    packed &= field.offset == end;
    end = field.offset + field.type.full_size();
  }
  packed &= end == type.size;
  auto inner = [](const Field& field) {
    Datatype element = field.type;
    element.shape.clear();
    return element.id == TypeId::record ? numpy_string(element) : in_quotes(numpy_string(element));
  };
  auto shape = [](const Field& field) {
    return fmt::format("({}{})", fmt::join(field.type.shape, ", "), field.type.shape.size() == 1 ? "," : "");
  };
  std::string text, names, formats, offsets;
  for (const Field& field : *type.fields) {
    const bool sub = !field.type.shape.empty();
    text += fmt::format("{}({}, {}{})", text.empty() ? "" : ", ", in_quotes(field.name), inner(field),
                        sub ? ", " + shape(field) : "");
    names += (names.empty() ? "" : ", ") + in_quotes(field.name);
    formats +=
        (formats.empty() ? "" : ", ") + (sub ? fmt::format("({}, {})", inner(field), shape(field)) : inner(field));
    offsets += (offsets.empty() ? "" : ", ") + std::to_string(field.offset);
  }
  if (packed) return "[" + text + "]";
  return fmt::format("{{'names': [{}], 'formats': [{}], 'offsets': [{}], 'itemsize': {}}}", names, formats, offsets,
                     type.size);
}

}  // namespace

std::string_view unit_name(TimeUnit unit) { return kUnits[static_cast<std::size_t>(unit)]; }

TimeUnit unit_from_name(std::string_view name) {
  if (name == "\xce\xbcs") return TimeUnit::us;
  for (std::size_t i = 1; i < std::size(kUnits); ++i)
    if (kUnits[i] == name) return static_cast<TimeUnit>(i);
  return TimeUnit::none;
}

std::string numpy_string(const Datatype& type) {
  if (type.id == TypeId::record && type.fields) return record_string(type);
  const char kind = simple_type(type.id).kind;
  if (kind == 'O') return "|O";
  const bool units = kind == 'U';
  const char order = kind == 'S' || kind == 'V' || (type.size == 1 && !units) ? '|' : type.big_endian ? '>' : '<';
  std::string text = fmt::format("{}{}{}", order, kind, units ? type.size / 4 : type.size);
  if (type.is_date() && type.unit != TimeUnit::none)
    text += fmt::format("[{}{}]", type.unit_count == 1 ? "" : std::to_string(type.unit_count), unit_name(type.unit));
  return text;
}

Datatype datatype_from_numpy(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (text.empty()) fail(ErrorKind::unsupported, "the dtype is empty");
  if (text.front() != '[' && text.front() != '{' && text.front() != '(') return parse_simple(text);
  PythonText python(text);
  Datatype type = python.type(0);
  python.end();
  return type;
}

Datatype parse_datatype(std::string_view text) {
  constexpr std::string_view kBig = " big-endian";
  bool big = false;
  std::string_view rest = text;
  if (rest.ends_with(kBig)) {
    big = true;
    rest.remove_suffix(kBig.size());
  }
  std::optional<std::uint64_t> length;
  const std::size_t bracket = rest.find('[');
  if (bracket != std::string_view::npos && bracket > 0 && rest.back() == ']') {
    std::uint64_t value = 0;
    const std::string_view digits = rest.substr(bracket + 1, rest.size() - bracket - 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc{} && end == digits.data() + digits.size() && value <= kLargestItem / 4) length = value;
  }
  for (const SimpleType& row : simple_types()) {
    const bool sized = row.id == TypeId::bytes || row.id == TypeId::unicode || row.id == TypeId::raw;
    if (row.id == TypeId::record || row.id == TypeId::object) continue;
    if (sized && length && rest.substr(0, bracket) == row.name) {
      Datatype type(row.id, static_cast<std::uint32_t>(*length * row.size));
      type.big_endian = big && row.id == TypeId::unicode;
      return type;
    }
    if (!sized && rest == row.name) {
      Datatype type(row.id);
      type.big_endian = big && type.size > 1;
      return type;
    }
  }
  try {
    Datatype type = datatype_from_numpy(rest);
    if (big) type.big_endian = type.size > 1;
    return type;
  } catch (const Error&) {
    fail(ErrorKind::invalid_argument,
         "'{}' is not a datatype; write for example int32, <f8, datetime64[ns], S7 or ascii", text);
  }
}

}  // namespace tegula
