// Queries: what is asked, where results go, and how far they have come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capi/array/array.h"
#include "capi/query/condition.h"
#include "capi/query/subarray.h"
#include "tegula/query.h"

namespace tegula::capi {

enum class QueryStatus : std::int32_t { failed, completed, in_progress, incomplete, uninitialized, initialized };
enum class StatusDetails : std::int32_t { none, buffers_too_small, budget };

// Memory of the caller and its size in bytes, which is the capacity before a submit and what is filled after it.
template <class T>
struct CallerBuffer {
  T* data = nullptr;
  std::uint64_t* size = nullptr;
  std::uint64_t capacity = 0,
                told = UINT64_MAX;  // what `size` held when it was set, and what the last submit put there

  void set(T* memory, std::uint64_t* bytes) {
    data = memory;
    size = bytes;
    capacity = bytes ? *bytes : 0;
    told = UINT64_MAX;
  }
  // A caller who changed the size since the last submit means it.
  std::uint64_t room() const { return !size ? 0 : *size == told ? capacity : *size; }
  void fill(std::uint64_t bytes) {
    if (!size) return;
    capacity = room();
    *size = told = bytes;
  }
};

struct FieldBuffers {
  std::string name;
  CallerBuffer<std::byte> data;
  CallerBuffer<std::byte> offsets;
  CallerBuffer<std::byte> validity;
};

// A field as queries see it: an attribute, a dimension, a label or an aggregate.
struct QueryField {
  enum class Origin : std::int32_t { attribute, dimension, aggregate, label } origin = Origin::attribute;
  Datatype type;
  std::uint32_t values_per_cell = 1;
  bool nullable = false;
  bool var() const { return values_per_cell == kVar; }
  std::uint64_t cell_size() const { return var() ? 0 : std::uint64_t{values_per_cell} * type.size; }
};

// How offsets of variable cells are written and read.
struct OffsetStyle {
  bool elements = false;  // count values instead of bytes
  bool extra = false;     // one more: the end of the last cell
  bool narrow = false;    // 32 bits instead of 64
  std::uint64_t size() const { return narrow ? 4 : 8; }
};

class Reader;
class Writer;

// Not thread-safe, but for different queries of one array.
class QueryState {
 public:
  QueryState(std::shared_ptr<OpenArray> array, QueryType type);
  ~QueryState();

  const std::shared_ptr<OpenArray>& array() const { return array_; }
  QueryType type() const { return type_; }
  Order layout() const;
  void set_layout(Order layout);
  void set_subarray(const Subarray& subarray);
  void set_condition(ConditionRoot condition);
  void set_config(const Config& config);
  const Config& config() const { return config_; }
  const std::shared_ptr<Subarray>& subarray() const { return subarray_; }
  bool has_subarray() const { return subarray_set_; }
  const ConditionRoot& condition() const { return condition_; }

  // The buffers of a field, made when there are none yet. Throws Refusal for a field that is not there.
  FieldBuffers& buffers(std::string_view name);
  const FieldBuffers* find_buffers(std::string_view name) const;
  std::vector<FieldBuffers>& all_buffers() { return buffers_; }
  void check_not_started(std::string_view what) const;

  QueryField field(std::string_view name) const;  // throws Refusal when there is none
  OffsetStyle offset_style() const;

  void add_aggregate(Aggregate aggregate);
  const std::vector<Aggregate>& aggregates() const { return aggregates_; }

  void submit();
  void finalize();

  QueryStatus status() const { return status_; }
  StatusDetails details() const { return details_; }
  void set_status(QueryStatus status, StatusDetails details = StatusDetails::none) {
    status_ = status;
    details_ = details;
  }
  bool has_results() const { return has_results_; }
  void set_has_results(bool has) { has_results_ = has; }

  struct Written {
    std::string uri;
    std::uint64_t first_time = 0, last_time = 0;
  };
  std::vector<Written>& written() { return written_; }
  // The condition as text; empty without one.
  std::string where() const;

 private:
  const std::shared_ptr<OpenArray> array_;
  const QueryType type_;
  Config config_;
  std::optional<Order> layout_;
  std::shared_ptr<Subarray> subarray_;
  bool subarray_set_ = false;
  ConditionRoot condition_;
  std::vector<FieldBuffers> buffers_;
  std::vector<Aggregate> aggregates_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<Writer> writer_;
  QueryStatus status_ = QueryStatus::uninitialized;
  StatusDetails details_ = StatusDetails::none;
  bool has_results_ = false;
  std::vector<Written> written_;
};

struct QueryHandle {
  static constexpr std::string_view kName = "query";
  std::shared_ptr<QueryState> query;
};

inline QueryState& query_of(const QueryHandle* handle) { return *checked(handle).query; }

}  // namespace tegula::capi
