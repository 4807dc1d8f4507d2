#include "query/evaluate/bound_condition.h"

#include <algorithm>
#include <cstring>

#include "query/columns/cells.h"

namespace tegula {
namespace {

using Kind = BoundNode::Kind;

// Cells at a time, so that masks and columns stay in the cache between the parts of a condition.
constexpr std::uint64_t kStep = 2048;

struct Evaluation {
  const BoundCondition& bound;
  std::span<const ColumnView> columns;
  // One mask for each height: on the stack of the thread, deep conditions would need too much of it.
  std::span<std::uint8_t> masks;

  void node(std::uint32_t index, std::uint64_t first, std::uint64_t count, std::uint8_t* mask) const {
    const BoundNode& node = bound.nodes[index];
    switch (node.kind) {
      case Kind::constant:
        std::memset(mask, node.constant, count);
        return;
      case Kind::leaf: {
        const LeafTest& test = bound.leaves[node.test];
        return evaluate(test, bound.fields[test.field], columns[test.field], first, count, mask);
      }
      case Kind::terms:
        return evaluate(bound.terms[node.test], bound.fields, columns, first, count, mask);
      case Kind::text_pair:
        return pair(bound.pairs[node.test], first, count, mask);
      case Kind::all:
      case Kind::any:
        return joined(node, first, count, mask);
    }
  }

  void joined(const BoundNode& node, std::uint64_t first, std::uint64_t count, std::uint8_t* mask) const {
    std::uint8_t* const other = masks.data() + (node.height - 2) * kStep;
    const bool all = node.kind == Kind::all;
    this->node(node.args[0], first, count, mask);
    for (std::size_t i = 1; i < node.args.size(); ++i) {
      // The other parts change nothing when no cell is left (AND) or none is missing (OR).
      if (!std::memchr(mask, all ? 1 : 0, count)) return;
      this->node(node.args[i], first, count, other);
      if (all)
        for (std::uint64_t k = 0; k < count; ++k) mask[k] &= other[k];
      else
        for (std::uint64_t k = 0; k < count; ++k) mask[k] |= other[k];
    }
  }

  void pair(const TextPairTest& test, std::uint64_t first, std::uint64_t count, std::uint8_t* mask) const {
    const FieldInfo &a = bound.fields[test.left], &b = bound.fields[test.right];
    const ColumnView &x = columns[test.left], &y = columns[test.right];
    if (x.absent || y.absent) {
      std::memset(mask, 0, count);
      return;
    }
    // Fixed cells are padded with zeros, which do not count.
    const auto trimmed = [](const FieldInfo& field, ByteView cell) {
      if (field.var()) return cell;
      const std::size_t unit = field.type.id == TypeId::unicode ? 4 : 1;
      std::size_t size = cell.size();
      while (size >= unit && std::all_of(cell.begin() + static_cast<std::ptrdiff_t>(size - unit),
                                         cell.begin() + static_cast<std::ptrdiff_t>(size),
                                         [](std::byte v) { return v == std::byte{0}; }))
        size -= unit;
      return cell.first(size);
    };
    for (std::uint64_t i = 0; i < count; ++i) {
      const int order = compare_text(trimmed(a, text_cell(a, x, first + i)), trimmed(b, text_cell(b, y, first + i)),
                                     a.type.id == TypeId::unicode, a.type.big_endian);
      static constexpr std::uint8_t kAnswers[3][6] = {{1, 1, 0, 0, 0, 1}, {0, 1, 0, 1, 1, 0}, {0, 0, 1, 1, 0, 1}};
      mask[i] = kAnswers[order < 0 ? 0 : order > 0 ? 2 : 1][static_cast<int>(test.op)];
    }
    mask_nulls(x, first, count, mask);
    mask_nulls(y, first, count, mask);
  }
};

Match weigh_node(const BoundCondition& bound, std::uint32_t index, std::span<const FieldStats> stats) {
  const BoundNode& node = bound.nodes[index];
  switch (node.kind) {
    case Kind::constant:
      return node.constant ? Match::all : Match::none;
    case Kind::leaf: {
      const LeafTest& test = bound.leaves[node.test];
      return weigh(test, bound.fields[test.field], stats[test.field], bound.rules);
    }
    case Kind::terms: {
      const auto absent = [&](std::uint32_t field) { return stats[field].absent; };
      return std::ranges::any_of(bound.terms[node.test].fields, absent) ? Match::none : Match::some;
    }
    case Kind::text_pair:
      return Match::some;
    case Kind::all:
    case Kind::any:
      break;
  }
  // `none` decides an AND, `all` decides an OR, whatever the other parts say.
  const Match decisive = node.kind == Kind::all ? Match::none : Match::all;
  Match result = node.kind == Kind::all ? Match::all : Match::none;
  for (const std::uint32_t arg : node.args) {
    const Match part = weigh_node(bound, arg, stats);
    if (part == decisive) return decisive;
    if (part == Match::some) result = Match::some;
  }
  return result;
}

}  // namespace

std::uint32_t BoundCondition::add(BoundNode node) {
  for (const std::uint32_t arg : node.args) node.height = std::max(node.height, nodes[arg].height + 1);
  nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t BoundCondition::add(LeafTest test) {
  compile(test, fields[test.field], rules);
  leaves.push_back(std::move(test));
  BoundNode node;
  node.kind = BoundNode::Kind::leaf;
  node.test = static_cast<std::uint32_t>(leaves.size() - 1);
  return add(std::move(node));
}

void evaluate(const BoundCondition& bound, std::span<const ColumnView> columns, std::uint64_t first,
              std::span<std::uint8_t> mask) {
  if (bound.nodes.empty()) {
    std::ranges::fill(mask, std::uint8_t{1});
    return;
  }
  Buffer<std::uint8_t> masks;
  masks.resize((bound.nodes.back().height - 1) * kStep);
  const Evaluation evaluation{bound, columns, masks};
  const auto root = static_cast<std::uint32_t>(bound.nodes.size() - 1);
  for (std::uint64_t done = 0; done < mask.size(); done += kStep)
    evaluation.node(root, first + done, std::min<std::uint64_t>(kStep, mask.size() - done), mask.data() + done);
}

Match weigh(const BoundCondition& bound, std::span<const FieldStats> stats) {
  if (bound.nodes.empty()) return Match::all;
  return weigh_node(bound, static_cast<std::uint32_t>(bound.nodes.size() - 1), stats);
}

}  // namespace tegula
