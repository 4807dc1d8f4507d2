#include "format/zarr/chunk/chunk_locks.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>

namespace tegula::zarr {

namespace {

constexpr std::size_t kChunkLocks = 256, kDocumentLocks = 16;

// The only state that handles share: two of them must not change a chunk at the same time, and neither knows of the
// other. A fixed number of locks, not a list of arrays; arrays that hash to the same lock wait for each other, nothing
// worse.
struct Table {
  pid_t owner = ::getpid();
  Table* before = nullptr;  // of the parent process
  std::array<std::shared_mutex, kChunkLocks> chunks;
  std::array<std::mutex, kDocumentLocks> documents;
};

// fork() may copy locks that are held and that nothing in the child will release: the child gets a table of its own.
// Tables are never destroyed, since threads may still hold a lock while the process exits.
Table& table() {
  static std::atomic<Table*> current{nullptr};
  Table* found = current.load(std::memory_order_acquire);
  while (!found || found->owner != ::getpid()) {
    auto fresh = std::make_unique<Table>();
    fresh->before = found;
    if (current.compare_exchange_strong(found, fresh.get(), std::memory_order_acq_rel)) found = fresh.release();
  }
  return *found;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 0xBF58476D1CE4E5B9; }

}  // namespace

ChunkLocks::ChunkLocks(const Store& store) : seed_(0x9E3779B97F4A7C15) {
  for (const char c : store.identity()) seed_ = mix(seed_, static_cast<unsigned char>(c));
}

std::size_t ChunkLocks::number(const Shape& chunk) const {
  std::uint64_t hash = seed_;
  for (const std::uint64_t index : chunk) hash = mix(hash, index);
  return (hash >> 40) % kChunkLocks;
}

std::shared_mutex& ChunkLocks::at(std::size_t number) { return table().chunks[number]; }

std::mutex& ChunkLocks::document() const { return table().documents[(seed_ >> 40) % kDocumentLocks]; }

}  // namespace tegula::zarr
