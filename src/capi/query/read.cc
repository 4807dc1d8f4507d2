#include "capi/query/read.h"

#include <algorithm>
#include <cstring>

namespace tegula::capi {

namespace {

using Origin = QueryField::Origin;

// Ranges in the order of their dimension follow one another in results of that order; others are asked one by one.
bool ascending(const tiledb::SchemaDimension& dimension, const RawRange& a, const RawRange& b) {
  return tiledb::compare_values(dimension.type, dimension.var(), a.high, b.low) < 0;
}

// One query for each run of ascending ranges of the dimension that changes slowest.
std::deque<Query> in_range_order(const Query& query, const Subarray& subarray, bool sparse) {
  const bool ordered = query.order == Order::row || query.order == Order::col;
  const std::size_t slowest = query.order == Order::col ? subarray.dimensions().size() - 1 : 0;
  if (!sparse || !ordered || !subarray.has_ranges(slowest)) return {query};
  const std::vector<RawRange>& ranges = subarray.ranges(slowest);
  const tiledb::SchemaDimension& dimension = subarray.dimensions()[slowest];
  std::deque<Query> parts;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (i == 0 || !ascending(dimension, ranges[i - 1], ranges[i])) {
      parts.push_back(query);
      for (DimensionRanges& given_ranges : parts.back().ranges)
        if (given_ranges.name == dimension.name) given_ranges.ranges.clear();
    }
    for (DimensionRanges& given_ranges : parts.back().ranges)
      if (given_ranges.name == dimension.name)
        given_ranges.ranges.push_back({value_of(dimension.type, dimension.var(), ranges[i].low),
                                       value_of(dimension.type, dimension.var(), ranges[i].high)});
  }
  return parts;
}

}  // namespace

QueryField aggregate_field(const QueryState& query, const Aggregate& aggregate) {
  QueryField field;
  if (!aggregate.field.empty() || aggregate.op != AggregateOp::count) field = query.field(aggregate.field);
  const bool nullable = field.nullable;
  switch (aggregate.op) {
    case AggregateOp::count:
    case AggregateOp::null_count:
      return {Origin::aggregate, Datatype(TypeId::uint64), 1, false};
    case AggregateOp::mean:
    case AggregateOp::std:
      return {Origin::aggregate, Datatype(TypeId::float64), 1, nullable};
    case AggregateOp::sum: {
      const bool is_signed = field.type.is_signed();
      return {Origin::aggregate,
              Datatype(field.type.is_float() ? TypeId::float64
                       : is_signed           ? TypeId::int64
                                             : TypeId::uint64),
              1, nullable};
    }
    case AggregateOp::min:
    case AggregateOp::max:
      break;
  }
  field.origin = Origin::aggregate;
  return field;
}

Reader::Reader(QueryState& query) : query_(query), style_(query.offset_style()) {
  const tiledb::ArraySchema& schema = query.array()->stored_schema();
  if (!schema.sparse && !query.has_subarray())
    refuse("DenseReader: Cannot initialize reader; Dense reads must have a subarray set");
  std::vector<FieldBuffers>& buffers = query.all_buffers();
  if (buffers.empty()) refuse("Query: Cannot submit query; Buffers are not set");
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const FieldBuffers& one = buffers[i];
    const QueryField field = query.field(one.name);
    if (!one.data.size) refuse("Query: Data buffer is not set for field '{}'", one.name);
    if (field.var() && !one.offsets.size)
      refuse("Query: Var-Sized input attribute/dimension '{}' is not set correctly; Offsets buffer is not set",
             one.name);
    if (!field.var() && one.offsets.size) refuse("Query: field '{}' has cells of a fixed size, but offsets", one.name);
    if (field.nullable && !one.validity.size)
      refuse("Query: Nullable input attribute '{}' is not set correctly; Validity buffer is not set", one.name);
    if (!field.nullable && one.validity.size)
      refuse("Query: field '{}' is not nullable, but has a validity buffer", one.name);
    if (field.origin != Origin::aggregate)
      cells_.push_back(i);
    else if (!field.var() && one.data.room() < field.cell_size())
      refuse("Aggregate: the buffer of '{}' has {} bytes, its value {}", one.name, one.data.room(), field.cell_size());
    fields_.push_back(field);
  }
  filled_.resize(buffers.size());
  if (cells_.empty()) return;
  if (query.layout() == Order::global && !schema.sparse)
    for (std::size_t d = 0; d < schema.dimensions.size(); ++d)
      if (query.subarray()->ranges(d).size() > 1)
        refuse("DenseReader: Cannot initialize reader; Global order reads need one range per dimension");
  queries_ = in_range_order(engine_query(), *query.subarray(), schema.sparse);
}

