// data/__N.blp: a header of 16 bytes, then one Blosc chunk.
//
//   0  "blpk"          4  version, 1        5  three zero bytes       8  int64: number of chunks, 1
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/blosc/blosc.h"
#include "store/store.h"
#include "tegula/bytes.h"

namespace tegula::bcolz {

inline constexpr std::size_t kChunkFileHeader = 16;

// Bytes first .. last - 1 of a decoded chunk.
struct ByteRange {
  std::uint64_t first = 0, last = 0;
};

// An open chunk file, of which ranges can be decoded. Of large files only the needed blocks are read. Borrows the
// buffer, so that it can be reused for many files. Not thread-safe.
class ChunkFile {
 public:
  // Reads and checks the headers: not_found when the file is not there, corrupt when it does not match what is
  // expected. `rows` are those the carray needs of this chunk; `most_rows` those of a full chunk. `row_bytes` is not 0.
  struct Expected {
    std::uint64_t rows = 0, most_rows = 0, row_bytes = 1;
  };
  ChunkFile(const Store& store, std::string key, const Expected& expected, Bytes& buffer);

  const codec::BloscHeader& header() const { return header_; }
  std::uint64_t rows() const { return header_.nbytes / row_bytes_; }
  // Bytes of the file that are used: its header and the chunk.
  std::uint64_t stored_bytes() const { return kChunkFileHeader + header_.ctbytes; }

  // Extends ranges to the whole blocks that must be decoded for them anyway, and merges ranges that touch.
  void widen(std::vector<ByteRange>& ranges) const;
  // Decodes the ranges, which are sorted and do not overlap, into `into`, where byte `base` of the chunk is into[0].
  // Decodes every block at most once.
  void decode(std::span<const ByteRange> ranges, MutableBytes into, std::uint64_t base, bool maybe_spoiled);

  // Decodes everything, to see whether that works; throws corrupt.
  void check(bool maybe_spoiled);

 private:
  void load(std::span<const ByteRange> ranges);
  void fetch(std::uint64_t first, std::uint64_t last);
  codec::BloscOptions options(bool maybe_spoiled) const;

  const Store& store_;
  std::string key_;
  std::uint64_t row_bytes_;
  Bytes& file_;               // as long as the file; bytes not loaded yet are undefined
  std::uint64_t loaded_ = 0;  // from the start
  codec::BloscHeader header_;
};

// "data/__12.blp" below `prefix`.
std::string chunk_key(std::string_view prefix, std::uint64_t index);
// 12 for "__12.blp"; no value for other names.
std::optional<std::uint64_t> chunk_index(std::string_view name);

// The chunk file of raw bytes, which must be fewer than 2^31 - 16.
Bytes encode_chunk_file(ByteView raw, const codec::BloscParams& params);

}  // namespace tegula::bcolz
