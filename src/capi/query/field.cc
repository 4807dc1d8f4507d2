#include "capi/query/field.h"

#include "capi/core/context.h"

namespace tegula::capi {

namespace {

// Live as long as the process, as the variables below promise.
template <class T>
const T* constant(T object) {
  auto* made = new T(std::move(object));
  add_live(made, T::kName);
  return made;
}

bool is_number(const Datatype& type) {
  return type.is_integer() || type.is_float() || type.is_date() || type.id == TypeId::boolean;
}

void check_operand(const QueryField& field, AggregateOp op, const std::string& name) {
  if (op == AggregateOp::null_count) {
    if (!field.nullable) refuse("InputFieldValidator: Aggregate must only be requested for nullable fields.");
    return;
  }
  const bool text = field.type.id == TypeId::ascii;
  const bool extreme = op == AggregateOp::min || op == AggregateOp::max;
  if (text && extreme) return;
  if (!is_number(field.type) || ((op == AggregateOp::sum || op == AggregateOp::mean) && field.type.is_date()))
    refuse("InputFieldValidator: the aggregate is not possible for the datatype of field '{}'", name);
  if (field.values_per_cell != 1)
    refuse("InputFieldValidator: Aggregates are not supported for cells of several values");
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) const OperationHandle* tiledb_aggregate_count =
    constant(OperationHandle{AggregateOp::count, {}});
__attribute__((visibility("default"))) const OperatorHandle* tiledb_channel_operator_sum =
    constant(OperatorHandle{AggregateOp::sum});
__attribute__((visibility("default"))) const OperatorHandle* tiledb_channel_operator_min =
    constant(OperatorHandle{AggregateOp::min});
__attribute__((visibility("default"))) const OperatorHandle* tiledb_channel_operator_max =
    constant(OperatorHandle{AggregateOp::max});
__attribute__((visibility("default"))) const OperatorHandle* tiledb_channel_operator_mean =
    constant(OperatorHandle{AggregateOp::mean});
__attribute__((visibility("default"))) const OperatorHandle* tiledb_channel_operator_null_count =
    constant(OperatorHandle{AggregateOp::null_count});
}

TEGULA_CAPI std::int32_t tiledb_aggregate_count_get(ContextHandle* context, const OperationHandle** operation) {
  return enter(context, [&](const auto&) { out(operation) = tiledb_aggregate_count; });
}

#define TEGULA_OPERATOR(which)                                                                    \
  TEGULA_CAPI std::int32_t tiledb_channel_operator_##which##_get(ContextHandle* context,          \
                                                                 const OperatorHandle** handle) { \
    return enter(context, [&](const auto&) { out(handle) = tiledb_channel_operator_##which; });   \
  }
TEGULA_OPERATOR(sum)
TEGULA_OPERATOR(min)
TEGULA_OPERATOR(max)
TEGULA_OPERATOR(mean)
TEGULA_OPERATOR(null_count)
#undef TEGULA_OPERATOR

TEGULA_CAPI std::int32_t tiledb_create_unary_aggregate(ContextHandle* context, QueryHandle* query,
                                                       const OperatorHandle* handle, const char* field,
                                                       OperationHandle** operation) {
  return enter(context, [&](const auto&) {
    const AggregateOp op = checked(handle).op;
    const std::string name(given(field, "field name"));
    check_operand(query_of(query).field(name), op, name);
    give(operation, OperationHandle{op, name});
  });
}

TEGULA_CAPI std::int32_t tiledb_aggregate_free(ContextHandle* context, OperationHandle** operation) {
  return enter(context, [&](const auto&) {
    if (operation && *operation != tiledb_aggregate_count) free_handle(operation);
  });
}

TEGULA_CAPI std::int32_t tiledb_query_get_default_channel(ContextHandle* context, QueryHandle* query,
                                                          ChannelHandle** channel) {
  return enter(context, [&](const auto&) { give(channel, ChannelHandle{checked(query).query}); });
}

TEGULA_CAPI std::int32_t tiledb_query_channel_free(ContextHandle* context, ChannelHandle** channel) {
  return enter(context, [&](const auto&) { free_handle(channel); });
}

TEGULA_CAPI std::int32_t tiledb_channel_apply_aggregate(ContextHandle* context, ChannelHandle* channel,
                                                        const char* name, const OperationHandle* operation) {
  return enter(context, [&](const auto&) {
    const OperationHandle& what = checked(operation);
    checked(channel).query->add_aggregate({std::string(given(name, "field name")), what.op, what.field});
  });
}

TEGULA_CAPI std::int32_t tiledb_query_get_field(ContextHandle* context, QueryHandle* query, const char* name,
                                                QueryFieldHandle** handle) {
  return enter(context, [&](const auto&) {
    const QueryField field = query_of(query).field(given(name, "field name"));
    if (field.origin == QueryField::Origin::label) refuse("C API: There is no field {}", name);
    give(handle, QueryFieldHandle{checked(query).query, field});
  });
}

TEGULA_CAPI std::int32_t tiledb_query_field_free(ContextHandle* context, QueryFieldHandle** handle) {
  return enter(context, [&](const auto&) { free_handle(handle); });
}

TEGULA_CAPI std::int32_t tiledb_field_datatype(ContextHandle* context, QueryFieldHandle* handle, std::int32_t* type) {
  return enter(context, [&](const auto&) { out(type) = *tiledb_code(checked(handle).field.type); });
}

TEGULA_CAPI std::int32_t tiledb_field_cell_val_num(ContextHandle* context, QueryFieldHandle* handle,
                                                   std::uint32_t* count) {
  return enter(context, [&](const auto&) { out(count) = checked(handle).field.values_per_cell; });
}

TEGULA_CAPI std::int32_t tiledb_field_get_nullable(ContextHandle* context, QueryFieldHandle* handle,
                                                   std::uint8_t* nullable) {
  return enter(context, [&](const auto&) { out(nullable) = checked(handle).field.nullable ? 1 : 0; });
}

TEGULA_CAPI std::int32_t tiledb_field_origin(ContextHandle* context, QueryFieldHandle* handle, std::int32_t* origin) {
  return enter(context, [&](const auto&) { out(origin) = static_cast<std::int32_t>(checked(handle).field.origin); });
}

TEGULA_CAPI std::int32_t tiledb_field_channel(ContextHandle* context, QueryFieldHandle* handle,
                                              ChannelHandle** channel) {
  return enter(context, [&](const auto&) { give(channel, ChannelHandle{checked(handle).query}); });
}

}  // namespace tegula::capi
