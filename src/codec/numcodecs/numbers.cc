#include "codec/numcodecs/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tegula::codec {

namespace {

// Conversions go through the widest type of their kind, a block at a time: every type fits one of the three exactly, so
// that a value is rounded once.
constexpr std::size_t kBlock = 256;

template <class T>
using Wide =
    std::conditional_t<!std::integral<T>, double, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

[[noreturn]] void no_integer(double value, std::size_t size, ErrorKind kind) {
  fail(kind, "{} does not fit an integer of {} bytes", value, size);
}

template <class To, class W>
To narrow(W value, ErrorKind kind) {
  if constexpr (std::same_as<To, Half>) {
    return Half(static_cast<double>(value));
  } else if constexpr (std::same_as<To, bool>) {
    return value != W{0};
  } else if constexpr (std::same_as<W, double> && std::integral<To>) {
    const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
    const double below = std::is_signed_v<To> ? -above : 0.0;
    const double cut = std::trunc(value);
    if (!(cut >= below && cut < above)) no_integer(value, sizeof(To), kind);
    return static_cast<To>(cut);
  } else {
    return static_cast<To>(value);
  }
}

template <class W>
void store_block(const W* block, std::size_t n, std::byte* out, const Datatype& to, ErrorKind kind) {
  with_number(to, [&]<class To>(To) {
    for (std::size_t i = 0; i < n; ++i)
      store_number<To>(out + i * sizeof(To), narrow<To>(block[i], kind), to.big_endian);
  });
}

}  // namespace

Bytes convert_numbers(ByteView in, const Datatype& from, const Datatype& to, ErrorKind kind) {
  const std::size_t to_size = with_number(to, []<class To>(To) { return sizeof(To); });
  return with_number(from, [&]<class From>(From) {
    if (in.size() % sizeof(From) != 0)
      fail(kind, "{} bytes are not whole numbers of {} bytes", in.size(), sizeof(From));
    if (from.id == to.id && from.big_endian == to.big_endian && from.id != TypeId::boolean) return copy_of(in);
    const std::size_t n = in.size() / sizeof(From);
    Bytes out(n * to_size);
    Wide<From> block[kBlock];
    for (std::size_t at = 0; at < n; at += kBlock) {
      const std::size_t size = std::min(kBlock, n - at);
      for (std::size_t i = 0; i < size; ++i)
        block[i] = static_cast<Wide<From>>(load_number<From>(in.data() + (at + i) * sizeof(From), from.big_endian));
      store_block(block, size, out.data() + at * to_size, to, kind);
    }
    return out;
  });
}

}  // namespace tegula::codec
