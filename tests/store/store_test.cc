#include "store/store.h"

#include <gtest/gtest.h>

#include "store/memory/memory_store.h"
#include "store/wrap/wrapped_store.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

// Without folders, and with listings of one file; `forgetful` removes nothing.
class FlatStore final : public WrappedStore {
 public:
  explicit FlatStore(bool forgetful) : WrappedStore(make_memory_store()), forgetful_(forgetful) {}
  Listing list_all(std::string_view prefix, std::size_t) const override { return store_->list_all(prefix, 1); }
  void remove(std::string_view key) override {
    if (!forgetful_) store_->remove(key);
  }
  using WrappedStore::remove;
  StoreHints hints() const override {
    StoreHints hints;
    hints.empty_folders = false;
    return hints;
  }

 private:
  bool forgetful_;
};

TEST(RemoveTree, GoesOnPageByPage) {
  FlatStore store(false);
  for (const char* key : {"t/a", "t/b/c", "t/d", "u"}) store.put_text(key, "x");
  store.remove_tree("t");
  EXPECT_EQ(store.list_all("t", 1).files.size(), 0u);
  EXPECT_TRUE(store.has("u"));
}

TEST(RemoveTree, EndsWhenNothingGoes) {
  FlatStore store(true);
  for (const char* key : {"t/a", "t/b"}) store.put_text(key, "x");
  EXPECT_ERROR(io, "still listed", store.remove_tree("t"));
}

}  // namespace
}  // namespace tegula
