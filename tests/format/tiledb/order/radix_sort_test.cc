#include "format/tiledb/order/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tegula::tiledb {
namespace {

TEST(RadixSort, KeepsTheOrderOfEquals) {
  struct Keyed {
    std::uint64_t key = 0, index = 0;
  };
  const auto key = [](const Keyed& e) { return e.key; };
  std::mt19937_64 random(1);
  for (const std::size_t n : {0u, 1u, 2u, 100u, 10000u, 200000u})
    for (const unsigned low : {0u, 3u})
      for (const unsigned threads : {1u, 4u}) {
        Buffer<Keyed> elements(n), expected;
        for (std::size_t i = 0; i < n; ++i) elements[i] = {random() % (n / 2 + 1) << (i % 3 == 0 ? 40 : 0), i};
        expected = elements;
        std::stable_sort(expected.begin(), expected.end(),
                         [&](const Keyed& a, const Keyed& b) { return a.key >> low < b.key >> low; });
        Work work;
        work.threads = threads;
        RadixSort<Keyed, decltype(key)>(key, low, work).sort(elements, 60);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(elements[i].index, expected[i].index) << n << " " << low;
      }
}

}  // namespace
}  // namespace tegula::tiledb
