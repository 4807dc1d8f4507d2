#include "capi/core/handles.h"

#include <pthread.h>

#include <array>
#include <mutex>
#include <unordered_map>

namespace tegula::capi {

namespace {

// Several tables, so that threads seldom wait for each other.
struct Shard {
  std::mutex mutex;
  std::unordered_map<const void*, std::string_view> kinds;
};

// Never destroyed: callers free handles while the process ends.
std::array<Shard, 16>& shards() {
  static auto* const all = [] {
    auto* made = new std::array<Shard, 16>;
    // A process that is forked while another thread holds a lock would wait for it forever.
    pthread_atfork(
        [] {
          for (Shard& shard : shards()) shard.mutex.lock();
        },
        [] {
          for (Shard& shard : shards()) shard.mutex.unlock();
        },
        [] {
          for (Shard& shard : shards()) shard.mutex.unlock();
        });
    return made;
  }();
  return *all;
}

Shard& shard_of(const void* handle) { return shards()[(reinterpret_cast<std::uintptr_t>(handle) >> 5) % 16]; }

}  // namespace

void add_live(const void* handle, std::string_view kind) {
  Shard& shard = shard_of(handle);
  const std::lock_guard lock(shard.mutex);
  shard.kinds[handle] = kind;
}

bool is_live(const void* handle, std::string_view kind) noexcept {
  if (!handle) return false;
  Shard& shard = shard_of(handle);
  const std::lock_guard lock(shard.mutex);
  const auto at = shard.kinds.find(handle);
  return at != shard.kinds.end() && at->second == kind;
}

bool remove_live(const void* handle, std::string_view kind) noexcept {
  Shard& shard = shard_of(handle);
  const std::lock_guard lock(shard.mutex);
  const auto at = shard.kinds.find(handle);
  if (at == shard.kinds.end() || at->second != kind) return false;
  shard.kinds.erase(at);
  return true;
}

}  // namespace tegula::capi
