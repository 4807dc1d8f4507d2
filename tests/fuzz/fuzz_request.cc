// A query as a JSON document, for a sparse TileDB array and for a table.
// room: convert
#include <string>

#include "format/registry/registry.h"
#include "query/request/request.h"
#include "support/sample_operations.h"
#include "tegula/error.h"

using namespace tegula;
using namespace tegula::testing;

namespace {

const std::vector<std::shared_ptr<Array>>& arrays() {
  static const std::vector<std::shared_ptr<Array>> all = [] {
    std::vector<std::shared_ptr<Array>> made;
    for (const SampleArray& sample : sample_arrays()) {
      const StorePointer store = make_memory_store();
      make_sample(sample, store);
      made.push_back(open(store));
    }
    return made;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const std::shared_ptr<Array>& array : arrays()) {
    try {
      const Json document = json_argument(text, "fuzz");
      open_at(document);
      Query query = query_of(document, array->schema());
      query.work = one_thread();
      query.work.memory = 1 << 20;
      const std::unique_ptr<BatchStream> stream = array->query(query);
      for (int i = 0; i < 4 && stream->next(); ++i) continue;
    } catch (const Error&) {
    }
  }
  return 0;
}
