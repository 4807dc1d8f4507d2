// expression: u8 0, u8 and/or, u64 count, nodes.  value: u8 1, u8 op, str32 field, str64 value, and for in / not in
// str64 offsets.
#include "format/tiledb/disk/delete_condition.h"

#include "base/fail.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint8_t kExpression = 0, kValue = 1;
constexpr unsigned kDeepest = 256;

bool is_membership(CompareOp op) { return op == CompareOp::in || op == CompareOp::not_in; }

ConditionTree decode_node(Cursor& in, unsigned depth) {
  if (depth > kDeepest) in.fail("a condition nested deeper than {}", kDeepest);
  ConditionTree node;
  const std::uint8_t kind = in.read<std::uint8_t>();
  if (kind == kExpression) {
    const std::uint8_t combination = in.read<std::uint8_t>();
    if (combination > 1) in.fail("combination {}, expected 0 (and) or 1 (or)", combination);
    node.kind = combination == 0 ? ConditionTree::Kind::all : ConditionTree::Kind::any;
    const std::uint64_t children = in.count<std::uint64_t>(10, "conditions");
    for (std::uint64_t i = 0; i < children; ++i) node.children.push_back(decode_node(in, depth + 1));
    return node;
  }
  if (kind != kValue) in.fail("a condition of kind {}, expected 0 or 1", kind);
  const std::uint8_t op = in.read<std::uint8_t>();
  if (op > static_cast<std::uint8_t>(CompareOp::not_in)) in.fail("comparison {}, expected 0 to 7", op);
  node.op = static_cast<CompareOp>(op);
  node.field = in.string(in.read<std::uint32_t>(), "the name of a field");
  node.value = copy_of(in.bytes(in.read<std::uint64_t>(), "a value"));
  if (is_membership(node.op)) {
    const std::uint64_t size = in.read<std::uint64_t>();
    if (size % 8 != 0) in.fail("{} bytes of offsets, expected a multiple of 8", size);
    in.check_count(size / 8, 8, "offsets");
    for (std::uint64_t i = 0; i < size / 8; ++i) {
      const std::uint64_t offset = in.read<std::uint64_t>();
      if (offset > node.value.size() || (!node.offsets.empty() && offset < node.offsets.back()))
        in.fail("member {} starts at {}, expected it in rising order and at most at {}", i, offset, node.value.size());
      node.offsets.push_back(offset);
    }
  }
  node.null = node.value.empty() && (node.op == CompareOp::eq || node.op == CompareOp::ne);
  return node;
}

// libtiledb merges an "or" inside of an "or" into one, and misreads an inner one that was not merged.
void join_children(const ConditionTree& node, std::vector<const ConditionTree*>& out) {
  for (const ConditionTree& child : node.children) {
    if (child.kind == node.kind)
      join_children(child, out);
    else
      out.push_back(&child);
  }
}

void encode_node(const ConditionTree& node, Bytes& out) {
  ByteWriter writer(out);
  if (node.kind != ConditionTree::Kind::compare) {
    std::vector<const ConditionTree*> children;
    join_children(node, children);
    writer.put(kExpression);
    writer.put(static_cast<std::uint8_t>(node.kind == ConditionTree::Kind::any));
    writer.put(std::uint64_t{children.size()});
    for (const ConditionTree* child : children) encode_node(*child, out);
    return;
  }
  if (node.op > CompareOp::not_in)
    fail(ErrorKind::invalid_argument, "a condition on '{}' that is always true or false cannot be stored", node.field);
  writer.put(kValue);
  writer.put(static_cast<std::uint8_t>(node.op));
  writer.put(static_cast<std::uint32_t>(node.field.size()));
  writer.text(node.field);
  writer.put(std::uint64_t{node.value.size()});
  writer.bytes(node.value);
  if (!is_membership(node.op)) return;
  writer.put(std::uint64_t{8 * node.offsets.size()});
  for (const std::uint64_t offset : node.offsets) writer.put(offset);
}

}  // namespace

StoredCondition decode_condition(Cursor in, bool update) {
  StoredCondition condition;
  condition.stays = decode_node(in, 0);
  if (update) {
    const std::uint64_t count = in.count<std::uint64_t>(16, "new values");
    for (std::uint64_t i = 0; i < count; ++i) {
      StoredUpdate value;
      value.field = in.string(in.read<std::uint64_t>(), "the name of a field");
      value.value = copy_of(in.bytes(in.read<std::uint64_t>(), "a value"));
      condition.updates.push_back(std::move(value));
    }
  }
  in.expect_end("the condition");
  return condition;
}

void encode_condition(const StoredCondition& condition, bool update, Bytes& out) {
  encode_node(condition.stays, out);
  if (!update) return;
  ByteWriter writer(out);
  writer.put(std::uint64_t{condition.updates.size()});
  for (const StoredUpdate& value : condition.updates) {
    writer.put(std::uint64_t{value.field.size()});
    writer.text(value.field);
    writer.put(std::uint64_t{value.value.size()});
    writer.bytes(value.value);
  }
}

}  // namespace tegula::tiledb
