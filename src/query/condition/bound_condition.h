// What a Condition holds.
#pragma once

#include <cstdint>
#include <vector>

#include "query/condition/arithmetic.h"
#include "query/condition/leaf_test.h"

namespace tegula {

// Two fields of text.
struct TextPairTest {
  CompareOp op = CompareOp::eq;
  std::uint32_t left = 0, right = 0;
};

struct BoundNode {
  enum class Kind : std::uint8_t { all, any, constant, simple, terms, text_pair };
  Kind kind = Kind::constant;
  bool constant = true;
  std::uint32_t test = 0;           // index in the vector of its kind
  std::vector<std::uint32_t> args;  // all, any
};

// Negations have been pushed down to the tests. The root is the last node; no node at all matches everything.
struct BoundCondition {
  Rules rules = Rules::tiledb;
  std::vector<FieldInfo> fields;
  std::vector<BoundNode> nodes;
  std::vector<SimpleTest> simple;
  std::vector<TermTest> terms;
  std::vector<TextPairTest> pairs;

  std::uint32_t add(BoundNode node) {
    nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  // Compiles the test and makes a node of it.
  std::uint32_t add(SimpleTest test);
};

BoundCondition bind_expression(const Expression& expression, std::span<const FieldInfo> fields, Rules rules);

}  // namespace tegula
