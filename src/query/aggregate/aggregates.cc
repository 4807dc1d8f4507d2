#include "query/aggregate/aggregates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/endian.h"
#include "base/fail.h"
#include "query/aggregate/reduce.h"
#include "query/columns/cells.h"
#include "query/columns/gather.h"
#include "query/language/literal.h"
#include "query/language/parse_aggregates.h"

namespace tegula {
namespace {

constexpr std::uint64_t kStep = 2048;
constexpr std::int64_t kNaT = std::numeric_limits<std::int64_t>::min();

bool extreme(AggregateOp op) { return op == AggregateOp::min || op == AggregateOp::max; }
bool is_real(CellClass cells) {
  return cells == CellClass::half || cells == CellClass::real32 || cells == CellClass::real64;
}

void check(const Aggregate& aggregate, const FieldInfo& field, CellClass cells) {
  if (aggregate.op == AggregateOp::count || aggregate.op == AggregateOp::null_count) return;
  const std::string_view op = name_of(aggregate.op);
  if (cells == CellClass::none) fail(ErrorKind::unsupported, "{} has no {}", describe(field), op);
  const bool number = cells == CellClass::integer || is_real(cells);
  if (!extreme(aggregate.op) && (!number || field.type.id == TypeId::datetime))
    fail(ErrorKind::invalid_argument, "{} has no {}: it takes numbers", describe(field), op);
}

bool unsigned_sum(const Datatype& type) {
  return type.id == TypeId::boolean || (type.is_integer() && !type.is_signed());
}

Int128 clamped(Int128 value, Int128 low, Int128 high) { return value < low ? low : value > high ? high : value; }

}  // namespace

void refuse_libtiledb_rules(const Query& query) {
  if (query.as_libtiledb) fail(ErrorKind::invalid_argument, "libtiledb's rules are for TileDB arrays");
}

struct Accumulator::State {
  Aggregate aggregate;
  FieldInfo field;
  AggregateRules rules = AggregateRules::common;
  CellClass cells = CellClass::none;

  std::uint64_t seen = 0;  // cells that counted
  Int128 integer_sum = 0;
  double real_sum = 0;
  Moments moments;
  bool has_value = false;
  Bytes value;              // min, max: one cell
  bool not_a_time = false;  // sum, mean, std of durations: a NaT was among them

  bool common() const { return rules == AggregateRules::common; }

  // `keep` has one byte per cell, or is null when all count.
  void take(const ColumnView& column, std::uint64_t first, std::uint64_t count, const std::uint8_t* keep) {
    const std::uint64_t kept = keep ? count_set({keep, count}) : count;
    if (kept == 0) return;
    const bool start = seen == 0;
    seen += kept;
    const std::byte* const data = column.data + (field.var() ? 0 : first * field.cell_size());
    if (common() && field.type.id == TypeId::timedelta && !extreme(aggregate.op)) look_for_nat(data, count, keep);
    switch (aggregate.op) {
      case AggregateOp::sum:
      case AggregateOp::mean:
        if (is_real(cells))
          real_sum = sum_reals(field.type, data, count, keep, start ? 0.0 : real_sum, common());
        else
          integer_sum += sum_integers(field.type, data, count, keep);
        break;
      case AggregateOp::std:
        moments.merge(moments_of(field.type, data, count, keep));
        break;
      case AggregateOp::min:
      case AggregateOp::max:
        take_extreme(column, data, first, count, keep);
        break;
      default:
        break;
    }
  }

  void look_for_nat(const std::byte* data, std::uint64_t count, const std::uint8_t* keep) {
    std::array<std::byte, sizeof(std::int64_t)> least{};
    extreme_number(field.type, true, true, data, count, keep, false, least.data());
    const auto ticks =
        field.type.big_endian ? load_be<std::int64_t>(least.data()) : load_le<std::int64_t>(least.data());
    not_a_time |= ticks == kNaT;
  }

  void take_extreme(const ColumnView& column, const std::byte* data, std::uint64_t first, std::uint64_t count,
                    const std::uint8_t* keep) {
    const bool min = aggregate.op == AggregateOp::min;
    if (cells == CellClass::integer || is_real(cells)) {
      if (!has_value) value.resize(field.type.size);
      extreme_number(field.type, min, common(), data, count, keep, has_value, value.data());
      has_value = true;
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i)
      if (!keep || keep[i]) take_text(text_cell(field, column, first + i));
  }

  void take_text(ByteView cell) {
    const bool min = aggregate.op == AggregateOp::min;
    if (has_value) {
      const int order = compare_text(cell, value, cells == CellClass::fixed_unicode, field.type.big_endian);
      if (min ? order >= 0 : order <= 0) return;
    }
    has_value = true;
    value.assign(cell.begin(), cell.end());
  }

