//   integers of 1, 2, 4 or 8 bytes, signed, little-endian:  i = round((v - offset) / scale), halves away from zero,
//   computed in the type of v;  v = T(scale * T(i) + offset), the product and the sum in double.
//
// libtiledb casts values that the integers cannot hold (NaN too), with undefined results; here they are refused. Where
// a chunk has several parts libtiledb writes them in reverse order: the filter handles that, not this file.
#include "codec/integer/float_scale.h"

#include <cmath>

#include "base/endian.h"
#include "base/fail.h"
#include "codec/integer/integers.h"

namespace tegula::codec {

namespace {

template <class F>
void with_types(const FloatScale& params, F&& f) {
  with_unsigned(params.byte_width, ErrorKind::invalid_argument, [&]<class U>(U) {
    if (params.float_size == 4)
      f(std::make_signed_t<U>{}, float{});
    else if (params.float_size == 8)
      f(std::make_signed_t<U>{}, double{});
    else
      fail(ErrorKind::invalid_argument, "float scale: a float of {} bytes, expected 4 or 8", params.float_size);
  });
}

void check_sizes(std::size_t integers, std::size_t floats, const FloatScale& params, ErrorKind kind) {
  if (floats % params.float_size != 0 || integers != floats / params.float_size * params.byte_width)
    fail(kind, "float scale: {} bytes of {}-byte integers do not match {} bytes of {}-byte floats", integers,
         params.byte_width, floats, params.float_size);
}

}  // namespace

void float_scale_decode(ByteView in, MutableBytes out, const FloatScale& params) {
  with_types(params, [&]<class I, class T>(I, T) {
    check_sizes(in.size(), out.size(), params, ErrorKind::corrupt);
    const std::size_t n = out.size() / sizeof(T);
    for (std::size_t i = 0; i < n; ++i) {
      const T value = static_cast<T>(load_le<I>(in.data() + i * sizeof(I)));
      const double product = params.scale * static_cast<double>(value);
      store_le<T>(out.data() + i * sizeof(T), static_cast<T>(product + params.offset));
    }
  });
}

void float_scale_encode(ByteView in, MutableBytes out, const FloatScale& params) {
  with_types(params, [&]<class I, class T>(I, T) {
    check_sizes(out.size(), in.size(), params, ErrorKind::invalid_argument);
    const T scale = static_cast<T>(params.scale), offset = static_cast<T>(params.offset);
    const T limit = std::ldexp(T{1}, 8 * sizeof(I) - 1);  // the integers are -limit .. limit - 1
    const std::size_t n = in.size() / sizeof(T);
    for (std::size_t i = 0; i < n; ++i) {
      const T value = load_le<T>(in.data() + i * sizeof(T));
      const T scaled = std::round((value - offset) / scale);
      if (!(scaled >= -limit && scaled < limit))
        fail(ErrorKind::invalid_argument,
             "float scale: value {} is {}, which becomes {} with scale {} and offset {} and does not fit an integer of "
             "{} "
             "bytes; choose a larger byte width or scale",
             i, value, scaled, params.scale, params.offset, sizeof(I));
      store_le<I>(out.data() + i * sizeof(I), static_cast<I>(scaled));
    }
  });
}

}  // namespace tegula::codec
