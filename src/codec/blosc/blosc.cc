// Blosc 1 chunks, decoded without libblosc: everything is checked against the real length before a codec sees a byte, a
// range costs only the blocks it touches, and there is no global state. docs/format/bcolz.md draws the container.
//
//   header   16 bytes: version, version_lz, flags, typesize, u32 nbytes, u32 block_size, u32 ctbytes (little-endian)
//   offsets  one i32 for each block, from the first byte of the header
//   blocks   i32 length and bytes for each stream: 1, or typesize of them
//
// bcolz (every chunk file), zarr v1, v2 and v3 (codec "blosc"), the original zarr.
//
// Writers differ, so only the header decides: blocks have any size and, from writers with several threads, any order;
// C-Blosc before 1.11 does not set bit 4 of the flags (blocks are not split), hence the size test; blocks whose number
// of items is not a multiple of 8 are stored without bit shuffle although the flag is set.
//
// C-Blosc 1.4.0 to 1.4.4 (bcolz 0.7.0, 0.8.1 to 0.12.1) stored a compressed stream that happened to be as long as its
// raw data; every reader takes it for a raw copy. BloscOptions::rescue decodes it.

#include "codec/blosc/blosc.h"

#include <snappy-c.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/endian.h"
#include "base/fail.h"
#include "codec/blosc/blosclz_decode.h"
#include "codec/compress/gzip.h"
#include "codec/compress/lz4.h"
#include "codec/compress/zstd.h"
#include "codec/shuffle/shuffle.h"

namespace tegula::codec {

namespace {

constexpr std::uint8_t kVersion = 2, kVersionLz = 1;
constexpr std::uint8_t kByteShuffle = 0x01, kReserved = 0x08, kBitShuffle = 0x04, kNotSplit = 0x10;
constexpr std::size_t kMostSplits = 16, kLeastSplitItems = 128;

bool snappy_decode_exact(ByteView in, MutableBytes out) {
  const char* from = reinterpret_cast<const char*>(in.data());
  std::size_t size = 0;
  if (snappy_uncompressed_length(from, in.size(), &size) != SNAPPY_OK || size != out.size()) return false;
  return snappy_uncompress(from, in.size(), reinterpret_cast<char*>(out.data()), &size) == SNAPPY_OK &&
         size == out.size();
}

// Indexed by bits 5 to 7 of the flags.
struct StreamFormat {
  const char* name;
  bool (*decode)(ByteView in, MutableBytes out);
  std::uint32_t most_gain;  // raw bytes that one compressed byte can stand for, rounded up
  bool rescue;              // C-Blosc 1.4 could store it at raw length
};
constexpr StreamFormat kFormats[] = {
    {"blosclz", blosclz_decode_exact, 256, false},  //
    {"lz4", lz4_decode_exact, 256, true},           //
    {"snappy", snappy_decode_exact, 64, true},      //
    {"zlib", zlib_decode_exact, 1040, true},        //
    {"zstd", zstd_decode_exact, 65536, false},
};

// A block buffer of a thread, kept between calls unless it grew unusually large.
class Scratch {
 public:
  MutableBytes get(std::size_t size) {
    if (bytes_.size() < size) {
      bytes_.clear();
      bytes_.resize(size);
    }
    return MutableBytes(bytes_).first(size);
  }
  void trim() {
    if (bytes_.size() > kKeep) bytes_ = {};
  }

 private:
  static constexpr std::size_t kKeep = std::size_t{8} << 20;
  Bytes bytes_;
};

struct Scratches {
  Scratch streams, block;
};

// Trims when a decode returns or throws.
struct TrimAtEnd {
  Scratches& scratch;
  ~TrimAtEnd() {
    scratch.streams.trim();
    scratch.block.trim();
  }
};

class Decoder {
 public:
  Decoder(ByteView chunk, const BloscOptions& options)
      : header_(blosc_header(chunk)),
        chunk_(chunk.first(header_.ctbytes)),
        format_(&kFormats[header_.flags >> 5]),
        rescue_(options.rescue && format_->rescue),
        splittable_(!(header_.flags & kNotSplit) && header_.typesize <= kMostSplits &&
                    header_.block_size / header_.typesize >= kLeastSplitItems) {}

