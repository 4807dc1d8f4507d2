// The last few blocks that small reads decoded, so that reading a carray row by row decodes each block once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

#include "format/bcolz/disk/chunk_file.h"
#include "tegula/bytes.h"

namespace tegula::bcolz {

// Thread-safe. Belongs to one snapshot of a carray; the snapshot after a write has a new one.
class BlockCache {
 public:
  static constexpr std::uint64_t kLargest = 4 << 20;  // bytes of an entry; there are four

  // Copies a range of a chunk if it is cached.
  bool copy(std::uint64_t chunk, const ByteRange& range, MutableBytes out) const;
  void keep(std::uint64_t chunk, const ByteRange& range, Bytes bytes);

 private:
  struct Entry {
    std::uint64_t chunk = 0;
    ByteRange range;
    std::shared_ptr<const Bytes> bytes;
  };
  mutable std::mutex mutex_;
  std::array<Entry, 4> entries_;
  std::size_t oldest_ = 0;
};

}  // namespace tegula::bcolz
