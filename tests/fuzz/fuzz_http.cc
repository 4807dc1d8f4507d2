// room: serve
// Requests that anybody may send: whatever the bytes are, they are parsed, answered and written without a crash, and
// what is answered is a status that clients know.
#include <cstdlib>
#include <string>

#include "serve/service.h"
#include "store/memory/memory_store.h"
#include "store/wrap/sub_store.h"
#include "support/sample_arrays.h"

using namespace tegula;
using namespace tegula::serve;
using namespace tegula::testing;

namespace {

Service& service() {
  static Service* const made = [] {
    const std::shared_ptr<Store> root = make_memory_store();
    for (const SampleArray& sample : sample_arrays()) make_sample(sample, sub_store(root, sample.name));
    TreeOptions options;
    options.fresh = std::chrono::hours(24);
    options.work = one_thread();
    options.work.memory = 1 << 20;
    ServiceOptions rules;
    rules.compress = true;
    return new Service(std::make_shared<Tree>(root, options), rules);
  }();
  return *made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // As a whole request, and as the URL of a good one.
  for (const std::string& head : {text, "GET /" + text + " HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    const ParsedHead parsed = parse_head(head);
    if (parsed.refusal) continue;
    for (const std::string& part : parsed.request.path)
      if (part.empty() || part == "." || part == ".." || part.find('/') != part.npos) std::abort();
    const Answer answer = service().handle(parsed.request);
    if (answer.status == 500 || head_of(answer, true).find("Unknown") != std::string::npos) std::abort();
    (void)Service::shown_path(parsed.request);
  }
  return 0;
}
