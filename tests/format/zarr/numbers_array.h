// Arrays of int32 in a store of their own, and the answers that a plain vector gives.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "format/zarr/driver.h"
#include "model/strided.h"
#include "store/memory/memory_store.h"
#include "tegula/tegula.h"

namespace tegula::testing {

using Shape = std::vector<std::uint64_t>;

struct ArrayPlan {
  std::string format = "zarr2";
  Shape shape, chunks;
  std::vector<Filter> filters;
  Order order = Order::row;
  std::int32_t fill = -7;
};

inline Schema schema_of(const ArrayPlan& plan) {
  Schema schema;
  schema.format = plan.format;
  schema.cell_order = plan.order;
  for (std::size_t a = 0; a < plan.shape.size(); ++a) {
    Dimension dimension;
    dimension.name = "dim_" + std::to_string(a);
    dimension.type = Datatype(TypeId::uint64);
    if (plan.shape[a]) dimension.domain = {std::uint64_t{0}, plan.shape[a] - 1};
    dimension.tile = plan.chunks[a];
    schema.dimensions.push_back(dimension);
  }
  Attribute attribute;
  attribute.type = Datatype(TypeId::int32);
  attribute.filters = plan.filters;
  attribute.fill.resize(4);
  std::memcpy(attribute.fill.data(), &plan.fill, 4);
  schema.attributes.push_back(attribute);
  return schema;
}

inline std::shared_ptr<Array> create(const ArrayPlan& plan, std::shared_ptr<Store> store) {
  return zarr::kZarrDriver.create(std::move(store), schema_of(plan), {});
}
inline std::shared_ptr<Array> reopen(std::shared_ptr<Store> store, OpenOptions options = {}) {
  return zarr::kZarrDriver.open(std::move(store), options);
}

inline std::vector<std::int32_t> read(const Array& array, const Selection& selection, Shape* shape = nullptr) {
  const Picks picks = resolve(selection, array.schema().shape());
  std::vector<std::int32_t> out(picks.cells());
  const Shape box = picks.shape();
  array.read(selection, "", {reinterpret_cast<std::byte*>(out.data()), box, contiguous_strides(box, 4)});
  if (shape) *shape = box;
  return out;
}
inline std::vector<std::int32_t> read(const Array& array, std::string_view selection) {
  return read(array, parse_selection(selection));
}

inline void write(Array& array, const Selection& selection, const std::vector<std::int32_t>& values) {
  const Shape box = resolve(selection, array.schema().shape()).shape();
  array.write(selection, "", {reinterpret_cast<const std::byte*>(values.data()), box, contiguous_strides(box, 4)});
}

// What append() takes.
inline Batch rows(const std::vector<std::int32_t>& values) {
  Batch batch;
  Column& column = batch.columns.emplace_back();
  column.type = Datatype(TypeId::int32);
  column.data = copy_of(std::as_bytes(std::span(values)));
  batch.cells = values.size();
  return batch;
}

// An array in plain memory that does what a zarr array must do.
class Oracle {
 public:
  Oracle(Shape shape, std::int32_t fill) : shape_(std::move(shape)), cells_(cell_count(shape_), fill) {}

  std::vector<std::int32_t> read(const Selection& selection) const {
    std::vector<std::int32_t> out;
    visit(selection, [&](std::size_t at) { out.push_back(cells_[at]); });
    return out;
  }
  void write(const Selection& selection, const std::vector<std::int32_t>& values) {
    std::size_t next = 0;
    visit(selection, [&](std::size_t at) { cells_[at] = values[next++]; });
  }
  const std::vector<std::int32_t>& cells() const { return cells_; }

 private:
  template <class Visit>
  void visit(const Selection& selection, Visit visit_cell) const {
    const Picks picks = resolve(selection, shape_);
    const Shape box = picks.points ? Shape{picks.cells()} : picks.full_shape();
    for (std::uint64_t i = 0; i < cell_count(box); ++i) {
      std::uint64_t rest = i, at = 0, scale = 1;
      for (std::size_t a = shape_.size(); a-- > 0;) {
        const std::uint64_t place = picks.points ? i : rest % box[a];
        if (!picks.points) rest /= box[a];
        at += picks.axes[a].at(place) * scale;
        scale *= shape_[a];
      }
      visit_cell(at);
    }
  }

  Shape shape_;
  std::vector<std::int32_t> cells_;
};

// A selection that suits the shape: integers, slices of any step and direction, lists, masks, points.
inline Selection random_selection(const Shape& shape, std::mt19937& random, bool for_writing) {
  auto below = [&](std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random); };
  Selection selection;
  if (!for_writing && below(5) == 0) {
    selection.points = true;
    const std::uint64_t count = 1 + below(9);
    for (const std::uint64_t n : shape) {
      IndexList list;
      for (std::uint64_t i = 0; i < count; ++i)
        list.push_back(static_cast<std::int64_t>(below(2 * n)) - static_cast<std::int64_t>(n));
      selection.axes.emplace_back(std::move(list));
    }
    return selection;
  }
  for (const std::uint64_t n : shape) {
    const auto size = static_cast<std::int64_t>(n);
    switch (below(6)) {
      case 0:
        selection.axes.emplace_back(static_cast<std::int64_t>(below(2 * n)) - size);
        break;
      case 1: {
        Mask mask(n);
        for (std::uint64_t i = 0; i < n; ++i) mask[i] = below(2) == 0;
        mask[below(n)] = true;
        selection.axes.emplace_back(std::move(mask));
        break;
      }
      case 2: {
        // Writing to a list that names a cell twice has no defined result.
        IndexList list;
        for (std::int64_t i = 0; i < size; ++i)
          if (below(3) == 0) list.push_back(for_writing ? i : static_cast<std::int64_t>(below(n)));
        if (list.empty()) list.push_back(-1);
        selection.axes.emplace_back(std::move(list));
        break;
      }
      default: {
        Slice slice;
        slice.step = static_cast<std::int64_t>(below(4)) + 1;
        if (below(3) == 0) slice.step = -slice.step;
        if (below(3) != 0) slice.start = static_cast<std::int64_t>(below(2 * n)) - size;
        if (below(3) != 0) slice.stop = static_cast<std::int64_t>(below(2 * n)) - size;
        selection.axes.emplace_back(slice);
      }
    }
  }
  return selection;
}

inline Filter filter(std::string name, std::vector<std::pair<std::string, Value>> options = {}) {
  return {std::move(name), std::move(options)};
}

}  // namespace tegula::testing
