#include "format/bcolz/block_cache.h"

#include <cstring>

namespace tegula::bcolz {

bool BlockCache::copy(std::uint64_t chunk, const ByteRange& range, MutableBytes out) const {
  std::shared_ptr<const Bytes> bytes;
  std::uint64_t base = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (!entry.bytes || entry.chunk != chunk || range.first < entry.range.first || range.last > entry.range.last)
        continue;
      bytes = entry.bytes;
      base = entry.range.first;
    }
  }
  if (!bytes) return false;
  std::memcpy(out.data(), bytes->data() + (range.first - base), out.size());
  return true;
}

void BlockCache::keep(std::uint64_t chunk, const ByteRange& range, Bytes bytes) {
  auto shared = std::make_shared<const Bytes>(std::move(bytes));
  const std::lock_guard lock(mutex_);
  entries_[oldest_] = {chunk, range, std::move(shared)};
  oldest_ = (oldest_ + 1) % entries_.size();
}

}  // namespace tegula::bcolz
