#include "query/language/expression.h"

#include <algorithm>
#include <array>

#include "base/fail.h"
#include "query/language/lexer.h"

namespace tegula {
namespace {

constexpr std::size_t kMaxText = 4 << 20;
constexpr int kMaxDepth = 200;   // of parentheses, signs and nots
constexpr int kMaxHeight = 400;  // of the tree; the first operands of chains of calculations do not count

constexpr std::string_view kTighter =
    "'&' and '|' bind tighter than comparisons, as in Python: write (a > 1) & (b < 2), or use 'and' and 'or'";

bool is_condition(NodeKind kind) {
  switch (kind) {
    case NodeKind::compare:
    case NodeKind::in:
    case NodeKind::not_in:
    case NodeKind::all:
    case NodeKind::any:
    case NodeKind::negation:
      return true;
    default:
      return false;
  }
}

bool is_field_or_boolean(NodeKind kind) { return kind == NodeKind::field || kind == NodeKind::boolean; }

// -x of a literal, as a literal. 2^63 is written as a minus and a number that does not fit int64.
Value negative(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) {
    if (*i == INT64_MIN) return std::uint64_t{1} << 63;
    return -*i;
  }
  if (const auto* u = std::get_if<std::uint64_t>(&value)) {
    if (*u == std::uint64_t{1} << 63) return std::int64_t{INT64_MIN};
    return -static_cast<double>(*u);
  }
  return -std::get<double>(value);
}

class Parser {
 public:
  explicit Parser(std::string_view text) {
    out_.text = text;
    token_ = next_token(out_.text, 0);
  }

  Expression parse() {
    const std::uint32_t root = disjunction();
    if (token_.kind != TokenKind::end) unexpected("the end, 'and' or 'or'");
    require_condition(root, "a condition");
    // The root is the last node by contract; a lone literal or field may have been followed by nothing else.
    if (root + 1 != out_.nodes.size()) out_.nodes.push_back(out_.nodes[root]);
    return std::move(out_);
  }

 private:
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth)
        parser_.wrong(parser_.token_.position, fmt::format("nested too deeply ({} levels at most)", kMaxDepth));
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void wrong(std::size_t position, std::string_view what) const {
    fail(ErrorKind::invalid_argument, "condition: {}{}", what, point_at(out_.text, position));
  }
  [[noreturn]] void unexpected(std::string_view expected) const {
    if (is_symbol("=")) wrong(token_.position, "'=' found; write '==' to compare");
    if (is_symbol("<>")) wrong(token_.position, "'<>' found; write '!='");
    if (is_symbol("&&")) wrong(token_.position, "'&&' found; write 'and'");
    if (is_symbol("||")) wrong(token_.position, "'||' found; write 'or'");
    if (is_symbol("!")) wrong(token_.position, "'!' found; write 'not'");
    if (token_.kind == TokenKind::end) wrong(token_.position, fmt::format("expected {}, found the end", expected));
    wrong(token_.position, fmt::format("expected {}, found '{}'", expected, token_.text));
  }

  bool is_symbol(std::string_view symbol) const { return token_.kind == TokenKind::symbol && token_.text == symbol; }
  bool is_word(std::string_view word) const { return token_.kind == TokenKind::name && token_.text == word; }
  void advance() { token_ = next_token(out_.text, token_.position + token_.text.size()); }
  bool take_symbol(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    advance();
    return true;
  }
  bool take_word(std::string_view word) {
    if (!is_word(word)) return false;
    advance();
    return true;
  }
  void expect_symbol(std::string_view symbol) {
    if (!take_symbol(symbol)) unexpected(fmt::format("'{}'", symbol));
  }

