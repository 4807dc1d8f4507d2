// No memory at some allocation of an operation: it ends with std::bad_alloc or an Error, or does its work in spite of
// it; nothing ends the process, and the array is as before or as after the change.
#include <gtest/gtest.h>

#include <cstdlib>

#include "counting/allocations.h"
#include "support/sample_operations.h"
#include "support/sanitized.h"

namespace tegula::testing {
namespace {

using Kind = SampleOperation::Kind;

// How many allocations of an operation fail, one after the other; TEGULA_EVERY_ALLOCATION makes it all of them.
std::uint64_t step_for(std::uint64_t count) {
  constexpr std::uint64_t kTried = 12;
  return std::getenv("TEGULA_EVERY_ALLOCATION") || count < kTried ? 1 : count / kTried;
}

StorePointer copied(const StorePointer& store) {
  const StorePointer copy = make_memory_store();
  copy_store(*store, *copy);
  return copy;
}

class AllocationRun {
 public:
  AllocationRun(const SampleOperation& operation, const StorePointer& whole) : operation_(operation), whole_(whole) {
    operation.run(copied(whole));  // what is made once, at the first use, is there from now on
    const StorePointer changed = copied(whole);
    const std::uint64_t before = allocations().large;
    expected_ = operation.run(changed);
    count_ = allocations().large - before;
    before_ = state_text(whole);
    after_ = state_text(changed);
  }
  std::uint64_t count() const { return count_; }

  void at(std::uint64_t number, bool lasting) {
    const StorePointer store = copied(whole_);
    std::optional<std::string> found;
    try {
      const AllocationFault fault(number, lasting);
      found = operation_.run(store);
    } catch (const std::bad_alloc&) {
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::corrupt) << error.what();
      EXPECT_NE(error.kind(), ErrorKind::not_found) << error.what();
    }
    if (!AllocationFault::struck()) return;
    if (operation_.kind == Kind::answer || operation_.kind == Kind::verify) {
      EXPECT_EQ(found.value_or(expected_), expected_);
      return;
    }
    try {
      const std::string now = state_text(store);
      if (found) {
        EXPECT_EQ(now, after_) << "the change said that it was done";
      } else if (!operation_.in_steps) {
        EXPECT_TRUE(now == before_ || now == after_) << now;
      }
    } catch (const Error& error) {
      ADD_FAILURE() << "afterwards: " << error.what();
    }
  }

 private:
  const SampleOperation& operation_;
  StorePointer whole_;
  std::string expected_, before_, after_;
  std::uint64_t count_ = 0;
};

class AllocationFaults : public ::testing::TestWithParam<SampleArray> {};

TEST_P(AllocationFaults, OfEveryOperation) {
  if (kSanitized) GTEST_SKIP() << "libraries leak when they run out of memory";
  const StorePointer sample = make_memory_store();
  make_sample(GetParam(), sample);
  for (const SampleOperation& operation : SampleOperations(GetParam()).take()) {
    const StorePointer whole = copied(sample);
    operation.prepare(whole);
    AllocationRun run(operation, whole);
    ASSERT_GT(run.count(), 0u);
    for (std::uint64_t number = 0; number < run.count(); number += step_for(run.count()))
      for (const bool lasting : {false, true}) {
        SCOPED_TRACE(
            fmt::format("{}: allocation {} of {}{}", operation.name, number, run.count(), lasting ? " and later" : ""));
        run.at(number, lasting);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Arrays, AllocationFaults, ::testing::ValuesIn(sample_arrays()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace tegula::testing
