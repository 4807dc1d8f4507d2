//   element 0 | v[i] ^ v[i-1] ...; elements of 1, 2, 4 or 8 bytes, whatever their type.
#include "codec/integer/xor.h"

#include "base/cursor.h"
#include "codec/integer/integers.h"

namespace tegula::codec {

namespace {

void check_sizes(ByteView in, MutableBytes out, std::size_t element_size, ErrorKind kind) {
  if (in.size() != out.size() || in.size() % element_size != 0)
    fail(kind, "xor: {} bytes into {} bytes, expected equal multiples of {}", in.size(), out.size(), element_size);
}

}  // namespace

void xor_decode(ByteView in, MutableBytes out, std::size_t element_size) {
  with_unsigned(element_size, ErrorKind::invalid_argument, [&]<class U>(U) {
    check_sizes(in, out, sizeof(U), ErrorKind::corrupt);
    U value = 0;
    for (std::size_t at = 0; at < in.size(); at += sizeof(U)) {
      value = static_cast<U>(value ^ load<U>(in.data() + at));
      store<U>(out.data() + at, value);
    }
  });
}

void xor_encode(ByteView in, MutableBytes out, std::size_t element_size) {
  with_unsigned(element_size, ErrorKind::invalid_argument, [&]<class U>(U) {
    check_sizes(in, out, sizeof(U), ErrorKind::invalid_argument);
    U before = 0;
    for (std::size_t at = 0; at < in.size(); at += sizeof(U)) {
      const U value = load<U>(in.data() + at);
      store<U>(out.data() + at, static_cast<U>(value ^ before));
      before = value;
    }
  });
}

}  // namespace tegula::codec
