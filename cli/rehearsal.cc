#include "rehearsal.h"

#include "format/open.h"
#include "store/wrappers.h"
#include "tegula/error.h"

namespace tegula::cli {

void rehearse(const std::string& uri, const OpenFlags& flags, const Globals& globals,
              const std::function<void(Array&)>& change) {
  const auto plan = std::make_shared<FaultPlan>();
  const std::shared_ptr<Array> array = open(failing_store(store_of(uri, globals), plan), flags.options(globals));
  plan->at = 0;
  try {
    change(*array);
  } catch (const Error&) {
    if (plan->changes == 0) throw;
  }
}

}  // namespace tegula::cli
