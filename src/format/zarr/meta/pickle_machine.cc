#include "format/zarr/meta/pickle_machine.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/datatype_names.h"
#include "base/fail.h"
#include "base/product.h"

namespace tegula::zarr {

namespace {

using Kind = PickleNode::Kind;

constexpr std::uint64_t kLargestItem = 1u << 30;

[[noreturn]] void damaged(std::string_view what) { fail(ErrorKind::corrupt, "the pickle {}", what); }

// One line up to, and without, its end.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) damaged("ends inside a line");
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::uint32_t hex_digits(std::string_view text, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  const char* first = text.data() + at;
  if (text.size() < at + count || std::from_chars(first, first + count, value, 16).ptr != first + count)
    damaged("has a bad escape in a text");
  return value;
}

// Python's raw-unicode-escape: \uXXXX and \UXXXXXXXX, everything else latin-1.
std::u32string unicode_line(std::string_view line) {
  std::u32string out;
  for (std::size_t i = 0; i < line.size();) {
    const bool escape = line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == 'u' || line[i + 1] == 'U');
    const std::size_t digits = escape ? (line[i + 1] == 'u' ? 4 : 8) : 0;
    out += escape ? static_cast<char32_t>(hex_digits(line, i + 2, digits))
                  : static_cast<char32_t>(static_cast<unsigned char>(line[i]));
    i += escape ? 2 + digits : 1;
  }
  return out;
}

// The repr of a Python 2 string.
std::u32string quoted_line(std::string_view line) {
  if (line.size() < 2 || (line.front() != '\'' && line.front() != '"') || line.back() != line.front())
    damaged("has a text without quotes");
  line = line.substr(1, line.size() - 2);
  std::u32string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char32_t c = static_cast<unsigned char>(line[i]);
    if (line[i] == '\\') {
      if (++i == line.size()) damaged("has a bad escape in a text");
      switch (line[i]) {
        case 'n':
          c = '\n';
          break;
        case 't':
          c = '\t';
          break;
        case 'r':
          c = '\r';
          break;
        case '\\':
        case '\'':
        case '"':
          c = static_cast<unsigned char>(line[i]);
          break;
        case 'x':
          c = hex_digits(line, i + 1, 2);
          i += 2;
          break;
        default:
          damaged("has a bad escape in a text");
      }
    }
    out += c;
  }
  return out;
}

std::size_t memo_index(std::string_view line) {
  std::size_t index = 0;
  if (line.empty() || std::from_chars(line.data(), line.data() + line.size(), index).ptr != line.data() + line.size())
    damaged("has a bad memo number");
  return index;
}

void integer_line(std::string_view line, PickleNode& out) {
  if (line.ends_with('L')) line.remove_suffix(1);
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, out.integer);
  if (error == std::errc{} && stop == end && !line.empty()) return;
  std::uint64_t large = 0;
  if (error != std::errc::result_out_of_range || std::from_chars(line.data(), end, large).ec != std::errc{})
    damaged("has a bad integer");
  out.integer = static_cast<std::int64_t>(large);
  out.large = true;
}

double real_line(std::string_view line) {
  if (line == "nan") return NAN;
  if (line == "inf") return HUGE_VAL;
  if (line == "-inf") return -HUGE_VAL;
  double value = 0;
  if (line.empty() || std::from_chars(line.data(), line.data() + line.size(), value).ptr != line.data() + line.size())
    damaged("has a bad number");
  return value;
}

bool is_int(const PickleNode& node) {
  return (node.kind == Kind::integer || node.kind == Kind::boolean) && !node.large;
}

// (unit, count, denominator, event) at the end of the ninth entry of a dtype's state.
void date_unit(const PickleNode& metadata, Datatype& type) {
  if (metadata.kind != Kind::sequence || metadata.items.empty()) damaged("has a date type without a unit");
  const PickleNode& unit = *metadata.items.back();
  if (unit.kind != Kind::sequence || unit.items.size() < 2 || !is_int(*unit.items[1]) || unit.items[1]->integer < 1 ||
      unit.items[1]->integer > INT32_MAX)
    damaged("has a date type without a unit");
  const std::string name = unit.items[0]->utf8();
  type.unit = unit_from_name(name);
  if (type.unit == TimeUnit::none && name != "generic") damaged("has a date type of an unknown unit");
  type.unit_count = static_cast<std::uint32_t>(unit.items[1]->integer);
}

std::vector<Field> record_fields(const PickleNode& names, const PickleNode& fields, std::uint32_t size) {
  std::vector<Field> out;
  if (fields.kind != Kind::dict) damaged("has a record type without fields");
  for (const PickleNode* name : names.items) {
    const PickleNode* field = fields.find(name->utf8());
    if (!field || field->kind != Kind::sequence || field->items.size() < 2 || field->items[0]->kind != Kind::dtype ||
        !is_int(*field->items[1]))
      damaged("has a record type without the field that it names");
    const Datatype& type = field->items[0]->type;
    const std::int64_t offset = field->items[1]->integer;
    if (offset < 0 || static_cast<std::uint64_t>(offset) + type.full_size() > size)
      damaged("has a field outside of its record");
    out.push_back({name->utf8(), type, static_cast<std::uint32_t>(offset)});
  }
  return out;
}

}  // namespace

