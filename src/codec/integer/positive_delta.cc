//   per window: 0 | v[1] - v[0] | v[2] - v[1] ...; each sizeof(T) bytes, little-endian. The first value is kept
//   outside, in the metadata of the chunk.
//
// A window that does not hold whole values is stored unchanged.
#include "codec/integer/positive_delta.h"

#include <cstring>

#include "base/cursor.h"
#include "codec/integer/integers.h"

namespace tegula::codec {

namespace {

// Copies a window that does not hold whole values; false for any other.
bool copy_odd_window(ByteView in, MutableBytes out, std::size_t value_size) {
  if (in.size() % value_size == 0) return false;
  std::memcpy(out.data(), in.data(), in.size());
  return true;
}

void check_sizes(ByteView in, MutableBytes out) {
  if (in.size() != out.size())
    fail(ErrorKind::corrupt, "positive delta: {} bytes stored, {} bytes expected", in.size(), out.size());
}

}  // namespace

void positive_delta_decode(ByteView in, MutableBytes out, TypeId type, std::uint64_t first) {
  check_sizes(in, out);
  with_integer(type, [&]<class T>(T) {
    using U = std::make_unsigned_t<T>;
    if (copy_odd_window(in, out, sizeof(T))) return;
    U value = static_cast<U>(first);
    for (std::size_t at = 0; at < in.size(); at += sizeof(U)) {
      value = static_cast<U>(value + load_le<U>(in.data() + at));
      store_le<U>(out.data() + at, value);
    }
  });
}

void positive_delta_encode(ByteView in, MutableBytes out, TypeId type) {
  check_sizes(in, out);
  with_integer(type, [&]<class T>(T) {
    using U = std::make_unsigned_t<T>;
    if (copy_odd_window(in, out, sizeof(T)) || in.empty()) return;
    T before = load_le<T>(in.data());
    for (std::size_t at = 0; at < in.size(); at += sizeof(T)) {
      const T value = load_le<T>(in.data() + at);
      if (value < before)
        fail(ErrorKind::invalid_argument,
             "positive delta: value {} of a window is {}, less than the {} before it; use the delta filter for values "
             "that "
             "decrease",
             at / sizeof(T), +value, +before);
      store_le<U>(out.data() + at, static_cast<U>(static_cast<U>(value) - static_cast<U>(before)));
      before = value;
    }
  });
}

}  // namespace tegula::codec
