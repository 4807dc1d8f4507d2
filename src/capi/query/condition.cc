#include "capi/query/condition.h"

#include <cmath>

#include "capi/core/context.h"
#include "format/tiledb/disk/nd_range.h"
#include "query/language/literal.h"

namespace tegula::capi {

namespace {

using Kind = ConditionTree::Kind;

ConditionTree negated(const ConditionTree& tree) {
  ConditionTree result = tree;
  if (tree.kind == Kind::compare) {
    result.op = opposite(tree.op);
    return result;
  }
  result.kind = tree.kind == Kind::all ? Kind::any : Kind::all;
  for (ConditionTree& child : result.children) child = negated(child);
  return result;
}

std::string quoted(ByteView bytes) {
  std::string text = "b'";
  for (const std::byte b : bytes) {
    const auto c = static_cast<unsigned char>(b);
    if (c >= ' ' && c < 127 && c != '\'' && c != '\\')
      text += static_cast<char>(c);
    else
      text += fmt::format("\\x{:02x}", c);
  }
  return text + "'";
}

// What the values of a condition on a field are made of: the field's own values, or those of its enumeration.
struct Compared {
  std::string name;  // as the language writes it
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool nullable = false;
  bool text() const { return !type.is_integer() && !type.is_float() && !type.is_date() && type.id != TypeId::boolean; }
};

std::string name_in(std::string_view function, const std::string& name) {
  std::string text(function);
  text += "('";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\' || byte < ' ')
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text + "')";
}

Compared find_field(const Schema& schema, const std::string& name) {
  if (const Attribute* attribute = schema.attribute(name)) {
    Compared found{name.empty() ? "value" : name_in("attr", name), attribute->type, attribute->values_per_cell,
                   attribute->nullable};
    if (const Enumeration* values = schema.enumeration(attribute->enumeration);
        values && !attribute->enumeration.empty()) {
      found.type = values->type;
      found.values_per_cell = values->values_per_cell;
    }
    return found;
  }
  if (const Dimension* dimension = schema.dimension(name))
    return {name_in("dim", name), dimension->type, dimension->values_per_cell, false};
  refuse("QueryCondition: Field doesn't exist: '{}'", name);
}

std::string literal(const Compared& field, ByteView bytes) {
  if (field.text()) return quoted(bytes);
  if (bytes.size() != field.type.size)
    refuse("QueryCondition: Value node has a size of {} bytes, the field {} has {}", bytes.size(), field.name,
           field.type.size);
  if (field.type.id == TypeId::boolean) return bytes[0] != std::byte{0} ? "True" : "False";
  const Value value = tiledb::value_from_bytes(field.type, bytes);
  if (const auto* i = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *i);
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *u);
  const double number = std::get<double>(value);
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  return fmt::format("{}", number);
}

constexpr std::string_view kOps[] = {"<", "<=", ">", ">=", "==", "!=", "in", "not in"};

std::string leaf_text(const ConditionTree& leaf, const Schema& schema) {
  const Compared field = find_field(schema, leaf.field);
  const std::string_view op = kOps[static_cast<std::size_t>(leaf.op)];
  if (leaf.op == CompareOp::in || leaf.op == CompareOp::not_in) {
    std::string members;
    for (std::size_t i = 0; i < leaf.offsets.size(); ++i) {
      const std::uint64_t begin = leaf.offsets[i],
                          end = i + 1 < leaf.offsets.size() ? leaf.offsets[i + 1] : leaf.value.size();
      if (begin > end || end > leaf.value.size()) refuse("QueryCondition: offset {} of the members is {}", i, begin);
      members += (i > 0 ? ", " : "") + literal(field, ByteView(leaf.value).subspan(begin, end - begin));
    }
    return fmt::format("{} {} [{}]", field.name, op, members);
  }
  if (leaf.null) {
    if (leaf.op != CompareOp::eq && leaf.op != CompareOp::ne)
      refuse("QueryCondition: Null value can only be used with equality operators");
    if (!field.nullable) refuse("QueryCondition: Null value can only be used with nullable attributes: {}", field.name);
    return fmt::format("{} is {}null", field.name, leaf.op == CompareOp::ne ? "not " : "");
  }
  return fmt::format("{} {} {}", field.name, op, literal(field, leaf.value));
}

ConditionRoot root_of(const ConditionHandle* handle) {
  const ConditionRoot& root = checked(handle).root;
  if (!root) refuse("QueryCondition: Cannot use an empty query condition");
  return root;
}

CompareOp op_of(std::int32_t op) {
  if (op < 0 || op > 7) refuse("C API: Invalid query condition operator {}", op);
  return static_cast<CompareOp>(op);
}

}  // namespace

