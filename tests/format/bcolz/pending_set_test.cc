#include "format/bcolz/pending_set.h"

#include <gtest/gtest.h>

#include "format/bcolz/fixtures.h"
#include "store/wrap/failing_store.h"
#include "support/expect_error.h"

namespace tegula::bcolz {
namespace {

// A carray of four chunks whose rows are set together; the change stops when two of them are in place.
std::shared_ptr<Store> stopped_change() {
  const auto store = make_memory_store();
  const auto array = create(store, carray_schema("int32", 8));
  Batch rows;
  rows.cells = 32;
  rows.columns = {column("", "int32", std::vector<std::int32_t>(32, 1))};
  array->append(rows);
  const auto plan = std::make_shared<FaultPlan>();
  plan->at = 7;
  const std::vector<std::int32_t> values(32, 2);
  EXPECT_ERROR(
      io, "injected fault",
      open(failing_store(store, plan))
          ->write(parse_selection("[...]"), "", {reinterpret_cast<const std::byte*>(values.data()), {32}, {4}}));
  return store;
}

TEST(PendingSet, OfAStoppedChangeIsRead) {
  EXPECT_EQ(values_of<std::int32_t>(*open(stopped_change())), std::vector<std::int32_t>(32, 2));
}

TEST(PendingSet, WithoutOneOfItsFilesIsAnErrorAndNoMixture) {
  for (const bool gone : {false, true})
    for (std::uint64_t chunk = 0; chunk < 4; ++chunk) {
      const auto store = stopped_change();
      const std::string key = pending_key("", chunk);
      ASSERT_TRUE(store->has(key));
      if (gone)
        store->remove(key);
      else
        store->put_text(key, "damaged");
      EXPECT_ERROR(corrupt, "is missing or damaged", open(store));
    }
}

}  // namespace
}  // namespace tegula::bcolz
