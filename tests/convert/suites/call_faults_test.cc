// A fault at every single call of every operation of every family. The answer is right, or an error that says what
// failed; never a fill value, never a removal; and the array is as before or as after a change.
#include <gtest/gtest.h>

#include "store/wrap/faulty_store.h"
#include "support/sample_operations.h"
#include "support/sanitized.h"

namespace tegula::testing {
namespace {

using Kind = SampleOperation::Kind;

constexpr StoreFault kFaults[] = {StoreFault::denied,   StoreFault::broken,    StoreFault::no_descriptors,
                                  StoreFault::no_space, StoreFault::cut_short, StoreFault::vanished};

bool in_the_file(StoreFault fault) { return fault == StoreFault::cut_short || fault == StoreFault::vanished; }

// Does the error say what went wrong? Of a file that ends early or is gone it may say where that was noticed.
bool says_so(const Error& error, StoreFault fault) {
  const std::string_view what = error.what();
  switch (fault) {
    case StoreFault::denied:
      return error.kind() == ErrorKind::permission && what.find("denied") != what.npos;
    case StoreFault::cut_short:
      return error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::io;
    case StoreFault::vanished:
      return error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::io ||
             error.kind() == ErrorKind::not_found;
    default:
      return error.kind() == ErrorKind::io && what.find(name(fault)) != what.npos;
  }
}

StorePointer copy_of_store(const StorePointer& store) {
  const StorePointer copy = make_memory_store();
  copy_store(*store, *copy);
  return copy;
}

// Runs one operation with the fault at one call. Returns whether there was such a call.
class FaultRun {
 public:
  FaultRun(const SampleOperation& operation, const StorePointer& whole) : operation_(operation), whole_(whole) {
    const StorePointer changed = copy_of_store(whole);
    expected_ = operation.run(changed);
    before_ = state_text(whole);
    after_ = state_text(changed);
  }

  bool at(StoreFault fault, std::uint64_t call, bool lasting) {
    const StorePointer store = copy_of_store(whole_);
    const auto plan = std::make_shared<CallFault>();
    plan->fault = fault;
    plan->at = call;
    plan->lasting = lasting;
    std::optional<std::string> found;
    std::string error_text;
    try {
      found = operation_.run(faulty_store(store, plan));
    } catch (const Error& error) {
      error_text = error.what();
      EXPECT_TRUE(says_so(error, fault)) << error.what();
    }
    if (plan->failed == 0) {
      EXPECT_EQ(error_text, "");
      return false;
    }
    const bool trusted = (fault == StoreFault::vanished && operation_.trusts_absence) ||
                         (fault == StoreFault::cut_short && operation_.trusts_size);
    if (trusted) return true;
    if (found && operation_.kind == Kind::answer) {
      EXPECT_EQ(*found, expected_) << "an answer in spite of the fault";
    }
    if (found && operation_.kind == Kind::verify && !in_the_file(fault)) {
      EXPECT_NE(*found, expected_) << "nothing was noticed";
    }
    if (operation_.kind == Kind::repair && in_the_file(fault)) return true;
    if (operation_.kind == Kind::answer || operation_.kind == Kind::verify) return true;
    expect_state(store, found.has_value());
    return true;
  }

 private:
  // The array is readable, and holds what it held before or what the change makes of it.
  void expect_state(const StorePointer& store, bool done) {
    try {
      const std::string now = state_text(store);
      if (done) {
        EXPECT_EQ(now, after_) << "the change said that it was done";
      } else if (!operation_.in_steps) {
        EXPECT_TRUE(now == before_ || now == after_) << now;
      }
      EXPECT_EQ(damage_in(store), "");
    } catch (const Error& error) {
      ADD_FAILURE() << "afterwards: " << error.what();
    }
  }
  static std::string damage_in(const StorePointer& store) {
    std::vector<Problem> problems = open(store)->verify();
    // A table whose columns have different lengths reads as before the change; bcolz does not open it, so it is damage.
    std::erase_if(problems, [](const Problem& problem) {
      return problem.severity == Problem::Severity::note ||
             problem.text.find("the shortest column has") != std::string::npos;
    });
    return problems_text(problems);
  }

  const SampleOperation& operation_;
  StorePointer whole_;
  std::string expected_, before_, after_;
};

class CallFaults : public ::testing::TestWithParam<SampleArray> {};

TEST_P(CallFaults, OfEveryOperation) {
  const StorePointer sample = make_memory_store();
  make_sample(GetParam(), sample);
  std::uint64_t runs = 0;
  for (const SampleOperation& operation : SampleOperations(GetParam()).take()) {
    const StorePointer whole = copy_of_store(sample);
    operation.prepare(whole);
    FaultRun run(operation, whole);
    for (const StoreFault fault : kFaults)
      for (const bool lasting : {false, true}) {
        if (lasting && kSanitized) continue;
        for (std::uint64_t call = 0;; ++call, ++runs) {
          SCOPED_TRACE(
              fmt::format("{}: {} at call {}{}", operation.name, name(fault), call, lasting ? " and later" : ""));
          if (!run.at(fault, call, lasting)) break;
        }
      }
  }
  EXPECT_GT(runs, 200u);
}

INSTANTIATE_TEST_SUITE_P(Arrays, CallFaults, ::testing::ValuesIn(sample_arrays()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace tegula::testing
