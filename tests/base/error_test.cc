#include "tegula/error.h"

#include <gtest/gtest.h>

#include "base/context.h"
#include "base/fail.h"
#include "support/expect_error.h"

namespace tegula {
namespace {

TEST(Error, CarriesKindAndContextsOutermostFirst) {
  const Context outer([] { return std::string("opening 'x'"); });
  {
    const Context closed([] { return std::string("never seen"); });
  }
  const Context inner([] { return std::string("reading its schema"); });
  try {
    fail(ErrorKind::corrupt, "found {} of {}", 3, 4);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::corrupt);
    EXPECT_STREQ(e.what(), "corrupt: opening 'x': reading its schema: found 3 of 4");
  }
}

}  // namespace
}  // namespace tegula
