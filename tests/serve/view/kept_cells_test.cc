#include "serve/view/kept_cells.h"

#include <gtest/gtest.h>

namespace tegula::serve {
namespace {

std::shared_ptr<const Batch> batch_of(std::size_t bytes) {
  Batch batch;
  batch.columns.emplace_back().data.resize(bytes);
  return std::make_shared<const Batch>(std::move(batch));
}

TEST(KeptCells, TheOldestGoFirst) {
  KeptCells kept(100);
  const int owners[4] = {};
  for (int i = 0; i < 3; ++i) kept.keep(&owners[i], batch_of(30));
  EXPECT_TRUE(kept.find(&owners[0]));  // and so it is no longer the oldest
  const std::shared_ptr<const Batch> held = kept.find(&owners[1]);
  EXPECT_TRUE(kept.find(&owners[2]));
  kept.keep(&owners[3], batch_of(60));
  EXPECT_FALSE(kept.find(&owners[0]));
  EXPECT_FALSE(kept.find(&owners[1]));
  EXPECT_TRUE(kept.find(&owners[2]));
  EXPECT_TRUE(kept.find(&owners[3]));
  EXPECT_EQ(held_bytes(*held), 30u);
  kept.forget(&owners[2]);
  EXPECT_FALSE(kept.find(&owners[2]));
  kept.keep(&owners[0], batch_of(40));
  EXPECT_TRUE(kept.find(&owners[3]));
}

}  // namespace
}  // namespace tegula::serve