Query Reader::engine_query() const {
  Query query;
  std::vector<std::string> names;
  std::uint64_t room = 0;
  for (const std::size_t i : cells_) {
    const FieldBuffers& one = query_.all_buffers()[i];
    names.push_back(one.name);
    room += one.data.room() + one.offsets.room() + one.validity.room();
  }
  query.fields = std::move(names);
  query.ranges = query_.subarray()->engine_ranges();
  query.label_ranges = query_.subarray()->engine_labels();
  query.where = query_.where();
  query.order = query_.layout();
  query.work = query_.array()->work();
  // Batches of a few times what the caller has room for: one that is asked for by pieces is not held whole.
  query.work.memory = std::min(query.work.memory, std::max<std::uint64_t>(256ull << 20, 4 * room));
  return query;
}

std::optional<Batch> Reader::next_batch() {
  for (;;) {
    if (!stream_) {
      if (queries_.empty()) return std::nullopt;
      stream_ = query_.array()->engine().query(queries_.front());
      queries_.pop_front();
    }
    if (std::optional<Batch> batch = stream_->next()) {
      if (batch->cells == 0) continue;
      return batch;
    }
    stream_.reset();
  }
}

// How many of the cells all buffers have room for.
std::uint64_t Reader::fitting(const Batch& batch, std::uint64_t first, std::uint64_t count) const {
  for (std::size_t c = 0; c < cells_.size() && count > 0; ++c) {
    const std::size_t i = cells_[c];
    const FieldBuffers& one = query_.all_buffers()[i];
    const QueryField& field = fields_[i];
    const Column& column = batch.columns[c];
    const Filled& filled = filled_[i];
    if (field.nullable) count = std::min(count, one.validity.room() - filled.cells);
    if (!field.var()) {
      count = std::min(count, (one.data.room() - filled.data) / field.cell_size());
      continue;
    }
    const std::uint64_t places = one.offsets.room() / style_.size(), used = filled.cells + (style_.extra ? 1 : 0);
    count = std::min(count, places > used ? places - used : 0);
    const std::uint64_t most = column.offsets[first] + (one.data.room() - filled.data);
    const auto* begin = column.offsets.data() + first + 1;
    count = static_cast<std::uint64_t>(std::upper_bound(begin, begin + count, most) - begin);
  }
  return count;
}

void Reader::copy_offsets(const Column& column, std::size_t i, std::uint64_t first, std::uint64_t count) {
  const Filled& filled = filled_[i];
  const std::uint64_t base = filled.data - column.offsets[first];
  const std::uint64_t unit = style_.elements ? fields_[i].type.size : 1;
  std::byte* to = query_.all_buffers()[i].offsets.data + filled.cells * style_.size();
  // The extra one is overwritten by the next cells.
  for (std::uint64_t cell = 0; cell < count + (style_.extra ? 1 : 0); ++cell, to += style_.size()) {
    const std::uint64_t offset = (column.offsets[first + cell] + base) / unit;
    if (style_.narrow) {
      const auto narrow = static_cast<std::uint32_t>(offset);
      std::memcpy(to, &narrow, sizeof narrow);
    } else {
      std::memcpy(to, &offset, sizeof offset);
    }
  }
}

