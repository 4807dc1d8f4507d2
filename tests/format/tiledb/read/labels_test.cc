// Labels of sparse arrays, as libtiledb 2.30 reads them: for the coordinates of the ranges, with cells there or not.
#include <gtest/gtest.h>

#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "store/wrap/sub_store.h"
#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

using Longs = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

template <class T>
Column column(std::string name, TypeId type, const std::vector<T>& values) {
  Column column;
  column.name = std::move(name);
  column.type = type;
  for (const T value : values) {
    column.data.resize(column.data.size() + sizeof(T));
    store_le<T>(column.data.data() + column.data.size() - sizeof(T), value);
  }
  return column;
}

// Cells at 1, 2, 5 and 8 of 0 .. 9; the label of x is x / 4.
std::shared_ptr<Array> labelled_array() {
  const auto store = make_memory_store();
  Schema schema = writing::make_schema(
      true, {writing::dimension("x", TypeId::int64, std::int64_t{0}, std::int64_t{9}, std::int64_t{5})},
      {writing::attribute("a", TypeId::int64)});
  schema.labels = {{"quarter", 0, TypeId::float64, 1, true}};
  const std::shared_ptr<Array> array = create_array(store, schema, {});
  Batch cells;
  cells.cells = 4;
  cells.columns = {column<std::int64_t>("x", TypeId::int64, {1, 2, 5, 8}),
                   column<std::int64_t>("a", TypeId::int64, {10, 20, 50, 80})};
  array->write(cells);
  TiledbArray labels(sub_store(store, "__labels/l0"), {});
  Doubles quarters;
  for (int i = 0; i < 10; ++i) quarters.push_back(i / 4.0);
  labels.write({}, "label", {reinterpret_cast<const std::byte*>(quarters.data()), {10}, {8}}, {});
  return array;
}

TEST(Labels, ComeWithTheRangesOfASparseQuery) {
  const auto array = labelled_array();
  const auto range = [](std::int64_t low, std::int64_t high) { return Range{low, high}; };
  struct Case {
    std::vector<Range> ranges;
    Longs cells;
    Doubles labels;
  };
  for (const Case& c : std::vector<Case>{{{range(2, 5)}, {2, 5}, {0.5, 0.75, 1, 1.25}},
                                         {{range(7, 8), range(1, 2)}, {1, 2, 8}, {1.75, 2, 0.25, 0.5}},
                                         {{range(3, 4)}, {}, {0.75, 1}}}) {
    Query query;
    query.fields = {"x", "quarter"};
    query.ranges = {{"x", c.ranges}};
    for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{100}}) {
      query.work.memory = memory;
      const Batch batch = ask(*array, query);
      EXPECT_EQ(batch.cells, c.cells.size());
      EXPECT_EQ(values<std::int64_t>(*batch.column("x")), c.cells);
      EXPECT_EQ(values<double>(*batch.column("quarter")), c.labels);
    }
    query.fields = {"quarter"};
    EXPECT_EQ(values<double>(*ask(*array, query).column("quarter")), c.labels);
  }
}

TEST(Labels, FindTheCellsOfASparseArray) {
  const auto array = labelled_array();
  Query query;
  query.fields = {"a", "quarter"};
  query.label_ranges = {{"quarter", {{0.3, 1.3}}}};
  const Batch batch = ask(*array, query);
  EXPECT_EQ(values<std::int64_t>(*batch.column("a")), (Longs{20, 50}));
  EXPECT_EQ(values<double>(*batch.column("quarter")), (Doubles{0.5, 0.75, 1, 1.25}));
}

TEST(Labels, OfAWholeDomainHaveToFitTheBudget) {
  const auto array = labelled_array();
  Query query;
  query.fields = {"quarter"};
  EXPECT_EQ(ask(*array, query).columns[0].cells(), 10u);
  query.work.memory = 79;
  EXPECT_ERROR(invalid_argument, "10 labels", ask(*array, query));
}

}  // namespace
}  // namespace tegula::tiledb
