// Options of long operations: threads, memory, progress, cancellation.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tegula {

// A request to stop, made from any thread or a signal handler. Operations check it regularly and then throw
// Error(cancelled).
class Cancel {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
  void check() const;

 private:
  std::atomic<bool> requested_{false};
};

// Receives progress. Called from any thread, and from several at once; must not throw.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void begin(std::string_view what, std::uint64_t total) = 0;  // total 0: unknown
  virtual void advance(std::uint64_t by) = 0;
  virtual void end() = 0;
};

// The defaults suit most callers. Pointers are borrowed and may be null.
struct Work {
  unsigned threads = 0;               // 0: as many as the machine has
  std::uint64_t memory = 2ull << 30;  // bytes that an operation may hold at once
  const Cancel* cancel = nullptr;
  Progress* progress = nullptr;

  void check() const {
    if (cancel) cancel->check();
  }
};

// "2GB", "64 KiB", "1.5m", "1000" as bytes. Units are powers of 1024, in upper or lower case. Throws invalid_argument.
std::uint64_t parse_size(std::string_view text);
// 1536 -> "1.5 KiB".
std::string format_size(std::uint64_t bytes);

}  // namespace tegula
