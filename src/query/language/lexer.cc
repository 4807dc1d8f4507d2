#include "query/language/lexer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/fail.h"

namespace tegula {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Bytes above 127 are letters: names may be in any script.
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

class Lexer {
 public:
  Lexer(std::string_view text, std::size_t position) : text_(text), at_(position) {}

  Token next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    begin_ = at_;
    if (at_ == text_.size()) return finish(TokenKind::end);
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '\'' || c == '"') return quoted(TokenKind::text);
    if (c == '`') return quoted(TokenKind::quoted_name);
    if ((c == 'b' || c == 'B' || c == 'u' || c == 'U') && (peek(1) == '\'' || peek(1) == '"')) {
      ++at_;
      return quoted(c == 'b' || c == 'B' ? TokenKind::bytes : TokenKind::text);
    }
    if (starts_name(c)) return name();
    return symbol();
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  [[noreturn]] void wrong(std::string_view what, std::size_t position) const {
    fail(ErrorKind::invalid_argument, "condition: {}{}", what, point_at(text_, position));
  }

  Token finish(TokenKind kind, Value value = {}) {
    return {kind, static_cast<std::uint32_t>(begin_), text_.substr(begin_, at_ - begin_), std::move(value)};
  }

  // Dots join the parts of a nested column's name, so "a.b" is one name.
  Token name() {
    while (at_ < text_.size() && (continues_name(text_[at_]) || (text_[at_] == '.' && starts_name(peek(1))))) ++at_;
    return finish(TokenKind::name);
  }

  Token symbol() {
    static constexpr std::string_view kSymbols[] = {"**", "//", "<=", ">=", "==", "!=", "<>", "&&", "||",
                                                    "<",  ">",  "&",  "|",  "~",  "+",  "-",  "*",  "/",
                                                    "%",  "(",  ")",  "[",  "]",  ",",  "=",  "!"};
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) == symbol) {
        at_ += symbol.size();
        return finish(TokenKind::symbol);
      }
    }
    wrong("a character that means nothing here", at_);
  }

  Token number() {
    int base = 10;
    if (text_[at_] == '0') {
      const char kind = static_cast<char>(peek(1) | 0x20);
      base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    }
    if (base != 10) {
      at_ += 2;
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, base);
      if (error != std::errc()) wrong("not a number of 64 bits", begin_);
      at_ = static_cast<std::size_t>(end - text_.data());
      return finish_number(integer(value));
    }
    bool fraction = false;
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      if (c == '.' || ((c == '+' || c == '-') && (text_[end - 1] | 0x20) == 'e') || (c | 0x20) == 'e') {
        fraction = true;
      } else if (!is_digit(c)) {
        break;
      }
      ++end;
    }
    const char* const first = text_.data() + at_;
    if (!fraction) {
      std::uint64_t value = 0;
      const auto [stop, error] = std::from_chars(first, text_.data() + end, value);
      if (error == std::errc()) {
        at_ = static_cast<std::size_t>(stop - text_.data());
        return finish_number(integer(value));
      }
    }
    double value = 0;
    auto [stop, error] = std::from_chars(first, text_.data() + end, value);
    if (error == std::errc::result_out_of_range) {
      value = std::strtod(std::string(first, stop).c_str(), nullptr);
      error = std::errc();
    }
    if (error != std::errc() || stop != text_.data() + end) wrong("not a number", begin_);
    at_ = end;
    return finish_number(value);
  }

  static Value integer(std::uint64_t value) {
    if (value <= INT64_MAX) return static_cast<std::int64_t>(value);
    return value;
  }

  Token finish_number(Value value) {
    if (at_ < text_.size() && continues_name(text_[at_])) wrong("a number runs into a name", at_);
    return finish(TokenKind::number, std::move(value));
  }

  Token quoted(TokenKind kind) {
    const char quote = text_[at_++];
    std::string out;
    for (;;) {
      if (at_ == text_.size()) wrong("a quote is not closed", begin_);
      const char c = text_[at_++];
      if (c == quote) break;
      if (c == '\\' && kind != TokenKind::quoted_name) {
        escape(kind, out);
      } else {
        out.push_back(c);
      }
    }
    return finish(kind, std::move(out));
  }

  void escape(TokenKind kind, std::string& out) {
    if (at_ == text_.size()) wrong("a quote is not closed", begin_);
    const char c = text_[at_++];
    static constexpr std::string_view kNames = "nrtabfv0\\'\"`";
    static constexpr std::string_view kMeanings = std::string_view("\n\r\t\a\b\f\v\0\\'\"`", 12);
    if (const std::size_t i = kNames.find(c); i != std::string_view::npos) {
      out.push_back(kMeanings[i]);
      return;
    }
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0 || (kind == TokenKind::bytes && c != 'x')) wrong("an unknown escape in quotes", at_ - 2);
    std::uint32_t value = 0;
    const char* const first = text_.data() + at_;
    const char* const last = first + std::min(digits, text_.size() - at_);
    const auto [end, error] = std::from_chars(first, last, value, 16);
    if (error != std::errc() || end != first + digits) wrong("an escape with too few hexadecimal digits", at_ - 2);
    at_ += digits;
    if (kind == TokenKind::bytes) {
      out.push_back(static_cast<char>(value));
    } else {
      if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        wrong("an escape that is no character", at_ - digits);
      append_utf8(value, out);
    }
  }

  static void append_utf8(std::uint32_t c, std::string& out) {
    const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3F))); };
    if (c < 0x80) {
      out.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
      out.push_back(static_cast<char>(0xC0 | (c >> 6)));
      tail(0);
    } else if (c < 0x10000) {
      out.push_back(static_cast<char>(0xE0 | (c >> 12)));
      tail(6), tail(0);
    } else {
      out.push_back(static_cast<char>(0xF0 | (c >> 18)));
      tail(12), tail(6), tail(0);
    }
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t begin_ = 0;
};

}  // namespace

Token next_token(std::string_view text, std::size_t position) { return Lexer(text, position).next(); }

std::string point_at(std::string_view text, std::size_t position) {
  constexpr std::size_t kAround = 60;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  position = std::min(position, text.size());
  std::size_t begin = position > kAround ? position - kAround : 0;
  std::size_t end = std::min(text.size(), position + kAround);
  while (begin > 0 && continues(text[begin])) --begin;
  while (end < text.size() && continues(text[end])) ++end;
  std::string shown(text.substr(begin, end - begin));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  // The caret stands under a character, and characters may take several bytes.
  const auto ahead =
      std::count_if(text.begin() + static_cast<std::ptrdiff_t>(begin),
                    text.begin() + static_cast<std::ptrdiff_t>(position), [&](char c) { return !continues(c); });
  return fmt::format(" at position {}\n  {}\n  {:>{}}", position, shown, '^', ahead + 1);
}

}  // namespace tegula
