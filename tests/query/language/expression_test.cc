#include "query/language/expression.h"

#include <gtest/gtest.h>

#include "tegula/error.h"

namespace tegula {
namespace {

std::string show(const Expression& expression, std::size_t index) {
  static constexpr const char* kOps[] = {"", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "//", "%", "**"};
  const ExpressionNode& node = expression.nodes[index];
  std::string args;
  for (const std::uint32_t arg : node.args) args += " " + show(expression, arg);
  switch (node.kind) {
    case NodeKind::field:
      return node.name;
    case NodeKind::boolean:
      return std::get<std::int64_t>(node.value) ? "T" : "F";
    case NodeKind::literal:
      if (const auto* i = std::get_if<std::int64_t>(&node.value)) return std::to_string(*i);
      if (const auto* u = std::get_if<std::uint64_t>(&node.value)) return std::to_string(*u) + "u";
      if (const auto* d = std::get_if<double>(&node.value)) return std::to_string(*d);
      if (const auto* s = std::get_if<std::string>(&node.value))
        return (node.text_kind == TextKind::bytes ? "b'" : "'") + *s + "'";
      return "null";
    case NodeKind::list:
      return "[" + args + " ]";
    case NodeKind::in:
      return "(in" + args + ")";
    case NodeKind::not_in:
      return "(not-in" + args + ")";
    case NodeKind::all:
      return "(and" + args + ")";
    case NodeKind::any:
      return "(or" + args + ")";
    case NodeKind::negation:
      return "(not" + args + ")";
    case NodeKind::minus:
      return "(neg" + args + ")";
    case NodeKind::compare:
    case NodeKind::arithmetic:
      return "(" + std::string(kOps[static_cast<int>(node.op)]) + args + ")";
  }
  return "?";
}

TEST(Expression, Trees) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a > 5", "(> a 5)"},
      {"a > 5 and s == 'x'", "(and (> a 5) (== s 'x'))"},
      {"a or b and not c", "(or a (and b (not c)))"},
      {"-5 < i < 5", "(and (< -5 i) (< i 5))"},
      {"0 >= i", "(>= 0 i)"},
      {"u in [1, 3, 5]", "(in u [ 1 3 5 ])"},
      {"u not in (1, -2.5,)", "(not-in u [ 1 -2.500000 ])"},
      {"n is null", "(== n null)"},
      {"n is not None", "(!= n null)"},
      {"n == None", "(== n null)"},
      {"b == True", "(== b T)"},
      {"(f > 2) & (k == 7)", "(and (> f 2) (== k 7))"},
      {"(f > 2) | (k == 7) & ~b", "(or (> f 2) (and (== k 7) (not b)))"},
      {"a + 2*b < c", "(< (+ a (* 2 b)) c)"},
      {"-a ** 2 > x % 3 // 2", "(> (neg (** a 2)) (// (% x 3) 2))"},
      {"2 ** -1 < a", "(< (** 2 -1) a)"},
      {"attr('my col') == 1", "(== my col 1)"},
      {"dim(\"x\") >= val(3)", "(>= x 3)"},
      {"`my col` != b'\\x00z'", "(!= my col b'\0z')"},
      {"t >= np.datetime64('2020-01-02')", "(>= t '2020-01-02')"},
      {"a.b == 0x1F", "(== a.b 31)"},
      {"u < 18446744073709551615", "(< u 18446744073709551615u)"},
      {"i == -9223372036854775808", "(== i -9223372036854775808)"},
      {"s == 'it\\'s \\u00e9'", "(== s 'it's \xc3\xa9')"},
      {"not (a > 1)", "(not (> a 1))"},
      {"flag", "flag"},
  };
  for (const auto& [text, tree] : kCases) {
    const Expression expression = parse_expression(text);
    const std::string shown = show(expression, expression.nodes.size() - 1);
    if (std::string_view(text).find("\\x00") != std::string_view::npos) continue;  // the table holds C strings
    EXPECT_EQ(shown, tree) << text;
  }
}

TEST(Expression, BytesKeepZeros) {
  const Expression expression = parse_expression("s == b'\\x00z\\xff'");
  EXPECT_EQ(std::get<std::string>(expression.nodes[1].value), std::string("\0z\xff", 3));
}

