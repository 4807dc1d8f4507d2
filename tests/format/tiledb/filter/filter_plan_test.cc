#include "format/tiledb/filter/filter_plan.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula::tiledb {
namespace {

constexpr std::uint8_t kInt32 = 0, kFloat64 = 3, kUint8 = 6, kDatetimeDay = 21;

FilterPlan plan_of(std::vector<FilterStep> steps, const FilterInput& input) {
  Pipeline pipeline;
  pipeline.steps = std::move(steps);
  return make_plan(pipeline, input, nullptr);
}

TEST(FilterPlan, types_chain_only_for_newer_writers) {
  const std::vector<FilterStep> steps{{.type = FilterType::scale_float, .byte_width = 2},
                                      {.type = FilterType::byteshuffle}};
  EXPECT_EQ(plan_of(steps, {.type_code = kFloat64, .cell_size = 8, .chained = true}).steps[1].element_size, 2u);
  EXPECT_EQ(plan_of(steps, {.type_code = kFloat64, .cell_size = 8, .chained = false}).steps[1].element_size, 8u);
}

TEST(FilterPlan, dates_pass_through_before_version_20) {
  const std::vector<FilterStep> steps{{.type = FilterType::bit_width, .window = 256},
                                      {.type = FilterType::positive_delta, .window = 64}};
  EXPECT_EQ(plan_of(steps, {.type_code = kDatetimeDay, .cell_size = 8, .dates = false}).steps.size(), 0u);
  EXPECT_EQ(plan_of(steps, {.type_code = kDatetimeDay, .cell_size = 8, .dates = true}).steps.size(), 2u);
}

TEST(FilterPlan, what_cannot_be_done_is_said) {
  EXPECT_ERROR(unsupported, "bit sort",
               plan_of({{.type = FilterType::bitsort}}, {.type_code = kInt32, .cell_size = 4}));
  EXPECT_ERROR(unsupported, "delta", plan_of({{.type = FilterType::delta}}, {.type_code = kFloat64, .cell_size = 8}));
  EXPECT_ERROR(invalid_argument, "give the key",
               plan_of({{.type = FilterType::aes_gcm}}, {.type_code = kUint8, .cell_size = 1}));
}

}  // namespace
}  // namespace tegula::tiledb
