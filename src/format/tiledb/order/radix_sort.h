// Radix sort: by the most significant digit first across threads, by the least significant first in what fits a cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "tegula/bytes.h"

namespace tegula::tiledb {

// Key: E -> std::uint64_t. Sorts by the bits `low` .. `high` of the key; elements with equal bits keep their order.
template <class E, class Key>
class RadixSort {
 public:
  RadixSort(Key key, unsigned low, const Work& work) : key_(std::move(key)), low_(low), work_(work) {}

  // All keys agree in the bits from `high` on.
  void sort(Buffer<E>& elements, unsigned high) const {
    if (elements.size() < 2 || high <= low_) return;
    Buffer<E> spare(elements.size());
    if (elements.size() <= kInCache) {
      if (!sort_in_cache(elements, spare, high)) elements.swap(spare);
    } else {
      distribute(elements, spare, high);
      // Each bucket is sorted from the spare buffer back into `elements`.
    }
  }

 private:
  static constexpr std::size_t kBlock = 1 << 16, kInCache = (1 << 19) / sizeof(E);
  static constexpr unsigned kDigit = 11, kSmallDigit = 8;

  // By the highest digit into `to`, then each bucket back into `from`.
  void distribute(std::span<E> from, std::span<E> to, unsigned high) const {
    const unsigned shift = high - low_ > kDigit ? high - kDigit : low_;
    const std::size_t buckets = std::size_t{1} << (high - shift);
    const auto digit = [&](const E& e) { return (key_(e) >> shift) & (buckets - 1); };
    const std::size_t blocks = (from.size() + kBlock - 1) / kBlock;
    const auto block = [&](std::size_t b) {
      return from.subspan(b * kBlock, std::min(kBlock, from.size() - b * kBlock));
    };
    std::vector<std::size_t> places(blocks * buckets, 0), bounds(buckets + 1, 0);
    parallel_for(work_, blocks, [&](std::size_t b) {
      std::size_t* counts = places.data() + b * buckets;
      for (const E& e : block(b)) ++counts[digit(e)];
    });
    std::size_t sum = 0;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      bounds[bucket] = sum;
      for (std::size_t b = 0; b < blocks; ++b) sum += std::exchange(places[b * buckets + bucket], sum);
    }
    bounds[buckets] = sum;
    parallel_for(work_, blocks, [&](std::size_t b) {
      std::size_t* next = places.data() + b * buckets;
      for (const E& e : block(b)) to[next[digit(e)]++] = e;
    });
    parallel_for(work_, buckets, [&](std::size_t bucket) {
      const std::size_t begin = bounds[bucket], count = bounds[bucket + 1] - begin;
      if (count > 0) sort_back(to.subspan(begin, count), from.subspan(begin, count), shift);
    });
  }

  // Sorts from `from` into `to`.
  void sort_back(std::span<E> from, std::span<E> to, unsigned high) const {
    if (from.size() > kInCache && high > low_) {
      distribute(from, to, high);
      std::copy(from.begin(), from.end(), to.begin());
    } else if (sort_in_cache(from, to, high)) {
      std::copy(from.begin(), from.end(), to.begin());
    }
  }

  // Returns whether the result is in `a` (or else in `b`).
  bool sort_in_cache(std::span<E> a, std::span<E> b, unsigned high) const {
    bool in_a = true;
    for (unsigned shift = low_; shift < high; shift += kSmallDigit) {
      const std::uint64_t mask = (std::uint64_t{1} << std::min(kSmallDigit, high - shift)) - 1;
      const std::span<E> from = in_a ? a : b, to = in_a ? b : a;
      std::array<std::size_t, std::size_t{1} << kSmallDigit> next{};
      for (const E& e : from) ++next[(key_(e) >> shift) & mask];
      std::size_t sum = 0;
      bool one = false;  // all in one bucket
      for (std::size_t& count : next) {
        one = one || count == from.size();
        sum += std::exchange(count, sum);
      }
      if (one) continue;
      for (const E& e : from) to[next[(key_(e) >> shift) & mask]++] = e;
      in_a = !in_a;
    }
    return in_a;
  }

  const Key key_;
  const unsigned low_;
  const Work& work_;
};

}  // namespace tegula::tiledb