std::string PickleNode::utf8() const {
  if (kind != Kind::text && kind != Kind::bytes) damaged("has something else where a text belongs");
  std::string out;
  for (const char32_t c : text) {
    if (c < 0x80) {
      out += static_cast<char>(c);
      continue;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr unsigned char kLead[] = {0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(kLead[more] | (c >> (6 * more) & (0x3f >> more)));
    for (int k = more; k-- > 0;) out += static_cast<char>(0x80 | (c >> (6 * k) & 0x3f));
  }
  return out;
}

const PickleNode* PickleNode::find(std::string_view key) const {
  const PickleNode* found = nullptr;
  for (const auto& [k, v] : entries)
    if ((k->kind == Kind::text || k->kind == Kind::bytes) && k->utf8() == key) found = v;
  return found;
}

PickleNode* PickleMachine::make(Kind kind) {
  nodes_.emplace_back().kind = kind;
  return &nodes_.back();
}

PickleNode* PickleMachine::pop() {
  if (stack_.empty() || stack_.back()->kind == Kind::mark) damaged("takes more than it has");
  PickleNode* top = stack_.back();
  stack_.pop_back();
  return top;
}

std::vector<PickleNode*> PickleMachine::pop_to_mark() {
  std::size_t at = stack_.size();
  while (at > 0 && stack_[at - 1]->kind != Kind::mark) --at;
  if (at == 0) damaged("has no mark where one is needed");
  std::vector<PickleNode*> out(stack_.begin() + static_cast<std::ptrdiff_t>(at), stack_.end());
  stack_.resize(at - 1);
  return out;
}

PickleNode* PickleMachine::reduce(const PickleNode& global, const PickleNode& arguments) {
  if (global.kind != Kind::global || arguments.kind != Kind::sequence)
    damaged("calls something that is not a function");
  const auto& args = arguments.items;
  if (global.text == U"numpy dtype") {
    if (args.empty()) damaged("makes a dtype of nothing");
    PickleNode* out = make(Kind::dtype);
    out->type = datatype_from_numpy(args[0]->utf8());
    return out;
  }
  if (global.text == U"_codecs encode") {
    if (args.size() != 2 || args[0]->kind != Kind::text || args[1]->utf8() != "latin1")
      damaged("encodes a text in an unexpected way");
    for (const char32_t c : args[0]->text)
      if (c > 0xff) damaged("has bytes above 255");
    PickleNode* out = make(Kind::bytes);
    out->text = args[0]->text;
    return out;
  }
  if (global.text == U"__builtin__ complex") {
    PickleNode* out = make(Kind::complex);
    double* const parts[] = {&out->real, &out->imaginary};
    if (args.size() != 2) damaged("makes a complex number of other than two parts");
    for (std::size_t i = 0; i < 2; ++i) {
      if (args[i]->kind != Kind::real && !is_int(*args[i]))
        damaged("makes a complex number of something else than numbers");
      *parts[i] = args[i]->kind == Kind::real ? args[i]->real : static_cast<double>(args[i]->integer);
    }
    return out;
  }
  // numpy's scalar, the only other global that run() accepts.
  if (args.size() != 2 || args[0]->kind != Kind::dtype || (args[1]->kind != Kind::bytes && args[1]->kind != Kind::text))
    damaged("makes a scalar of something else than a dtype and bytes");
  PickleNode* out = make(Kind::scalar);
  out->type = args[0]->type;
  for (const char32_t c : args[1]->text) {
    if (c > 0xff) damaged("has bytes above 255");
    out->data.push_back(static_cast<std::byte>(c));
  }
  if (out->data.size() != out->type.full_size()) damaged("has a scalar of the wrong size");
  return out;
}

void PickleMachine::build(PickleNode& object, const PickleNode& state) {
  if (object.kind != Kind::dtype || state.kind != Kind::sequence || state.items.size() < 8)
    damaged("sets the state of something else than a dtype");
  const auto& items = state.items;
  const std::string order = items[1]->utf8();
  Datatype& type = object.type;
  const PickleNode &subtype = *items[2], &names = *items[3], &size = *items[5];
  if (is_int(size) && size.integer > 0) {
    if (size.integer > static_cast<std::int64_t>(kLargestItem)) damaged("has a dtype of more than 2^30 bytes");
    type.size = static_cast<std::uint32_t>(size.integer);
  }
  type.big_endian = order == ">" && type.size > 1;
  if (subtype.kind == Kind::sequence) {
    if (subtype.items.size() != 2 || subtype.items[0]->kind != Kind::dtype) damaged("has a sub-array without a type");
    const PickleNode& axes = *subtype.items[1];
    Datatype element = subtype.items[0]->type;
    std::uint64_t bytes = std::max<std::uint64_t>(element.full_size(), 1);
    for (const PickleNode* axis :
         axes.kind == Kind::sequence ? axes.items : std::vector<PickleNode*>{subtype.items[1]}) {
      if (!is_int(*axis) || axis->integer < 1) damaged("has a sub-array of an impossible shape");
      const auto product = checked_product(bytes, static_cast<std::uint64_t>(axis->integer), kLargestItem);
      if (!product) damaged("has a sub-array of an impossible shape");
      bytes = *product;
      element.shape.push_back(static_cast<std::uint32_t>(axis->integer));
    }
    type = element;
  } else if (names.kind == Kind::sequence) {
    type.id = TypeId::record;
    type.fields = std::make_shared<const std::vector<Field>>(record_fields(names, *items[4], type.size));
  }
  if (type.is_date() && items.size() > 8) date_unit(*items[8], type);
}

const PickleNode& PickleMachine::run(ByteView pickle, std::string_view name) {
  constexpr std::u32string_view kGlobals[] = {U"numpy dtype", U"_codecs encode", U"__builtin__ complex",
                                              U"numpy.core.multiarray scalar", U"numpy._core.multiarray scalar"};
  std::string_view rest = text_of(pickle);
  auto push = [&](PickleNode* node) {
    stack_.push_back(node);
    return node;
  };
  auto sequence = [&](std::vector<PickleNode*> items) {
    PickleNode* node = make(Kind::sequence);
    node->items = std::move(items);
    push(node);
  };
  while (!rest.empty()) {
    const char opcode = rest.front();
    rest.remove_prefix(1);
    switch (opcode) {
      case '(':
        push(make(Kind::mark));
        break;
      case 't':
      case 'l':
        sequence(pop_to_mark());
        break;
      case 'd': {
        const std::vector<PickleNode*> items = pop_to_mark();
        PickleNode* node = make(Kind::dict);
        if (items.size() % 2 != 0) damaged("has a dict of an odd number of items");
        for (std::size_t i = 0; i < items.size(); i += 2) node->entries.emplace_back(items[i], items[i + 1]);
        push(node);
        break;
      }
      case 'a': {
        PickleNode* item = pop();
        PickleNode* list = pop();
        if (list->kind != Kind::sequence) damaged("appends to something that is not a list");
        list->items.push_back(item);
        push(list);
        break;
      }
      case 's': {
        PickleNode* value = pop();
        PickleNode* key = pop();
        PickleNode* dict = pop();
        if (dict->kind != Kind::dict) damaged("sets an item of something that is not a dict");
        dict->entries.emplace_back(key, value);
        push(dict);
        break;
      }
      case 'p': {
        const std::size_t index = memo_index(take_line(rest));
        // Every put takes some bytes of the pickle, so a number above the size of the pickle is damage.
        if (stack_.empty() || index > pickle.size()) damaged("puts an object under a number that cannot occur");
        if (memo_.size() <= index) memo_.resize(index + 1, nullptr);
        memo_[index] = stack_.back();
        break;
      }
      case 'g': {
        const std::size_t index = memo_index(take_line(rest));
        if (index >= memo_.size() || !memo_[index] || memo_[index]->kind == Kind::mark)
          damaged("gets an object that was not put");
        push(memo_[index]);
        break;
      }
      case 'V':
        push(make(Kind::text))->text = unicode_line(take_line(rest));
        break;
      case 'S':
        push(make(Kind::text))->text = quoted_line(take_line(rest));
        break;
      case 'I': {
        const std::string_view line = take_line(rest);
        PickleNode* node = make(line == "00" || line == "01" ? Kind::boolean : Kind::integer);
        integer_line(line, *node);
        push(node);
        break;
      }
      case 'L': {
        PickleNode* node = make(Kind::integer);
        integer_line(take_line(rest), *node);
        push(node);
        break;
      }
      case 'F':
        push(make(Kind::real))->real = real_line(take_line(rest));
        break;
      case 'N':
        push(make(Kind::none));
        break;
      case 'c': {
        std::u32string global = unicode_line(take_line(rest));
        global += U' ';
        global += unicode_line(take_line(rest));
        if (std::find(std::begin(kGlobals), std::end(kGlobals), global) == std::end(kGlobals)) {
          PickleNode* node = make(Kind::text);
          node->text = global;
          fail(ErrorKind::unsupported,
               "{} asks for '{}', which no zarr metadata needs; a pickle can run code, so it is refused", name,
               node->utf8());
        }
        push(make(Kind::global))->text = std::move(global);
        break;
      }
      case 'R': {
        const PickleNode* arguments = pop();
        const PickleNode* global = pop();
        push(reduce(*global, *arguments));
        break;
      }
      case 'b': {
        const PickleNode* state = pop();
        PickleNode* object = pop();
        build(*object, *state);
        push(object);
        break;
      }
      case '.':
        return *pop();
      default:
        fail(ErrorKind::unsupported, "{} holds pickle opcode {:#04x}, which zarr 0.3.0 does not write", name,
             static_cast<unsigned>(static_cast<unsigned char>(opcode)));
    }
  }
  damaged("ends before its stop opcode");
}

}  // namespace tegula::zarr