  void take_value(ByteView cell) {
    ColumnView one(cell.data());
    if (cells == CellClass::integer || is_real(cells))
      take_extreme(one, cell.data(), 0, 1, nullptr);
    else
      take_text(cell);
  }
};

Accumulator::Accumulator(const Aggregate& aggregate, const FieldInfo& field, AggregateRules rules)
    : state_(std::make_unique<State>()) {
  state_->aggregate = aggregate;
  state_->field = field;
  state_->field.enumeration = nullptr;
  state_->rules = rules;
  state_->cells = cell_class(field);
  check(aggregate, field, state_->cells);
}
Accumulator::Accumulator(Accumulator&&) noexcept = default;
Accumulator& Accumulator::operator=(Accumulator&&) noexcept = default;
Accumulator::~Accumulator() = default;

void Accumulator::update(const ColumnView& column, std::uint64_t first, std::uint64_t count, const std::uint8_t* mask) {
  State& state = *state_;
  if (state.aggregate.op == AggregateOp::count) {
    state.seen += mask ? count_set({mask, count}) : count;
    return;
  }
  if (column.absent) return;
  if (state.aggregate.op == AggregateOp::null_count) {
    if (!column.validity) return;
    for (std::uint64_t i = 0; i < count; ++i)
      state.seen += (!mask || mask[i]) && column.validity[first + i] == std::byte{0};
    return;
  }
  if (!column.validity) return state.take(column, first, count, mask);
  std::array<std::uint8_t, kStep> keep;
  for (std::uint64_t done = 0; done < count; done += kStep) {
    const std::uint64_t n = std::min(kStep, count - done);
    for (std::uint64_t i = 0; i < n; ++i) keep[i] = !mask || mask[done + i];
    mask_nulls(column, first + done, n, keep.data());
    state.take(column, first + done, n, keep.data());
  }
}

bool Accumulator::can_add(const AggregateStats& stats) const {
  const State& state = *state_;
  const std::uint64_t valid = stats.cells - std::min(stats.cells, stats.null_count);
  // A NaT is the smallest number of all: the minimum tells of it.
  if (valid > 0 && extreme(state.aggregate.op) && state.common() && state.field.type.is_date())
    return stats.min.size() == state.field.cell_size() && stats.max.size() == state.field.cell_size();
  switch (state.aggregate.op) {
    case AggregateOp::count:
    case AggregateOp::null_count:
      return true;
    case AggregateOp::min:
      return valid == 0 || state.field.var() || stats.min.size() == state.field.cell_size();
    case AggregateOp::max:
      return valid == 0 || state.field.var() || stats.max.size() == state.field.cell_size();
    case AggregateOp::std:
      return false;
    case AggregateOp::sum:
    case AggregateOp::mean:
      break;
  }
  if (valid == 0) return true;
  if (!stats.sum || stats.sum->size() != 8) return false;
  // A sum at a limit of its type may have been clamped.
  const std::byte* const sum = stats.sum->data();
  if (is_real(state.cells)) return std::fabs(load_le<double>(sum)) < std::numeric_limits<double>::max();
  if (unsigned_sum(state.field.type)) return load_le<std::uint64_t>(sum) != UINT64_MAX;
  return load_le<std::int64_t>(sum) != INT64_MAX && load_le<std::int64_t>(sum) != INT64_MIN;
}

void Accumulator::add(const AggregateStats& stats) {
  State& state = *state_;
  const std::uint64_t valid = stats.cells - std::min(stats.cells, stats.null_count);
  switch (state.aggregate.op) {
    case AggregateOp::count:
      state.seen += stats.cells;
      return;
    case AggregateOp::null_count:
      state.seen += stats.null_count;
      return;
    default:
      break;
  }
  if (valid == 0) return;
  state.seen += valid;
  if (extreme(state.aggregate.op) && state.common() && state.field.type.is_date()) state.take_value(stats.min);
  switch (state.aggregate.op) {
    case AggregateOp::min:
      return state.take_value(stats.min);
    case AggregateOp::max:
      return state.take_value(stats.max);
    default:
      break;
  }
  const std::byte* const sum = stats.sum->data();
  if (is_real(state.cells))
    state.real_sum += load_le<double>(sum);
  else
    state.integer_sum +=
        unsigned_sum(state.field.type) ? Int128{load_le<std::uint64_t>(sum)} : Int128{load_le<std::int64_t>(sum)};
}

void Accumulator::merge(const Accumulator& later) {
  State& state = *state_;
  const State& other = *later.state_;
  state.integer_sum += other.integer_sum;
  if (other.seen && is_real(state.cells))
    state.real_sum = state.seen ? state.real_sum + other.real_sum : other.real_sum;
  state.moments.merge(other.moments);
  state.seen += other.seen;
  state.not_a_time |= other.not_a_time;
  if (other.has_value) state.take_value(other.value);
}

Column Accumulator::finish() const {
  const State& state = *state_;
  const AggregateOp op = state.aggregate.op;
  Column out;
  out.name = state.aggregate.name;
  const auto put = [&](const Datatype& type, auto number) {
    out.type = type;
    out.data.resize(sizeof(number));
    store(out.data.data(), number);
  };
  if (op == AggregateOp::count || op == AggregateOp::null_count) {
    put(TypeId::uint64, state.seen);
    return out;
  }
  out.nullable = state.common() ? op != AggregateOp::sum : state.field.nullable;
  if (out.nullable) out.validity.assign(1, std::byte{state.seen != 0});
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kMax = std::numeric_limits<double>::max();
  // libtiledb clamps sums to the largest finite number.
  const double real_sum =
      !state.common() && std::isinf(state.real_sum) ? std::copysign(kMax, state.real_sum) : state.real_sum;
  switch (op) {
    case AggregateOp::min:
    case AggregateOp::max:
      out.type = state.field.type;
      out.values_per_cell = state.field.values_per_cell;
      out.data = state.value;
      if (!state.has_value) out.data.assign(state.field.cell_size(), std::byte{0});
      if (out.var()) out.offsets = {0, out.data.size()};
      break;
    case AggregateOp::sum:
      if (is_real(state.cells)) {
        put(TypeId::float64, real_sum);
      } else if (unsigned_sum(state.field.type)) {
        put(TypeId::uint64, static_cast<std::uint64_t>(clamped(state.integer_sum, 0, UINT64_MAX)));
      } else {
        Datatype type = TypeId::int64;
        if (state.field.type.id == TypeId::timedelta) {
          type = state.field.type;
          type.big_endian = false;
        }
        put(type,
            state.not_a_time ? kNaT : static_cast<std::int64_t>(clamped(state.integer_sum, INT64_MIN, INT64_MAX)));
      }
      break;
    case AggregateOp::mean: {
      const double sum = is_real(state.cells) ? real_sum : static_cast<double>(state.integer_sum);
      put(TypeId::float64, state.seen && !state.not_a_time ? sum / static_cast<double>(state.seen) : kNaN);
      break;
    }
    default:
      put(TypeId::float64, state.seen && !state.not_a_time ? state.moments.deviation() : kNaN);
      break;
  }
  return out;
}

AggregateSet::AggregateSet(std::span<const Aggregate> aggregates, std::span<const FieldInfo> fields,
                           AggregateRules rules)
    : aggregates_(aggregates.begin(), aggregates.end()), rules_(rules) {
  for (const Aggregate& aggregate : aggregates_) {
    if (aggregate.op == AggregateOp::count) {
      inputs_.push_back(std::nullopt);
      accumulators_.emplace_back(aggregate, FieldInfo{}, rules);
      continue;
    }
    const auto known = std::ranges::find(fields, aggregate.field, &FieldInfo::name);
    if (known == fields.end())
      fail(ErrorKind::invalid_argument, "{}({}): there is no field '{}'", name_of(aggregate.op), aggregate.field,
           aggregate.field);
    const auto used = std::ranges::find(fields_, aggregate.field, &FieldInfo::name);
    inputs_.push_back(static_cast<std::size_t>(used - fields_.begin()));
    if (used == fields_.end()) {
      fields_.push_back(*known);
      fields_.back().enumeration = nullptr;
    }
    accumulators_.emplace_back(aggregate, *known, rules);
  }
}

void AggregateSet::update(std::span<const ColumnView> columns, std::uint64_t first, std::uint64_t count,
                          const std::uint8_t* mask) {
  for (std::size_t i = 0; i < accumulators_.size(); ++i)
    accumulators_[i].update(inputs_[i] ? columns[*inputs_[i]] : ColumnView(), first, count, mask);
}

void AggregateSet::merge(const AggregateSet& later) {
  for (std::size_t i = 0; i < accumulators_.size(); ++i) accumulators_[i].merge(later.accumulators_[i]);
}

AggregateSet AggregateSet::fresh() const { return AggregateSet(aggregates_, fields_, rules_); }

Batch AggregateSet::finish() const {
  Batch batch;
  batch.cells = 1;
  for (const Accumulator& accumulator : accumulators_) batch.columns.push_back(accumulator.finish());
  return batch;
}

}  // namespace tegula
