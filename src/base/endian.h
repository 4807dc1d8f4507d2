// Fixed-width integers and floats from and to bytes of either order, without alignment.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tegula {

template <class T>
concept Scalar = std::is_arithmetic_v<T>;

template <Scalar T>
T swap_bytes(T value) noexcept {
  if constexpr (sizeof(T) == 1) {
    return value;
  } else {
    using U = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                 std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
    U bits = std::bit_cast<U>(value);
    if constexpr (sizeof(T) == 2) bits = __builtin_bswap16(bits);
    if constexpr (sizeof(T) == 4) bits = __builtin_bswap32(bits);
    if constexpr (sizeof(T) == 8) bits = __builtin_bswap64(bits);
    return std::bit_cast<T>(bits);
  }
}

// Host order, no bounds check: for memory that was checked already.
template <Scalar T>
T load(const void* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <Scalar T>
void store(void* to, T value) noexcept {
  std::memcpy(to, &value, sizeof(T));
}

template <Scalar T>
T load_le(const void* from) noexcept {
  T value = load<T>(from);
  return std::endian::native == std::endian::little ? value : swap_bytes(value);
}
template <Scalar T>
T load_be(const void* from) noexcept {
  T value = load<T>(from);
  return std::endian::native == std::endian::big ? value : swap_bytes(value);
}
template <Scalar T>
void store_le(void* to, T value) noexcept {
  store<T>(to, std::endian::native == std::endian::little ? value : swap_bytes(value));
}
template <Scalar T>
void store_be(void* to, T value) noexcept {
  store<T>(to, std::endian::native == std::endian::big ? value : swap_bytes(value));
}

}  // namespace tegula