void Reader::copy(const Batch& batch, std::uint64_t first, std::uint64_t count) {
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    const std::size_t i = cells_[c];
    FieldBuffers& one = query_.all_buffers()[i];
    const QueryField& field = fields_[i];
    const Column& column = batch.columns[c];
    Filled& filled = filled_[i];
    std::uint64_t from = first * field.cell_size(), bytes = count * field.cell_size();
    if (field.var()) {
      copy_offsets(column, i, first, count);
      from = column.offsets[first];
      bytes = column.offsets[first + count] - from;
    }
    if (bytes > 0) std::memcpy(one.data.data + filled.data, column.data.data() + from, bytes);
    if (field.nullable) {
      if (column.validity.empty())
        std::memset(one.validity.data + filled.cells, 1, count);
      else
        std::memcpy(one.validity.data + filled.cells, column.validity.data() + first, count);
    }
    filled.cells += count;
    filled.data += bytes;
  }
}

// Tells the caller how much of each buffer is filled.
void Reader::report() {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    FieldBuffers& one = query_.all_buffers()[i];
    one.data.fill(filled_[i].data);
    const std::uint64_t extra = style_.extra && filled_[i].cells > 0 ? 1 : 0;
    one.offsets.fill((filled_[i].cells + extra) * style_.size());
    one.validity.fill(filled_[i].cells);
  }
}

void Reader::add_aggregates() {
  const auto& wanted = query_.aggregates();
  if (wanted.empty()) return;
  Query query;
  query.ranges = query_.subarray()->engine_ranges();
  query.label_ranges = query_.subarray()->engine_labels();
  query.where = query_.where();
  query.aggregates = wanted;
  query.as_libtiledb = true;
  query.work = query_.array()->work();
  const Batch result = collect(*query_.array()->engine().query(query));
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].origin != Origin::aggregate) continue;
    FieldBuffers& one = query_.all_buffers()[i];
    const Column* column = result.column(one.name);
    if (!column || column->cells() != 1) refuse("Aggregate: there is no result '{}'", one.name);
    const ByteView value = column->cell(0);
    if (value.size() > one.data.room())
      refuse("Aggregate: the buffer of '{}' has {} bytes, its value {}", one.name, one.data.room(), value.size());
    if (!value.empty()) std::memcpy(one.data.data, value.data(), value.size());
    if (fields_[i].nullable && one.validity.room() > 0)
      one.validity.data[0] = std::byte{column->valid(0) ? std::uint8_t{1} : std::uint8_t{0}};
    if (fields_[i].var()) {
      const std::uint64_t zero = 0;
      std::memcpy(one.offsets.data, &zero, style_.size());
    }
    filled_[i] = {1, value.size()};
  }
}

void Reader::submit() {
  std::fill(filled_.begin(), filled_.end(), Filled{});
  for (const std::size_t i : cells_)
    if (!query_.all_buffers()[i].data.data && query_.all_buffers()[i].data.room() > 0)
      refuse("Query: Data buffer of field '{}' is null", query_.all_buffers()[i].name);
  query_.set_status(QueryStatus::in_progress);
  for (;;) {
    if (!batch_) {
      batch_ = next_batch();
      given_ = 0;
    }
    if (!batch_) break;
    const std::uint64_t count = fitting(*batch_, given_, batch_->cells - given_);
    if (count > 0) copy(*batch_, given_, count);
    given_ += count;
    if (given_ < batch_->cells) {
      report();
      query_.set_has_results(!cells_.empty() && filled_[cells_.front()].cells > 0);
      query_.set_status(QueryStatus::incomplete, StatusDetails::buffers_too_small);
      return;
    }
    batch_.reset();
  }
  add_aggregates();
  report();
  query_.set_has_results(std::any_of(filled_.begin(), filled_.end(), [](const Filled& f) { return f.cells > 0; }));
  query_.set_status(QueryStatus::completed);
}

}  // namespace tegula::capi
