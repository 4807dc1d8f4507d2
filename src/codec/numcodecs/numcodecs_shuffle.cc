// Bytes transposed over a whole chunk (numcodecs "shuffle"); the layout is that of shuffle.cc.
//
// Blosc and TileDB copy the bytes behind the last element; numcodecs refuses a chunk that has such bytes.
#include "base/fail.h"
#include "codec/numcodecs/numcodecs.h"
#include "codec/shuffle/shuffle.h"

namespace tegula::codec::numcodecs {

namespace {

Bytes transposed(ByteView in, std::size_t element_size, ErrorKind kind,
                 void (*transpose)(ByteView, MutableBytes, std::size_t)) {
  if (element_size <= 1) return copy_of(in);
  if (in.size() % element_size != 0)
    fail(kind, "shuffle: {} bytes are not whole elements of {} bytes", in.size(), element_size);
  Bytes out(in.size());
  transpose(in, out, element_size);
  return out;
}

}  // namespace

Bytes shuffle_decode(ByteView in, std::size_t element_size) {
  return transposed(in, element_size, ErrorKind::corrupt, byteunshuffle);
}
Bytes shuffle_encode(ByteView in, std::size_t element_size) {
  return transposed(in, element_size, ErrorKind::invalid_argument, byteshuffle);
}

}  // namespace tegula::codec::numcodecs
