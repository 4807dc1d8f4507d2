#include "format/zarr/meta/document_files.h"

#include <gtest/gtest.h>

#include "format/zarr/driver.h"
#include "store/memory/memory_store.h"

namespace tegula::zarr {
namespace {

TEST(FindNode, FoldersNamedLikeDocumentsAreNone) {
  const auto store = make_memory_store();
  store->put_text("meta/sizes", "{}");
  store->put_text("attrs/x", "{}");
  store->put_text("below/meta/sizes", "{}");
  EXPECT_EQ(find_node(*store).kind, ObjectKind::none);
  EXPECT_EQ(find_node(*store, "below").kind, ObjectKind::none);
  EXPECT_EQ(kZarrDriver.probe(*store).kind, ObjectKind::none);
}

}  // namespace
}  // namespace tegula::zarr
