// Products that stay at the largest number instead of overflowing.
#pragma once

#include <cstdint>
#include <span>

namespace tegula {

constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

constexpr std::uint64_t saturated_product(std::span<const std::uint64_t> factors) {
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) product = saturated_product(product, factor);
  return product;
}

}  // namespace tegula
