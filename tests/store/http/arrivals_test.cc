#include "store/http/arrivals.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/without_threads.h"

namespace tegula::http {
namespace {

std::size_t sum_of_arrivals(std::size_t n) {
  std::atomic<std::size_t> sum = 0;
  use_arrivals(
      [&](const std::function<void(std::size_t)>& arrived) {
        for (std::size_t i = 1; i <= n; ++i) arrived(i);
      },
      [&](std::size_t i) { sum += i; });
  return sum;
}

TEST(Arrivals, EachIsUsed) { EXPECT_EQ(sum_of_arrivals(1000), 500500u); }

TEST(Arrivals, AreUsedByTheCallerWhenNoThreadCanBeMade) {
  testing::expect_without_threads([] { return sum_of_arrivals(100) == 5050; });
}

}  // namespace
}  // namespace tegula::http
