// Numbers stored as another type (numcodecs "astype").
//
//   the numbers one after the other, in the type and byte order of encode_dtype.
//
// numpy leaves floats that an integer cannot hold to the processor, so that they differ between machines; they are
// refused.
#include "codec/numbers.h"
#include "codec/numcodecs.h"

namespace tegula::codec::numcodecs {

namespace {

Bytes convert(ByteView in, const Datatype& from, const Datatype& to, ErrorKind kind) {
  return with_number(from, [&]<class From>(From) {
    return with_number(to, [&]<class To>(To) {
      return map_numbers<From, To>(in, from, to, kind, [&](From v) { return convert_number<To>(v, kind); });
    });
  });
}

}  // namespace

Bytes astype_decode(ByteView in, const Datatype& encode_dtype, const Datatype& decode_dtype) {
  return convert(in, encode_dtype, decode_dtype, ErrorKind::corrupt);
}
Bytes astype_encode(ByteView in, const Datatype& encode_dtype, const Datatype& decode_dtype) {
  return convert(in, decode_dtype, encode_dtype, ErrorKind::invalid_argument);
}

}  // namespace tegula::codec::numcodecs