  const BloscHeader& header() const { return header_; }

  void decode(std::uint64_t offset, MutableBytes out) {
    if (out.empty()) return;
    if (header_.plain_copy()) {
      std::memcpy(out.data(), chunk_.data() + kBloscHeaderSize + offset, out.size());
      return;
    }
    thread_local Scratches scratch;
    const TrimAtEnd trim{scratch};
    const std::uint64_t end = offset + out.size(), size = header_.block_size;
    for (std::uint64_t block = offset / size; block * size < end; ++block) {
      const std::uint64_t from = block * size, to = std::min<std::uint64_t>(from + size, header_.nbytes);
      const std::uint64_t first = std::max(from, offset), last = std::min(to, end);
      const MutableBytes part = out.subspan(first - offset, last - first);
      if (part.size() == to - from) {
        decode_block(block, part, scratch.streams);
      } else {
        check_gain(block, to - from);
        const MutableBytes whole = scratch.block.get(to - from);
        decode_block(block, whole, scratch.streams);
        std::memcpy(part.data(), whole.data() + (first - from), part.size());
      }
    }
  }

 private:
  ByteView block_bytes(std::uint64_t block) const {
    const std::uint64_t table_end = kBloscHeaderSize + 4 * block_count();
    const std::uint32_t at = load_le<std::uint32_t>(chunk_.data() + kBloscHeaderSize + 4 * block);
    if (at < table_end || at >= chunk_.size())
      fail(ErrorKind::corrupt, "Blosc block {} starts at byte {}, outside of bytes {} to {} of its chunk", block, at,
           table_end, chunk_.size());
    return chunk_.subspan(at);
  }
  std::uint64_t block_count() const {
    return (std::uint64_t{header_.nbytes} + header_.block_size - 1) / header_.block_size;
  }

  // A buffer for a whole block is allocated only if the compressed bytes can hold that much.
  void check_gain(std::uint64_t block, std::uint64_t raw) const {
    const std::uint64_t have = block_bytes(block).size();
    if (raw / format_->most_gain > have)
      fail(ErrorKind::corrupt, "Blosc block {} claims {} raw bytes, which {} bytes of {} cannot hold", block, raw, have,
           format_->name);
  }

  void decode_block(std::uint64_t block, MutableBytes out, Scratch& scratch) const {
    const std::size_t typesize = header_.typesize;
    const bool bytes = (header_.flags & kByteShuffle) && typesize > 1;
    const bool bits = (header_.flags & kBitShuffle) && out.size() / typesize % 8 == 0;
    if (!bytes && !bits) {
      decode_streams(block, out);
      return;
    }
    const MutableBytes shuffled = scratch.get(out.size());
    decode_streams(block, shuffled);
    if (bytes)
      byteunshuffle(shuffled, out, typesize);
    else
      bitunshuffle_block(shuffled, out, typesize);
  }

  void decode_streams(std::uint64_t block, MutableBytes out) const {
    ByteView in = block_bytes(block);
    const bool split = splittable_ && out.size() == header_.block_size;
    const std::size_t streams = split ? header_.typesize : 1, raw = out.size() / streams;
    if (raw * streams != out.size())
      fail(ErrorKind::corrupt, "Blosc block size {} is no multiple of the {} streams of a block", out.size(), streams);
    for (std::size_t i = 0; i < streams; ++i) {
      const std::size_t size = in.size() < 4 ? 0 : load_le<std::uint32_t>(in.data());
      if (size == 0 || size > in.size() - 4)
        fail(ErrorKind::corrupt, "Blosc block {}, stream {} of {}: length {} where {} bytes are left", block, i,
             streams, size, in.size());
      decode_stream(in.subspan(4, size), out.subspan(i * raw, raw), block, i);
      in = in.subspan(4 + size);
    }
  }

