// Numbers stored as another type (numcodecs "astype").
//
//   the numbers one after the other, in the type and byte order of encode_dtype.
//
// In numpy, floats that an integer cannot hold give results that differ between processors; here they are refused.
#include "codec/numcodecs/numbers.h"
#include "codec/numcodecs/numcodecs.h"

namespace tegula::codec::numcodecs {

Bytes astype_decode(ByteView in, const Datatype& encode_dtype, const Datatype& decode_dtype) {
  return convert_numbers(in, encode_dtype, decode_dtype, ErrorKind::corrupt);
}
Bytes astype_encode(ByteView in, const Datatype& encode_dtype, const Datatype& decode_dtype) {
  return convert_numbers(in, decode_dtype, encode_dtype, ErrorKind::invalid_argument);
}

}  // namespace tegula::codec::numcodecs
