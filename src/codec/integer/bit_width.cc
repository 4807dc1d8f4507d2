//   per window: (v - offset) in 8, 16 or 32 bits, little-endian, sign-extended for signed types; or the raw values when
//   `bits` is not narrower than the type, or when the window does not hold whole values. Offset and bits are kept
//   outside, in the metadata of the chunk.
//
// libtiledb before 2.29 corrupts signed windows whose range overflows the type; later releases store them raw, with a
// meaningless offset field. Here that field is 0.
#include "codec/integer/bit_width.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/cursor.h"
#include "codec/integer/integers.h"

namespace tegula::codec {

namespace {

bool stored_raw(std::size_t bytes, std::size_t value_size, unsigned bits) {
  return bits >= 8 * value_size || bytes % value_size != 0;
}

// Calls f with a zero of the narrow type that stores values of T.
template <class T, class F>
void with_narrow(unsigned bits, F&& f) {
  constexpr bool is_signed = std::is_signed_v<T>;
  switch (bits) {
    case 8:
      return f(std::conditional_t<is_signed, std::int8_t, std::uint8_t>{});
    case 16:
      return f(std::conditional_t<is_signed, std::int16_t, std::uint16_t>{});
    case 32:
      return f(std::conditional_t<is_signed, std::int32_t, std::uint32_t>{});
    default:
      fail(ErrorKind::corrupt, "bit width: a window of {} bits, expected 8, 16, 32 or 64", bits);
  }
}

}  // namespace

void bit_width_decode(ByteView in, MutableBytes out, TypeId type, std::uint64_t offset, unsigned bits) {
  with_integer(type, [&]<class T>(T) {
    using U = std::make_unsigned_t<T>;
    if (stored_raw(out.size(), sizeof(T), bits)) {
      if (in.size() != out.size())
        fail(ErrorKind::corrupt, "bit width: {} raw bytes stored, {} expected", in.size(), out.size());
      if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
      return;
    }
    with_narrow<T>(bits, [&]<class N>(N) {
      const std::size_t n = out.size() / sizeof(T);
      if (in.size() != n * sizeof(N))
        fail(ErrorKind::corrupt, "bit width: {} bytes stored, {} values of {} bits expected", in.size(), n, bits);
      for (std::size_t i = 0; i < n; ++i) {
        const N narrow = load_le<N>(in.data() + i * sizeof(N));
        store_le<U>(out.data() + i * sizeof(U), static_cast<U>(static_cast<U>(narrow) + static_cast<U>(offset)));
      }
    });
  });
}

BitWidth bit_width_choose(ByteView in, TypeId type) {
  return with_integer(type, [&]<class T>(T) -> BitWidth {
    using U = std::make_unsigned_t<T>;
    const std::size_t n = in.size() / sizeof(T);
    if (n == 0 || in.size() % sizeof(T) != 0) return {0, 8 * sizeof(T)};
    T lowest = load_le<T>(in.data()), highest = lowest;
    for (std::size_t i = 1; i < n; ++i) {
      const T value = load_le<T>(in.data() + i * sizeof(T));
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
    const U span = static_cast<U>(static_cast<U>(highest) - static_cast<U>(lowest));
    if (span >= static_cast<U>(std::numeric_limits<T>::max())) return {0, 8 * sizeof(T)};
    const std::uint64_t range = std::uint64_t{span} + 1;
    unsigned bits = 8;
    while (bits < 8 * sizeof(T) && range >> (std::is_signed_v<T> ? bits - 1 : bits) != 0) bits *= 2;
    return {static_cast<U>(lowest), bits};
  });
}

void bit_width_encode(ByteView in, Bytes& out, TypeId type, const BitWidth& width) {
  with_integer(type, [&]<class T>(T) {
    using U = std::make_unsigned_t<T>;
    if (stored_raw(in.size(), sizeof(T), width.bits)) {
      out.insert(out.end(), in.begin(), in.end());
      return;
    }
    with_narrow<T>(width.bits, [&]<class N>(N) {
      using M = std::make_unsigned_t<N>;
      const std::size_t n = in.size() / sizeof(T);
      const std::size_t at = out.size();
      out.resize(at + n * sizeof(N));
      for (std::size_t i = 0; i < n; ++i) {
        const U value = load_le<U>(in.data() + i * sizeof(U));
        store_le<M>(out.data() + at + i * sizeof(M), static_cast<M>(value - static_cast<U>(width.offset)));
      }
    });
  });
}

}  // namespace tegula::codec
