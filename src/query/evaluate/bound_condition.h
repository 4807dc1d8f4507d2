// A condition bound to fields, as it is evaluated: AND and OR over tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "query/evaluate/arithmetic.h"
#include "query/evaluate/leaf_test.h"

namespace tegula {

// Compares two fields of text.
struct TextPairTest {
  CompareOp op = CompareOp::eq;
  std::uint32_t left = 0, right = 0;
};

struct BoundNode {
  enum class Kind : std::uint8_t { all, any, constant, leaf, terms, text_pair };
  Kind kind = Kind::constant;
  bool constant = true;
  std::uint32_t test = 0;           // index in the vector of its kind
  std::vector<std::uint32_t> args;  // all, any
  std::uint32_t height = 1;         // of the tree below it; set by add()
};

// Negations have been pushed down to the tests. The root is the last node; no node at all matches everything.
struct BoundCondition {
  Rules rules = Rules::tiledb;
  std::vector<FieldInfo> fields;
  std::vector<BoundNode> nodes;
  std::vector<LeafTest> leaves;
  std::vector<TermTest> terms;
  std::vector<TextPairTest> pairs;

  // Arguments are added before the node that holds them.
  std::uint32_t add(BoundNode node);
  // Compiles the test and adds a node for it.
  std::uint32_t add(LeafTest test);
};

// mask[i] becomes 1 where cell first + i matches, else 0. One view per field, in the order of `fields`.
void evaluate(const BoundCondition& bound, std::span<const ColumnView> columns, std::uint64_t first,
              std::span<std::uint8_t> mask);
// `none` and `all` only when the statistics, one per field, prove it.
Match weigh(const BoundCondition& bound, std::span<const FieldStats> stats);

}  // namespace tegula
