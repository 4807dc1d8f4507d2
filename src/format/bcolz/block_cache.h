// The last few blocks that small reads decoded: a program that walks a carray row by row decodes each block once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

#include "format/bcolz/chunk_file.h"
#include "tegula/bytes.h"

namespace tegula::bcolz {

// Thread-safe. Belongs to one snapshot of a carray, so a write through the same handle leaves it behind.
class BlockCache {
 public:
  static constexpr std::uint64_t kLargest = 4 << 20;  // bytes of an entry; there are four

  // Copies the bytes of a chunk when they are here.
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