std::string condition_text(const ConditionTree& tree, const Schema& schema) {
  if (tree.kind == Kind::compare) return leaf_text(tree, schema);
  std::string text;
  for (const ConditionTree& child : tree.children) {
    if (!text.empty()) text += tree.kind == Kind::all ? " and " : " or ";
    // Chains of one kind need no parentheses, which would count as nesting.
    const bool plain = child.kind == Kind::compare || child.kind == tree.kind;
    text += plain ? condition_text(child, schema) : "(" + condition_text(child, schema) + ")";
  }
  return text;
}

TEGULA_CAPI std::int32_t tiledb_query_condition_alloc(ContextHandle* context, ConditionHandle** handle) {
  return enter(context, [&](const auto&) { give(handle, ConditionHandle{}); });
}

TEGULA_CAPI void tiledb_query_condition_free(ConditionHandle** handle) { free_handle(handle); }

TEGULA_CAPI std::int32_t tiledb_query_condition_init(ContextHandle* context, ConditionHandle* handle, const char* field,
                                                     const void* value, std::uint64_t size, std::int32_t op) {
  return enter(context, [&](const auto&) {
    ConditionHandle& condition = checked(handle);
    if (condition.root) refuse("QueryCondition: Cannot reinitialize query condition");
    auto leaf = std::make_shared<ConditionTree>();
    leaf->field = given(field, "field name");
    leaf->op = op_of(op);
    if (leaf->op == CompareOp::in || leaf->op == CompareOp::not_in)
      refuse("QueryCondition: set membership has a function of its own");
    if (!value && size > 0) refuse("C API: Invalid condition value: it is null");
    leaf->null = !value;
    leaf->value = copy_of({static_cast<const std::byte*>(value), static_cast<std::size_t>(size)});
    condition.root = std::move(leaf);
  });
}

TEGULA_CAPI std::int32_t tiledb_query_condition_alloc_set_membership(ContextHandle* context, const char* field,
                                                                     const void* data, std::uint64_t data_size,
                                                                     const void* offsets, std::uint64_t offsets_size,
                                                                     std::int32_t op, ConditionHandle** handle) {
  return enter(context, [&](const auto&) {
    auto leaf = std::make_shared<ConditionTree>();
    leaf->field = given(field, "field name");
    leaf->op = op_of(op);
    if (leaf->op != CompareOp::in && leaf->op != CompareOp::not_in)
      refuse("QueryCondition: Invalid set membership operator {}", op);
    if ((!data && data_size > 0) || (!offsets && offsets_size > 0)) refuse("C API: Invalid members: they are null");
    if (offsets_size % 8 != 0) refuse("QueryCondition: {} bytes are not a number of offsets", offsets_size);
    leaf->value = copy_of({static_cast<const std::byte*>(data), static_cast<std::size_t>(data_size)});
    const auto* from = static_cast<const std::uint64_t*>(offsets);
    leaf->offsets.assign(from, from + offsets_size / 8);
    give(handle, ConditionHandle{std::move(leaf)});
  });
}

TEGULA_CAPI std::int32_t tiledb_query_condition_combine(ContextHandle* context, const ConditionHandle* left,
                                                        const ConditionHandle* right, std::int32_t op,
                                                        ConditionHandle** handle) {
  return enter(context, [&](const auto&) {
    if (op != 0 && op != 1) refuse("QueryCondition: Cannot combine query conditions; operator {} is not AND or OR", op);
    auto both = std::make_shared<ConditionTree>();
    both->kind = op == 0 ? Kind::all : Kind::any;
    // Long chains stay flat.
    for (const ConditionHandle* side : {left, right}) {
      const ConditionRoot root = root_of(side);
      if (root->kind == both->kind)
        both->children.insert(both->children.end(), root->children.begin(), root->children.end());
      else
        both->children.push_back(*root);
    }
    give(handle, ConditionHandle{std::move(both)});
  });
}

TEGULA_CAPI std::int32_t tiledb_query_condition_negate(ContextHandle* context, const ConditionHandle* from,
                                                       ConditionHandle** handle) {
  return enter(context, [&](const auto&) {
    give(handle, ConditionHandle{std::make_shared<const ConditionTree>(negated(*root_of(from)))});
  });
}

}  // namespace tegula::capi
