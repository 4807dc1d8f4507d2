#include "run/rehearsal.h"

#include "base/error_message.h"
#include "base/fail.h"
#include "format/registry/registry.h"
#include "store/memory/memory_store.h"
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

void rehearse_new(const std::string& uri, const Schema& schema, const CreateOptions& options,
                  const std::function<void(Array&)>& change) {
  const std::shared_ptr<Store> store = make_memory_store();
  try {
    create(store, schema, options);
    OpenOptions opening;
    opening.key = options.key;
    opening.work = options.work;
    change_nothing(store, opening, change);
  } catch (const Error& error) {
    std::string message(error_message(error));
    const std::string here = store->describe("");
    if (const std::size_t at = message.find(here); at != std::string::npos) message.replace(at, here.size(), uri);
    fail(error.kind(), "{}", message);
  }
}

}  // namespace tegula::cli