  std::uint32_t add(ExpressionNode node) {
    int height = 1;
    // Calculations are bound and evaluated in loops that go on along the first operand, so a sum may have any length.
    const bool chain = node.kind == NodeKind::arithmetic;
    for (std::size_t i = 0; i < node.args.size(); ++i)
      height = std::max(height, heights_[node.args[i]] + (chain && i == 0 ? 0 : 1));
    if (height > kMaxHeight) wrong(node.position, fmt::format("nested too deeply ({} levels at most)", kMaxHeight));
    heights_.push_back(height);
    out_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(out_.nodes.size() - 1);
  }
  std::uint32_t add(NodeKind kind, std::uint32_t position, std::vector<std::uint32_t> args, NodeOp op = NodeOp::none) {
    ExpressionNode node;
    node.kind = kind;
    node.op = op;
    node.position = position;
    node.args = std::move(args);
    return add(std::move(node));
  }

  void require_condition(std::uint32_t node, std::string_view what) const {
    const NodeKind kind = out_.nodes[node].kind;
    if (!is_condition(kind) && !is_field_or_boolean(kind))
      wrong(out_.nodes[node].position, fmt::format("expected {}, found a value; compare it with something", what));
  }
  // Operands of '&' and '|': a plain value there means that a comparison was meant to be the operand.
  void require_bit_operand(std::uint32_t node) const {
    const NodeKind kind = out_.nodes[node].kind;
    if (!is_condition(kind) && !is_field_or_boolean(kind)) wrong(out_.nodes[node].position, kTighter);
  }
  void require_value(std::uint32_t node) const {
    const NodeKind kind = out_.nodes[node].kind;
    if (kind == NodeKind::all || kind == NodeKind::any) wrong(out_.nodes[node].position, kTighter);
    if (is_condition(kind)) wrong(out_.nodes[node].position, "a condition cannot be compared or calculated with");
  }

  template <class Next, class Check, class Take>
  std::uint32_t joined(NodeKind kind, Next next, Check check, Take take) {
    const std::uint32_t first = next();
    std::vector<std::uint32_t> args{first};
    std::uint32_t position = token_.position;
    while (take()) {
      if (args.size() == 1) check(first);
      args.push_back(next());
      check(args.back());
    }
    return args.size() == 1 ? first : add(kind, position, std::move(args));
  }

  std::uint32_t disjunction() {
    return joined(
        NodeKind::any, [&] { return conjunction(); }, [&](std::uint32_t n) { require_condition(n, "a condition"); },
        [&] { return take_word("or"); });
  }
  std::uint32_t conjunction() {
    return joined(
        NodeKind::all, [&] { return inversion(); }, [&](std::uint32_t n) { require_condition(n, "a condition"); },
        [&] { return take_word("and"); });
  }
  std::uint32_t inversion() {
    if (!is_word("not")) return comparison();
    const Deeper deeper(*this);
    const std::uint32_t position = token_.position;
    advance();
    const std::uint32_t operand = inversion();
    require_condition(operand, "a condition after 'not'");
    return add(NodeKind::negation, position, {operand});
  }

  // a < b < c means (a < b) and (b < c).
  std::uint32_t comparison() {
    std::uint32_t left = bit_or();
    std::vector<std::uint32_t> links;
    for (;;) {
      const std::uint32_t position = token_.position;
      if (const NodeOp op = take_comparison(); op != NodeOp::none) {
        require_value(left);
        const std::uint32_t right = bit_or();
        require_value(right);
        links.push_back(add(NodeKind::compare, position, {left, right}, op));
        left = right;
      } else if (is_word("is")) {
        advance();
        const NodeOp is = take_word("not") ? NodeOp::ne : NodeOp::eq;
        require_value(left);
        const std::uint32_t right = primary();
        const ExpressionNode& node = out_.nodes[right];
        if (!(node.kind == NodeKind::literal && std::holds_alternative<std::monostate>(node.value)) &&
            node.kind != NodeKind::boolean)
          wrong(node.position, "'is' takes null, None, True or False; write '==' for other values");
        links.push_back(add(NodeKind::compare, position, {left, right}, is));
        left = right;
      } else if (is_word("in") || is_word("not")) {
        const NodeKind kind = take_word("not") ? NodeKind::not_in : NodeKind::in;
        if (!take_word("in")) unexpected("'in'");
        require_value(left);
        const std::uint32_t members = list();
        links.push_back(add(kind, position, {left, members}));
        left = members;
      } else {
        break;
      }
    }
    if (links.empty()) return left;
    if (links.size() == 1) return links[0];
    const std::uint32_t position = out_.nodes[links[0]].position;
    return add(NodeKind::all, position, std::move(links));
  }

