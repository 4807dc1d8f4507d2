#include "store/open/open_store.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(OpenStore, SchemesAndEmptyPaths) {
  EXPECT_ERROR(unsupported, "s3://b/x", open_store("s3://b/x"));
  EXPECT_ERROR(invalid_argument, "empty path", open_store(""));
  EXPECT_EQ(open_store("mem://shared-by-name")->get("x"), std::nullopt);
  open_store("mem://shared-by-name")->put_text("d/x", "y");
  EXPECT_EQ(text_of(*open_store("mem://shared-by-name/d")->get("x")), "y");
}

}  // namespace
}  // namespace tegula