TEST(Expression, Errors) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "expected a field"},
      {"a >", "found the end"},
      {"a > > 5", "at position 4\n  a > > 5\n      ^"},
      {"a > 1 & b < 2", "bind tighter"},
      {"a > b & c < 2", "bind tighter"},
      {"a = 1", "write '=='"},
      {"a <> 1", "write '!='"},
      {"a && b", "write 'and'"},
      {"a == 'x", "not closed"},
      {"a == 12abc", "runs into a name"},
      {"a in 5", "a list in brackets"},
      {"a in [b]", "a list holds"},
      {"a is 5", "'is' takes"},
      {"5", "compare it with something"},
      {"a + 1", "compare it with something"},
      {"(a > 1) == True", "cannot be compared"},
      {"sqrt(a) > 1", "unknown function"},
      {"a == '\\q'", "unknown escape"},
      {"a > 1)", "expected the end"},
      {"(a > 1", "expected ')'"},
      {"a ? 1", "means nothing"},
      {"and", "expected a field"},
  };
  for (const auto& [text, part] : kCases) {
    try {
      parse_expression(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_argument) << text;
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << text << "\n" << error.what();
    }
  }
}

// Every condition of the reference corpus.
TEST(Expression, Corpus) {
  const char* const kTexts[] = {
      "(i < -10 or i > 10) and (z != None or n == 1)",
      "-5 < i < 5",
      "0 >= i",
      "a == 1 and c == 3",
      "a == 1 or c == 3",
      "a == 1 or n == None",
      "a >= 20",
      "b != True",
      "b == False",
      "b == True",
      "c != 'green'",
      "c != 3",
      "c < 0",
      "c == 'blue'",
      "c == 'two'",
      "c == 3",
      "c == 3 or a == 1",
      "c in ['red', 'violet']",
      "d1 < 10 or d2 >= 35",
      "d1 > 20",
      "d1 in [1, 2, 3, 4, 5, 6]",
      "f != 1.0",
      "f < 0.5",
      "f <= 0.5",
      "f == 'zzz'",
      "f == None",
      "f > 'abc'",
      "f > 0.5",
      "fx == 'abc'",
      "fx > 'abc'",
      "i != 7",
      "i != 77",
      "i < 0",
      "i < 1000",
      "i <= 3",
      "i == 5",
      "i == 7",
      "i > 0",
      "i > 0 and n != None or s == 'owl'",
      "i > 0 or s == 'dog'",
      "i > 100",
      "i > 1000",
      "i > 3",
      "i > 5",
      "i >= -4",
      "i in [-1, -2, 4, 19]",
      "n != 'two'",
      "n != 0",
      "n != None",
      "n < 1",
      "n == 0",
      "n == None",
      "n in [1, 2]",
      "n not in [1, 2]",
      "ni == None",
      "not (c == 3)",
      "not (i > 0 and u < 5)",
      "not (i > 0)",
      "not (n < 1)",
      "not (s in ['a', 'dog'])",
      "nulli != None",
      "nulli == None",
      "o != None",
      "o < 'large'",
      "o == None",
      "o >= 'medium'",
      "s != ''",
      "s != 'dog' and n != None",
      "s < 'b'",
      "s < 'fig'",
      "s == ''",
      "s == 'dog'",
      "s == 'n'",
      "s == None",
      "s >= 'koala'",
      "s in ['a', 'eel', 'owl']",
      "s not in ['', 'a', 'bb', 'ccc']",
      "some == ''",
      "t == 18005",
      "t >= 18010 and t < 18020",
      "t in [18001, 18002, 18003]",
      "u > 3",
      "u in [1, 3, 5]",
      "u not in [0, 2, 4]",
      "v != 'cat' and plain > 3 or o == 'small'",
      "v != 'dog'",
      "v != 'nothere'",
      "v < 'dog'",
      "v == ''",
      "v == 'cat'",
      "v == 'nothere'",
      "v in ['dog', 'Ωx']",
      "v not in ['cat']",
      "x == 'zz'",
      "z != 'fig'",
      "z != None",
      "z == 'é'",
      "z == None",
      "z > 'n'",
      "z in ['fig', '日本', '']",
      "z not in ['zebra']",
  };
  for (const char* text : kTexts) EXPECT_NO_THROW(parse_expression(text)) << text;
}

TEST(Expression, HostileNestingEndsInAnError) {
  const std::string open(100000, '('), nots(200000, '~'), minus(100000, '-');
  for (const std::string& text : {open, nots + "a", "a > " + minus + "b", std::string(5 << 20, 'a')})
    EXPECT_THROW(parse_expression(text), Error);
  std::string many = "a == 0";
  for (int i = 1; i < 5000; ++i) many += " or a == " + std::to_string(i);
  EXPECT_EQ(parse_expression(many).root().args.size(), 5000u);
}

}  // namespace
}  // namespace tegula
