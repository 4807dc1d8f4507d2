// The filters of zarr v2 arrays, as the Python package numcodecs defines them. Every function takes one whole chunk and
// returns a new buffer; the size of a result is bounded by a small multiple of the input. Decoders throw corrupt for
// bytes that no encoder writes; both directions throw unsupported for types other than the ones named here, and
// encoders invalid_argument for values that the target type cannot hold.
//
// A "number" is bool, int8..int64, uint8..uint64, float16, float32, float64, datetime or timedelta (both as int64), of
// either byte order; `dtype` is the type of the array, `astype` that of the stored values.
#pragma once

#include <cstdint>
#include <span>

#include "tegula/bytes.h"
#include "tegula/datatype.h"

namespace tegula::codec::numcodecs {

// "delta": the first number, then differences. Not for bool. Sums are formed in `dtype`, so integers wrap.
Bytes delta_decode(ByteView in, const Datatype& dtype, const Datatype& astype);
Bytes delta_encode(ByteView in, const Datatype& dtype, const Datatype& astype);

// "fixedscaleoffset": round((v - offset) * scale), halves to even. Integers are scaled in float64, floats in their own
// type.
struct FixedScaleOffset {
  double scale = 1, offset = 0;
  Datatype dtype, astype;
};
Bytes fixed_scale_offset_decode(ByteView in, const FixedScaleOffset& params);
Bytes fixed_scale_offset_encode(ByteView in, const FixedScaleOffset& params);

// "quantize": floats rounded to the power of two below 10^-digits. Decoding only converts the type.
Bytes quantize_decode(ByteView in, const Datatype& dtype, const Datatype& astype);
Bytes quantize_encode(ByteView in, int digits, const Datatype& dtype, const Datatype& astype);

// "astype": numbers of one type as numbers of another. Integers wrap; floats become integers towards zero.
Bytes astype_decode(ByteView in, const Datatype& encode_dtype, const Datatype& decode_dtype);
Bytes astype_encode(ByteView in, const Datatype& encode_dtype, const Datatype& decode_dtype);

// "packbits": one byte that counts padding bits, then eight bools per byte, the first in the highest bit.
Bytes packbits_decode(ByteView in);
Bytes packbits_encode(ByteView in);

// "shuffle": bytes transposed; the size must be a multiple of element_size.
Bytes shuffle_decode(ByteView in, std::size_t element_size);
Bytes shuffle_encode(ByteView in, std::size_t element_size);

// "bitround": floats of 16, 32 or 64 bits whose mantissas are rounded to `keep_bits` bits, halves to even; NaN
// stays as it is. Decoding changes nothing.
Bytes bitround_decode(ByteView in);
Bytes bitround_encode(ByteView in, int keep_bits, const Datatype& dtype);

// "crc32", "adler32", "crc32c", "fletcher32", "jenkins_lookup3": a little-endian u32 in front of the data or behind it.
// For the first three "location" says where; without it crc32 and adler32 stand in front, crc32c behind. The last two
// always stand behind. `seed` is the "initval" of jenkins_lookup3; the others have none.
enum class Checksum : std::uint8_t { crc32, adler32, crc32c, fletcher32, jenkins_lookup3 };
Bytes checksum_decode(ByteView in, Checksum kind, bool at_end, std::uint32_t seed = 0);
Bytes checksum_encode(ByteView in, Checksum kind, bool at_end, std::uint32_t seed = 0);

// "vlen-utf8", "vlen-bytes" (zarr v3 has them too): u32 count, then per item u32 length and bytes, little-endian.
struct Items {
  Bytes data;
  Buffer<std::uint64_t> offsets;  // count + 1
};
// Throws corrupt when the bytes hold another number of items than `count`. Does not check that text is UTF-8.
Items vlen_decode(ByteView in, std::uint64_t count);
// `offsets` has count + 1 rising entries from 0 to data.size().
Bytes vlen_encode(ByteView data, std::span<const std::uint64_t> offsets);

}  // namespace tegula::codec::numcodecs
