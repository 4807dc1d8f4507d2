// zlib streams (RFC 1950) and gzip members (RFC 1952) of unknown raw size.
//
// Written by zarr ("zlib", "gzip") and by tools such as bgzip, which make several members.
#pragma once

#include <cstdint>

#include "tegula/bytes.h"

namespace tegula::codec {

// Both append to `out`; they throw corrupt for damage, trailing bytes, or more than `limit` raw bytes.
void zlib_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);
void gzip_decode_stream(ByteView in, Bytes& out, std::uint64_t limit);  // one member or several
// Appends one member. Levels as in gzip.h; throws invalid_argument above 9.
void gzip_encode_stream(ByteView in, Bytes& out, int level);

}  // namespace tegula::codec
