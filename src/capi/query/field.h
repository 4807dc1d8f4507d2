// Fields, channels and aggregates of a query.
#pragma once

#include <memory>

#include "capi/query/query.h"

namespace tegula::capi {

struct QueryFieldHandle {
  static constexpr std::string_view kName = "query field";
  std::shared_ptr<QueryState> query;
  QueryField field;
};

// There is one: all cells of the query.
struct ChannelHandle {
  static constexpr std::string_view kName = "query channel";
  std::shared_ptr<QueryState> query;
};

// What can be computed of a field.
struct OperatorHandle {
  static constexpr std::string_view kName = "channel operator";
  AggregateOp op = AggregateOp::sum;
};

// An operator on a field.
struct OperationHandle {
  static constexpr std::string_view kName = "channel operation";
  AggregateOp op = AggregateOp::count;
  std::string field;
};

}  // namespace tegula::capi
