// Products that do not overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tegula {

// No value when the product is above `largest`.
constexpr std::optional<std::uint64_t> checked_product(std::uint64_t a, std::uint64_t b,
                                                       std::uint64_t largest = UINT64_MAX) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > largest) return std::nullopt;
  return product;
}

// The largest number when the product does not fit.
constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  return checked_product(a, b).value_or(UINT64_MAX);
}

constexpr std::uint64_t saturated_product(std::span<const std::uint64_t> factors) {
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) product = saturated_product(product, factor);
  return product;
}

}  // namespace tegula
