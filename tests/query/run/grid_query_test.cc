#include "query/run/grid_query.h"

#include <gtest/gtest.h>

#include "model/strided.h"
#include "query/make_columns.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

using testing::integers;

// A 6 x 5 array with cell (y, x) = 10 y + x, domains from 1.
class Grid : public GridSource {
 public:
  Grid() {
    for (const char* name : {"y", "x"}) {
      Dimension dimension;
      dimension.name = name;
      dimension.type = TypeId::int64;
      dimension.domain = {std::int64_t{1}, std::int64_t{*name == 'y' ? 6 : 5}};
      dimension.tile = std::int64_t{2};
      schema_.dimensions.push_back(dimension);
    }
    Attribute attribute;
    attribute.type = TypeId::int64;
    const std::int64_t fill = -1;
    attribute.fill = copy_of(std::as_bytes(std::span(&fill, 1)));
    schema_.attributes.push_back(attribute);
  }
  const Schema& schema() const override { return schema_; }
  void read(const Selection& selection, std::string_view, const StridedBuffer& out, const Work&) const override {
    const Picks picks = resolve(selection, {6, 5});
    ASSERT_EQ(picks.shape(), out.shape);
    auto* to = reinterpret_cast<std::int64_t*>(out.data);
    if (picks.points) {
      for (std::uint64_t k = 0; k < picks.cells(); ++k)
        *to++ = static_cast<std::int64_t>(10 * picks.axes[0].at(k) + picks.axes[1].at(k));
      return;
    }
    for (std::uint64_t y = 0; y < picks.axes[0].count; ++y)
      for (std::uint64_t x = 0; x < picks.axes[1].count; ++x)
        *to++ = static_cast<std::int64_t>(10 * picks.axes[0].at(y) + picks.axes[1].at(x));
  }

 private:
  Schema schema_;
};

TEST(GridQuery, Cells) {
  const struct {
    const char* select;
    const char* where;
    std::vector<std::uint64_t> shape;
    std::vector<std::int64_t> cells;
  } kCases[] = {
      {"[1:3, ::2]", "", {2, 3}, {10, 12, 14, 20, 22, 24}},
      {"[1:3, ::2]", "value > 12", {2, 3}, {-1, -1, 14, 20, 22, 24}},
      {"[1:3, ::2]", "x == 3", {2, 3}, {-1, 12, -1, -1, 22, -1}},
      {"[2, 1:4]", "value != 22 and y == 3", {3}, {21, -1, 23}},
      {"[::-2, 4]", "", {3}, {54, 34, 14}},
      {"[[5, 0], [3]]", "", {2, 1}, {53, 3}},
      {"[0:0, 1]", "", {0}, {}},
      {"[3, 3]", "", {}, {33}},
  };
  for (const auto& row : kCases) {
    for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{1}}) {
      Query query;
      query.select = parse_selection(row.select);
      query.where = row.where;
      query.work.memory = memory;
      const auto stream = query_grid(std::make_shared<Grid>(), query);
      const Batch batch = collect(*stream);
      EXPECT_EQ(batch.shape, row.shape) << row.select;
      EXPECT_EQ(integers(batch, ""), row.cells) << row.select << row.where;
      EXPECT_FALSE(stream->next());
    }
  }
}

TEST(GridQuery, RangesCoordinatesAggregates) {
  Query query;
  query.ranges = {{"x", {{std::int64_t{2}, std::int64_t{3}}}},
                  {"y", {{std::int64_t{6}, std::int64_t{6}}, {std::int64_t{1}, std::int64_t{1}}}}};
  query.fields = {{"y", "x", ""}};
  const Batch batch = collect(*query_grid(std::make_shared<Grid>(), query));
  EXPECT_EQ(integers(batch, "y"), (std::vector<std::int64_t>{6, 6, 1, 1}));
  EXPECT_EQ(integers(batch, "x"), (std::vector<std::int64_t>{2, 3, 2, 3}));
  EXPECT_EQ(integers(batch, ""), (std::vector<std::int64_t>{51, 52, 1, 2}));
  query.fields.reset();
  query.aggregates = {{"n", AggregateOp::count, ""}, {"s", AggregateOp::sum, ""}, {"m", AggregateOp::max, "y"}};
  query.where = "value < 52";
  EXPECT_EQ(integers(collect(*query_grid(std::make_shared<Grid>(), query)), "s"), (std::vector<std::int64_t>{54}));
  EXPECT_EQ(integers(collect(*query_grid(std::make_shared<Grid>(), query)), "m"), (std::vector<std::int64_t>{6}));
  query.ranges[0].ranges[0].high = std::int64_t{9};
  EXPECT_ERROR(invalid_argument, "leaves its domain", query_grid(std::make_shared<Grid>(), query));
}

}  // namespace
}  // namespace tegula
