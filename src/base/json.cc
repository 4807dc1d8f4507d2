#include "base/json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "base/fail.h"

namespace tegula {

namespace {

// Replaces a bare NaN, Infinity or -Infinity for the parser, which knows only strict JSON. A control
// character cannot occur in a JSON string unescaped, and the escape is checked for below.
constexpr std::string_view kMark = "\\u0000tegula:";

struct Literal {
  std::string_view text;
  double value;
};
constexpr Literal kLiterals[] = {{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                 {"-Infinity", -std::numeric_limits<double>::infinity()},
                                 {"Infinity", std::numeric_limits<double>::infinity()}};

// Replaces the bare literals by marked strings. `moved` is false when there was nothing to replace.
std::string replace_literals(std::string_view text, bool& moved) {
  std::string out;
  bool quoted = false;
  moved = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    bool replaced = false;
    if (c == 'N' || c == 'I' || c == '-') {
      for (const Literal& literal : kLiterals) {
        if (text.substr(i, literal.text.size()) != literal.text) continue;
        out += fmt::format("\"{}{}\"", kMark, literal.text);
        i += literal.text.size() - 1;
        moved = replaced = true;
        break;
      }
    }
    if (!replaced) out += c;
  }
  return out;
}

void restore_literals(Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    constexpr std::size_t kPrefix = sizeof("\0tegula:") - 1;
    if (text.size() > kPrefix && std::string_view(text).substr(0, kPrefix) == std::string_view("\0tegula:", kPrefix))
      for (const Literal& literal : kLiterals)
        if (std::string_view(text).substr(kPrefix) == literal.text) {
          value = literal.value;
          return;
        }
  } else if (value.is_structured()) {
    for (auto& item : value) restore_literals(item);
  }
}

// Refuses nesting so deep that recursion over the document would overflow the stack.
void check_depth(std::string_view text, std::string_view name) {
  constexpr int kDeepest = 200;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) fail(ErrorKind::corrupt, "{} at byte {}: JSON nested deeper than {}", name, i, kDeepest);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    const std::size_t from = out.size();
    fmt::format_to(std::back_inserter(out), "{}", value);
    if (out.find_first_of(".eE", from) == std::string::npos) out += ".0";
  }
}

class Dumper {
 public:
  Dumper(const JsonStyle& style, std::string& out) : style_(style), out_(out) {}

  void dump(const Json& value, int depth) {
    if (value.is_object()) {
      dump_object(value, depth);
    } else if (value.is_array()) {
      open('[', value.empty());
      bool first = true;
      for (const Json& item : value) {
        separate(first, depth + 1);
        dump(item, depth + 1);
        first = false;
      }
      close(']', value.empty(), depth);
    } else if (value.is_number_float()) {
      append_number(out_, value.get<double>());
    } else {
      out_ += value.dump(-1, ' ', style_.ascii, Json::error_handler_t::replace);
    }
  }

 private:
  void dump_object(const Json& value, int depth) {
    std::vector<const std::string*> keys;
    for (const auto& item : value.items()) keys.push_back(&item.key());
    if (style_.sort_keys) std::sort(keys.begin(), keys.end(), [](auto* a, auto* b) { return *a < *b; });
    open('{', keys.empty());
    bool first = true;
    for (const std::string* key : keys) {
      separate(first, depth + 1);
      out_ += Json(*key).dump(-1, ' ', style_.ascii, Json::error_handler_t::replace);
      out_ += style_.spaces || style_.indent >= 0 ? ": " : ":";
      dump(value.at(*key), depth + 1);
      first = false;
    }
    close('}', keys.empty(), depth);
  }
  void open(char c, bool) { out_ += c; }
  void close(char c, bool empty, int depth) {
    if (!empty) line(depth);
    out_ += c;
  }
  void separate(bool first, int depth) {
    if (!first) out_ += style_.indent < 0 && style_.spaces ? ", " : ",";
    line(depth);
  }
  void line(int depth) {
    if (style_.indent < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth) * static_cast<std::size_t>(style_.indent), ' ');
  }

  const JsonStyle& style_;
  std::string& out_;
};

}  // namespace

Json parse_json(ByteView bytes, std::string_view name) {
  const std::string_view text = text_of(bytes);
  check_depth(text, name);
  bool moved = false;
  const std::string strict = replace_literals(text, moved);
  if (moved && text.find(kMark) != std::string_view::npos)
    fail(ErrorKind::corrupt, "{}: a string holds a reserved sequence", name);
  try {
    Json value = Json::parse(strict);
    if (moved) restore_literals(value);
    return value;
  } catch (const nlohmann::json::parse_error& e) {
    std::string_view reason = e.what();
    if (const std::size_t colon = reason.find(": "); colon != std::string_view::npos) reason.remove_prefix(colon + 2);
    fail(ErrorKind::corrupt, "{} at byte {}: not JSON: {}", name, e.byte ? e.byte - 1 : 0, reason);
  } catch (const nlohmann::json::out_of_range& e) {
    std::string_view reason = e.what();
    if (const std::size_t bracket = reason.find("] "); bracket != std::string_view::npos)
      reason.remove_prefix(bracket + 2);
    fail(ErrorKind::corrupt, "{}: {}", name, reason);
  }
}

std::string dump_json(const Json& value, const JsonStyle& style) {
  std::string out;
  Dumper(style, out).dump(value, 0);
  return out;
}

}  // namespace tegula
