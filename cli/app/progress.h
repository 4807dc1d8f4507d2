// A progress bar on stderr.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "tegula/work.h"

namespace tegula::cli {

// Draws at most ten times a second and wipes the line at the end. Give it to work only when stderr is a terminal.
class TerminalProgress final : public Progress {
 public:
  static bool possible();
  void begin(std::string_view what, std::uint64_t total) override;
  void advance(std::uint64_t by) override;
  void end() override;

 private:
  void draw(std::uint64_t done);
  std::mutex mutex_;
  std::string what_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_draw_{0};
  bool shown_ = false;
};

}  // namespace tegula::cli
