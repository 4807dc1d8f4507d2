// The power is cut at every change in turn, and what was not durable is lost: the array is as before or as after.
#include <fmt/format.h>

#include "format/zarr/numbers_array.h"
#include "store/wrap/failing_store.h"
#include "store/wrap/forgetting_store.h"

namespace tegula::testing {
namespace {

const std::function<bool(std::string_view)> kLost[] = {
    [](std::string_view) { return true; },
    [](std::string_view key) { return std::hash<std::string_view>()(key) % 2 == 0; },
    [](std::string_view key) { return std::hash<std::string_view>()(key) % 2 == 1; },
};

const std::vector<std::int32_t> kCells{1, 2, 3, 4, 5, 6};

// Runs `change` on a store with an array of kCells, cuts the power at change `at`, and gives what is left.
std::shared_ptr<Store> after_cut(const std::string& format, std::uint64_t at,
                                 const std::function<bool(std::string_view)>& lost,
                                 const std::function<void(std::shared_ptr<Store>)>& change) {
  const auto memory = make_memory_store();
  write(*create({format, {6}, {2}, {}}, memory), parse_selection("[...]"), kCells);
  const auto unsynced = std::make_shared<UnsyncedChanges>();
  const auto plan = std::make_shared<FaultPlan>();
  plan->at = at;
  try {
    change(failing_store(forgetting_store(memory, unsynced), plan));
  } catch (const Error&) {
  }
  unsynced->cut_power(*memory, lost);
  return memory;
}

class PowerCut : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Zarr, PowerCut, ::testing::Values("zarr0", "zarr1", "zarr2", "zarr3"));

TEST_P(PowerCut, WhileAnArrayIsOverwritten) {
  for (std::uint64_t at = 0; at < 10; ++at)
    for (const auto& lost : kLost) {
      SCOPED_TRACE(fmt::format("at change {}", at));
      const auto store = after_cut(GetParam(), at, lost, [&](std::shared_ptr<Store> on) {
        CreateOptions options;
        options.overwrite = true;
        zarr::kZarrDriver.create(std::move(on), schema_of({GetParam(), {4}, {2}, {}}), options);
      });
      if (zarr::kZarrDriver.probe(*store).kind == ObjectKind::none) continue;
      const auto array = reopen(store);
      const bool old = array->schema().shape() == Shape{6};
      EXPECT_EQ(read(*array, "[...]"), old ? kCells : std::vector<std::int32_t>(4, -7));
    }
}

TEST_P(PowerCut, AfterAShrinkNothingComesBack) {
  if (std::string_view(GetParam()) == "zarr0") return;  // keeps what is outside, as its library does
  for (const auto& lost : kLost) {
    const auto store =
        after_cut(GetParam(), UINT64_MAX, lost, [](std::shared_ptr<Store> on) { reopen(std::move(on))->resize({2}); });
    const auto array = reopen(store);
    array->resize({6});
    EXPECT_EQ(read(*array, "[...]"), (std::vector<std::int32_t>{1, 2, -7, -7, -7, -7}));
  }
}

}  // namespace
}  // namespace tegula::testing
