//   u64 n | value 0 | n - 1 differences v[i] - v[i-1], modulo 2^bits of the type; all little-endian.
//
// libtiledb 2.16 (format 19) wrote one garbage value behind the n values when n > 1; later releases write none.
#include "codec/integer/delta.h"

#include "base/cursor.h"
#include "codec/integer/integers.h"

namespace tegula::codec {

void delta_decode(ByteView in, MutableBytes out, TypeId type) {
  with_integer(type, [&]<class T>(T) {
    using U = std::make_unsigned_t<T>;
    Cursor cursor(in, "delta");
    const std::uint64_t n = cursor.read<std::uint64_t>();
    if (out.size() % sizeof(T) != 0 || n != out.size() / sizeof(T))
      cursor.fail_at(0, fmt::format("{} values of {} bytes, expected {} bytes", n, sizeof(T), out.size()));
    const std::byte* from = cursor.bytes(out.size(), "differences").data();
    U value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      value = static_cast<U>(value + load_le<U>(from + i * sizeof(U)));
      store_le<U>(out.data() + i * sizeof(U), value);
    }
  });
}

void delta_encode(ByteView in, Bytes& out, TypeId type) {
  with_integer(type, [&]<class T>(T) {
    using U = std::make_unsigned_t<T>;
    if (in.size() % sizeof(T) != 0)
      fail(ErrorKind::invalid_argument, "delta: {} bytes are not whole integers of {} bytes", in.size(), sizeof(T));
    const std::size_t n = in.size() / sizeof(T);
    ByteWriter(out).put<std::uint64_t>(n);
    const std::size_t at = out.size();
    out.resize(at + in.size());
    U before = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const U value = load_le<U>(in.data() + i * sizeof(U));
      store_le<U>(out.data() + at + i * sizeof(U), static_cast<U>(value - before));
      before = value;
    }
  });
}

}  // namespace tegula::codec