  NodeOp take_comparison() {
    static constexpr std::pair<std::string_view, NodeOp> kOps[] = {{"<", NodeOp::lt},  {"<=", NodeOp::le},
                                                                   {">", NodeOp::gt},  {">=", NodeOp::ge},
                                                                   {"==", NodeOp::eq}, {"!=", NodeOp::ne}};
    for (const auto& [symbol, op] : kOps)
      if (take_symbol(symbol)) return op;
    return NodeOp::none;
  }

  std::uint32_t list() {
    const std::uint32_t position = token_.position;
    const std::string_view close = is_symbol("[") ? "]" : ")";
    if (!take_symbol("[") && !take_symbol("(")) unexpected("a list in brackets");
    std::vector<std::uint32_t> members;
    while (!is_symbol(close)) {
      const std::uint32_t member = unary();
      const NodeKind kind = out_.nodes[member].kind;
      if (kind != NodeKind::literal && kind != NodeKind::boolean)
        wrong(out_.nodes[member].position, "a list holds numbers, texts and booleans only");
      members.push_back(member);
      if (!take_symbol(",")) break;
    }
    expect_symbol(close);
    return add(NodeKind::list, position, std::move(members));
  }

  std::uint32_t bit_or() {
    return joined(
        NodeKind::any, [&] { return bit_and(); }, [&](std::uint32_t n) { require_bit_operand(n); },
        [&] { return take_symbol("|"); });
  }
  std::uint32_t bit_and() {
    return joined(
        NodeKind::all, [&] { return sum(); }, [&](std::uint32_t n) { require_bit_operand(n); },
        [&] { return take_symbol("&"); });
  }

  template <std::size_t N, class Next>
  std::uint32_t left_associative(const std::array<std::pair<std::string_view, NodeOp>, N>& ops, Next next) {
    std::uint32_t left = next();
    for (;;) {
      const std::uint32_t position = token_.position;
      const auto found = std::find_if(ops.begin(), ops.end(), [&](const auto& op) { return take_symbol(op.first); });
      if (found == ops.end()) return left;
      require_value(left);
      const std::uint32_t right = next();
      require_value(right);
      left = add(NodeKind::arithmetic, position, {left, right}, found->second);
    }
  }
  std::uint32_t sum() {
    static constexpr std::array<std::pair<std::string_view, NodeOp>, 2> kOps{
        {{"+", NodeOp::add}, {"-", NodeOp::subtract}}};
    return left_associative(kOps, [&] { return product(); });
  }
  std::uint32_t product() {
    static constexpr std::array<std::pair<std::string_view, NodeOp>, 4> kOps{
        {{"*", NodeOp::multiply}, {"/", NodeOp::divide}, {"//", NodeOp::floor_divide}, {"%", NodeOp::modulo}}};
    return left_associative(kOps, [&] { return unary(); });
  }

  std::uint32_t unary() {
    const std::uint32_t position = token_.position;
    if (is_symbol("-") || is_symbol("+")) {
      const Deeper deeper(*this);
      const bool minus = is_symbol("-");
      advance();
      const std::uint32_t operand = unary();
      require_value(operand);
      ExpressionNode& node = out_.nodes[operand];
      if (node.kind == NodeKind::literal) {
        if (std::holds_alternative<std::monostate>(node.value) || std::holds_alternative<std::string>(node.value))
          wrong(position, "a sign needs a number");
        if (minus) node.value = negative(node.value);
        node.position = position;
        return operand;
      }
      return minus ? add(NodeKind::minus, position, {operand}) : operand;
    }
    if (is_symbol("~")) {
      const Deeper deeper(*this);
      advance();
      const std::uint32_t operand = unary();
      require_bit_operand(operand);
      return add(NodeKind::negation, position, {operand});
    }
    return power();
  }

