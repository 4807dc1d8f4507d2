#include "query/language/parse_aggregates.h"

#include <algorithm>

#include "base/fail.h"
#include "query/language/lexer.h"

namespace tegula {
namespace {

// In the order of AggregateOp.
constexpr std::string_view kNames[] = {"count", "sum", "min", "max", "mean", "null_count", "std"};

std::string known_aggregates() {
  std::string out;
  for (const std::string_view name : kNames) (out += out.empty() ? "" : ", ") += name;
  return out;
}

class AggregatesParser {
 public:
  explicit AggregatesParser(std::string_view text) : text_(text), token_(next_token(text, 0)) {}

  std::vector<Aggregate> parse() {
    std::vector<Aggregate> out;
    do out.push_back(one());
    while (take(","));
    if (token_.kind != TokenKind::end) wrong("expected ',' or the end");
    return out;
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    fail(ErrorKind::invalid_argument, "aggregates: {}{}", what, point_at(text_, token_.position));
  }
  void advance() { token_ = next_token(text_, token_.position + token_.text.size()); }
  bool take(std::string_view symbol) {
    if (token_.kind != TokenKind::symbol || token_.text != symbol) return false;
    advance();
    return true;
  }
  std::string name(std::string_view what) {
    std::string out;
    if (token_.kind == TokenKind::name)
      out = token_.text;
    else if (token_.kind == TokenKind::quoted_name || token_.kind == TokenKind::text)
      out = std::get<std::string>(token_.value);
    else
      wrong(fmt::format("expected {}", what));
    advance();
    return out;
  }

  Aggregate one() {
    Aggregate aggregate;
    std::size_t begin = token_.position;
    std::string word = name("an aggregate such as count() or sum(x)");
    if (take("=")) {
      aggregate.name = std::move(word);
      begin = token_.position;
      word = name("an aggregate such as count() or sum(x)");
    }
    const auto op = find_aggregate(word);
    if (!op) wrong(fmt::format("'{}' is none of {}", word, known_aggregates()));
    aggregate.op = *op;
    if (!take("(")) wrong("expected '('");
    if (aggregate.op == AggregateOp::count)
      take("*");
    else
      aggregate.field = name("the name of a field");
    const std::size_t end = token_.position + 1;
    if (!take(")")) wrong("expected ')'");
    if (aggregate.name.empty()) aggregate.name = std::string(text_.substr(begin, end - begin));
    return aggregate;
  }

  std::string_view text_;
  Token token_;
};

}  // namespace

std::string_view name_of(AggregateOp op) { return kNames[static_cast<std::size_t>(op)]; }

std::optional<AggregateOp> find_aggregate(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return {};
  return static_cast<AggregateOp>(found - std::begin(kNames));
}

std::vector<Aggregate> parse_aggregates(std::string_view text) { return AggregatesParser(text).parse(); }

}  // namespace tegula
