// What long work takes along: how many threads, how much memory, how to report progress, how to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tegula {

// Set from any thread or a signal handler; loops look at it between pieces of work and throw Error(cancelled).
class Cancel {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
  void check() const;

 private:
  std::atomic<bool> requested_{false};
};

// Receives progress. Called from any thread, possibly at once; must not throw.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void begin(std::string_view what, std::uint64_t total) = 0;  // total 0: not known
  virtual void advance(std::uint64_t by) = 0;
  virtual void end() = 0;
};

// All members have working defaults; the pointers are borrowed and may be null.
struct Work {
  unsigned threads = 0;               // 0: as many as the machine has
  std::uint64_t memory = 2ull << 30;  // budget in bytes for what an operation holds at once
  const Cancel* cancel = nullptr;
  Progress* progress = nullptr;

  void check() const {
    if (cancel) cancel->check();
  }
};

// "2GB", "64 KiB", "1.5m", "1000" -> bytes. Units are powers of 1024, upper or lower case. Throws invalid_argument.
std::uint64_t parse_size(std::string_view text);
// 1536 -> "1.5 KiB".
std::string format_size(std::uint64_t bytes);

}  // namespace tegula