  std::uint32_t power() {
    const std::uint32_t base = primary();
    const std::uint32_t position = token_.position;
    if (!take_symbol("**")) return base;
    const Deeper deeper(*this);
    require_value(base);
    const std::uint32_t exponent = unary();
    require_value(exponent);
    return add(NodeKind::arithmetic, position, {base, exponent}, NodeOp::power);
  }

  std::uint32_t primary() {
    if (!is_symbol("(")) return operand();
    const Deeper deeper(*this);
    advance();
    const std::uint32_t inner = disjunction();
    expect_symbol(")");
    return inner;
  }

  // Not inlined, so that a level of parentheses takes little of the stack.
  [[gnu::noinline]] std::uint32_t operand() {
    const Token token = token_;
    ExpressionNode node;
    node.position = token.position;
    switch (token.kind) {
      case TokenKind::number:
      case TokenKind::text:
      case TokenKind::bytes:
        advance();
        node.kind = NodeKind::literal;
        node.value = token.value;
        node.text_kind = token.kind == TokenKind::bytes ? TextKind::bytes : TextKind::text;
        return add(std::move(node));
      case TokenKind::quoted_name:
        advance();
        node.kind = NodeKind::field;
        node.name = std::get<std::string>(token.value);
        return add(std::move(node));
      case TokenKind::name:
        return word();
      case TokenKind::symbol:
      case TokenKind::end:
        break;
    }
    unexpected("a field, a number or a text");
  }

  std::uint32_t word() {
    const Token token = token_;
    static constexpr std::string_view kReserved[] = {"and", "or", "not", "in", "is"};
    if (std::find(std::begin(kReserved), std::end(kReserved), token.text) != std::end(kReserved))
      unexpected("a field, a number or a text");
    advance();
    ExpressionNode node;
    node.position = token.position;
    if (is_symbol("(")) return call(token);
    if (token.text == "None" || token.text == "null") {
      node.kind = NodeKind::literal;
    } else if (token.text == "True" || token.text == "true" || token.text == "False" || token.text == "false") {
      node.kind = NodeKind::boolean;
      node.value = std::int64_t{token.text == "True" || token.text == "true"};
    } else {
      node.kind = NodeKind::field;
      node.name = token.text;
    }
    return add(std::move(node));
  }

  // attr('x'), dim('x'), val(1) and datetime64('2020-01-02'), as tiledb-py and numpy write them.
  std::uint32_t call(const Token& function) {
    const Deeper deeper(*this);
    expect_symbol("(");
    std::uint32_t argument = unary();
    expect_symbol(")");
    ExpressionNode& node = out_.nodes[argument];
    const bool text = node.kind == NodeKind::literal && std::holds_alternative<std::string>(node.value);
    if (function.text == "attr" || function.text == "dim") {
      if (text) {
        node.name = std::get<std::string>(node.value);
        node.value = {};
        node.kind = NodeKind::field;
      }
      if (node.kind != NodeKind::field)
        wrong(function.position, fmt::format("{}() takes the name of a field", function.text));
      node.field_kind = function.text == "attr" ? FieldKind::attribute : FieldKind::dimension;
    } else if (function.text == "val") {
      if (node.kind != NodeKind::literal && node.kind != NodeKind::boolean)
        wrong(function.position, "val() takes a number, a text or a boolean");
    } else if (function.text == "datetime64" || function.text == "np.datetime64" ||
               function.text == "numpy.datetime64") {
      if (!text) wrong(function.position, "datetime64() takes a date in quotes");
    } else {
      wrong(function.position,
            fmt::format("unknown function '{}'; there are attr, dim, val and datetime64", function.text));
    }
    node.position = function.position;
    return argument;
  }

  Expression out_;
  std::vector<int> heights_;  // of the nodes
  Token token_;
  int depth_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text) {
  if (text.size() > kMaxText)
    fail(ErrorKind::invalid_argument, "condition: a text of {} bytes is too long (4 MiB at most)", text.size());
  return Parser(text).parse();
}

}  // namespace tegula
