// Spans and buffers of raw bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tegula {

using ByteView = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

namespace detail {
// Blocks of 4 MiB and more are aligned to 2 MiB and offered to the kernel as huge pages: faulting in fresh
// 4 KiB pages costs more than most codecs.
void* allocate_bytes(std::size_t size);
void free_bytes(void* p, std::size_t size) noexcept;
}  // namespace detail

// Leaves new elements uninitialised, so that resize() before a decode does not write memory twice.
template <class T>
struct UninitializedAllocator {
  using value_type = T;
  UninitializedAllocator() = default;
  template <class U>
  UninitializedAllocator(const UninitializedAllocator<U>&) noexcept {}
  T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(detail::allocate_bytes(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) noexcept { detail::free_bytes(p, n * sizeof(T)); }
  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  friend bool operator==(const UninitializedAllocator&, const UninitializedAllocator&) noexcept { return true; }
};

// A growable buffer; resize() leaves the new bytes uninitialised.
using Bytes = std::vector<std::byte, UninitializedAllocator<std::byte>>;

template <class T>
using Buffer = std::vector<T, UninitializedAllocator<T>>;

inline ByteView bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }
inline std::string_view text_of(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline Bytes copy_of(ByteView bytes) { return Bytes(bytes.begin(), bytes.end()); }

}  // namespace tegula