  void decode_stream(ByteView in, MutableBytes out, std::uint64_t block, std::size_t stream) const {
    if (in.size() == out.size()) {
      if (rescue_ && format_->decode(in, out)) return;
      std::memcpy(out.data(), in.data(), in.size());
    } else if (!format_->decode(in, out)) {
      fail(ErrorKind::corrupt, "Blosc block {}, stream {}: {} bytes are not {} data of {} raw bytes", block, stream,
           in.size(), format_->name, out.size());
    }
  }

  BloscHeader header_;
  ByteView chunk_;
  const StreamFormat* format_;
  bool rescue_, splittable_;
};

}  // namespace

BloscHeader blosc_header(ByteView chunk) {
  if (chunk.size() < kBloscHeaderSize)
    fail(ErrorKind::corrupt, "a Blosc chunk of {} bytes, shorter than its header of {}", chunk.size(),
         kBloscHeaderSize);
  const std::byte* p = chunk.data();
  BloscHeader h;
  h.version = load<std::uint8_t>(p);
  h.version_lz = load<std::uint8_t>(p + 1);
  h.flags = load<std::uint8_t>(p + 2);
  h.typesize = load<std::uint8_t>(p + 3);
  h.nbytes = load_le<std::uint32_t>(p + 4);
  h.block_size = load_le<std::uint32_t>(p + 8);
  h.ctbytes = load_le<std::uint32_t>(p + 12);
  if (h.version != kVersion)
    fail(ErrorKind::corrupt, "Blosc chunk of version {}: Blosc 1 chunks have version 2 (newer ones are of Blosc 2)",
         h.version);
  if (h.version_lz != kVersionLz)
    fail(ErrorKind::corrupt, "Blosc chunk with streams of version {}, expected 1", h.version_lz);
  if (h.typesize == 0) fail(ErrorKind::corrupt, "Blosc chunk with items of 0 bytes");
  if (h.flags >> 5 >= std::size(kFormats) || (h.flags & kReserved) ||
      (h.flags & (kByteShuffle | kBitShuffle)) == (kByteShuffle | kBitShuffle))
    fail(ErrorKind::corrupt, "Blosc chunk with unknown flags {:#04x}", h.flags);
  if (h.ctbytes < kBloscHeaderSize || h.ctbytes > chunk.size())
    fail(ErrorKind::corrupt, "Blosc chunk claims {} bytes, {} are there", h.ctbytes, chunk.size());
  if (h.plain_copy()) {
    if (h.ctbytes - kBloscHeaderSize != h.nbytes)
      fail(ErrorKind::corrupt, "Blosc chunk claims a copy of {} bytes in {} bytes", h.nbytes, h.ctbytes);
    return h;
  }
  if (h.nbytes == 0) return h;
  if (h.block_size == 0 || h.block_size > h.nbytes)
    fail(ErrorKind::corrupt, "Blosc chunk of {} raw bytes claims blocks of {}", h.nbytes, h.block_size);
  const std::uint64_t blocks = (std::uint64_t{h.nbytes} + h.block_size - 1) / h.block_size;
  if (4 * blocks > h.ctbytes - kBloscHeaderSize)
    fail(ErrorKind::corrupt, "Blosc chunk of {} bytes cannot hold the offsets of {} blocks", h.ctbytes, blocks);
  return h;
}

void blosc_decode(ByteView chunk, MutableBytes out, const BloscOptions& options) {
  Decoder decoder(chunk, options);
  if (decoder.header().nbytes != out.size())
    fail(ErrorKind::corrupt, "Blosc chunk of {} raw bytes, expected {}", decoder.header().nbytes, out.size());
  decoder.decode(0, out);
}

void blosc_decode_range(ByteView chunk, std::uint64_t offset, MutableBytes out, const BloscOptions& options) {
  Decoder decoder(chunk, options);
  const std::uint64_t nbytes = decoder.header().nbytes;
  if (offset > nbytes || out.size() > nbytes - offset)
    fail(ErrorKind::invalid_argument, "bytes {} to {} of a Blosc chunk of {} raw bytes", offset, offset + out.size(),
         nbytes);
  decoder.decode(offset, out);
}

}  // namespace tegula::codec
