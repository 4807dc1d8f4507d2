#include <gtest/gtest.h>

#include "store/file_states.h"
#include "support/simulated_s3.h"

namespace tegula {
namespace {

TEST(ObjectReads, StatesAreTheETagsOfWhatIsThere) {
  const testing::Simulated at = testing::simulated([](const http::Request& request) {
    EXPECT_EQ(request.method, "HEAD");
    if (request.url.ends_with("/p/there")) return testing::reply(200, "", {{"etag", "\"e\""}});
    return testing::reply(request.url.ends_with("/p/denied") ? 403 : 404);
  });
  const auto* states = dynamic_cast<const FileStates*>(at.store.get());
  ASSERT_NE(states, nullptr);
  FileState files[] = {{"there", "old"}, {"gone", "old"}, {"denied", "old"}};
  states->states(files);
  EXPECT_EQ(files[0].state, "\"e\"");
  EXPECT_EQ(files[1].state, "");
  EXPECT_EQ(files[2].state, "");
  EXPECT_EQ(at.network->most_at_once, 3u);
}

}  // namespace
}  // namespace tegula
