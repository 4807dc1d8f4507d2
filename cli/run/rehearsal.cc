#include "run/rehearsal.h"

#include "format/registry/registry.h"
#include "store/wrap/failing_store.h"
#include "tegula/error.h"

namespace tegula::cli {

namespace {

void change_nothing(const std::shared_ptr<Store>& store, const OpenOptions& options,
                    const std::function<void(Array&)>& change) {
  const auto plan = std::make_shared<FaultPlan>();
  const std::shared_ptr<Array> array = open(failing_store(store, plan), options);
  plan->at = 0;
  try {
    change(*array);
  } catch (const Error&) {
    if (plan->changes == 0) throw;
  }
}

}  // namespace

void rehearse(const std::string& uri, const OpenFlags& flags, const Globals& globals,
              const std::function<void(Array&)>& change) {
  change_nothing(store_of(uri, globals), flags.options(globals), change);
}

}  // namespace tegula::cli
