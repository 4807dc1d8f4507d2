#include "capi/query/query.h"

#include <algorithm>

#include "capi/core/stats.h"
#include "capi/query/read.h"
#include "capi/query/write.h"
#include "tegula/tiledb.h"

namespace tegula::capi {

QueryState::QueryState(std::shared_ptr<OpenArray> array, QueryType type)
    : array_(std::move(array)), type_(type), config_(array_->config()), subarray_(std::make_shared<Subarray>(array_)) {}
QueryState::~QueryState() = default;

Order QueryState::layout() const {
  if (layout_) return *layout_;
  const bool sparse_write = type_ == QueryType::write && array_->stored_schema().sparse;
  return sparse_write ? Order::unordered : Order::row;
}

void QueryState::check_not_started(std::string_view what) const {
  if (reader_ || writer_) refuse("Query: Cannot set {} after the query was submitted", what);
}

void QueryState::set_layout(Order layout) {
  check_not_started("layout");
  const bool sparse = array_->stored_schema().sparse;
  if (layout == Order::hilbert) refuse("Query: Cannot set layout; Hilbert order is not a layout of results");
  if (type_ == QueryType::write && sparse && (layout == Order::row || layout == Order::col))
    refuse("Query: Cannot set layout; Ordered layouts can be used when writing sparse arrays only if they are global");
  if (type_ == QueryType::write && !sparse && layout == Order::unordered)
    refuse("Query: Unordered writes are only possible for sparse arrays");
  layout_ = layout;
}

void QueryState::set_subarray(const Subarray& subarray) {
  check_not_started("subarray");
  const bool sparse = array_->stored_schema().sparse;
  if (type_ == QueryType::write && sparse) refuse("Query: Setting a subarray is not supported on sparse writes.");
  if (type_ == QueryType::write) {
    for (std::size_t d = 0; d < subarray.dimensions().size(); ++d)
      if (subarray.ranges(d).size() > 1)
        refuse("Subarray: Cannot set subarray; Multi-range dense writes are not supported");
  }
  subarray_ = std::make_shared<Subarray>(subarray);
  subarray_set_ = true;
}

void QueryState::set_condition(ConditionRoot condition) {
  check_not_started("query condition");
  if (!condition) refuse("Query: Query condition must not be empty");
  if (type_ == QueryType::write) refuse("Query: Cannot set query condition; Operation only applicable to read queries");
  condition_ = std::move(condition);
}

void QueryState::set_config(const Config& config) {
  check_not_started("config");
  config_.merge(config);
}

const FieldBuffers* QueryState::find_buffers(std::string_view name) const {
  const auto at = std::find_if(buffers_.begin(), buffers_.end(), [&](const auto& b) { return b.name == name; });
  return at == buffers_.end() ? nullptr : &*at;
}

FieldBuffers& QueryState::buffers(std::string_view name) {
  if (const FieldBuffers* found = find_buffers(name)) return const_cast<FieldBuffers&>(*found);
  field(name);
  check_not_started("buffer of a new field");
  FieldBuffers& made = buffers_.emplace_back();
  made.name = name;
  return made;
}

QueryField QueryState::field(std::string_view name) const {
  using Origin = QueryField::Origin;
  for (const Aggregate& aggregate : aggregates_)
    if (aggregate.name == name) return aggregate_field(*this, aggregate);
  const tiledb::ArraySchema& schema = array_->stored_schema();
  if (const auto index = schema.attribute_index(name)) {
    const tiledb::SchemaAttribute& a = schema.attributes[*index];
    return {Origin::attribute, a.type, a.values_per_cell, a.nullable};
  }
  if (const auto index = schema.dimension_index(name)) {
    const tiledb::SchemaDimension& d = schema.dimensions[*index];
    return {Origin::dimension, d.type, d.values_per_cell, false};
  }
  for (const tiledb::SchemaLabel& label : schema.labels)
    if (label.name == name) return {Origin::label, label.type, label.values_per_cell, false};
  refuse("C API: There is no field {}", name);
}

OffsetStyle QueryState::offset_style() const {
  return {config_.text("sm.var_offsets.mode") == "elements", config_.flag("sm.var_offsets.extra_element"),
          config_.text("sm.var_offsets.bitsize") == "32"};
}

void QueryState::add_aggregate(Aggregate aggregate) {
  check_not_started("aggregate");
  if (type_ != QueryType::read) refuse("Query: Aggregates are for read queries");
  for (const Aggregate& other : aggregates_)
    if (other.name == aggregate.name)
      refuse("QueryChannel: An aggregate named '{}' is already defined", aggregate.name);
  aggregates_.push_back(std::move(aggregate));
}

std::string QueryState::where() const {
  return condition_ ? condition_text(*condition_, array_->model()) : std::string();
}

void QueryState::submit() {
  if (!array_->is_open()) refuse("Query: Cannot submit query; Array is not open");
  if (array_->type() != type_) refuse("Query: Cannot submit query; the array was opened for another type of query");
  const Counted counted(type_ != QueryType::read);
  switch (type_) {
    case QueryType::read:
      if (status_ == QueryStatus::completed && reader_) return;
      if (!reader_) reader_ = std::make_unique<Reader>(*this);
      reader_->submit();
      break;
    case QueryType::write:
      if (!writer_) writer_ = std::make_unique<Writer>(*this);
      writer_->submit();
      break;
    case QueryType::remove: {
      if (!array_->stored_schema().sparse)
        refuse("Deletes: Cannot initialize deletes; only sparse arrays have deletes");
      if (!condition_) refuse("Deletes: Cannot initialize deletes; One condition is needed");
      WriteOptions options;
      options.at = array_->write_time();
      options.work = array_->work();
      tiledb::delete_cells(array_->engine(), where(), options, true);
      set_status(QueryStatus::completed);
      break;
    }
    default:
      refuse("tegula: update queries are not built yet; the program needs the original library");
  }
}

void QueryState::finalize() {
  if (writer_) writer_->finalize();
}

}  // namespace tegula::capi
