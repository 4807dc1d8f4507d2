#include "app/progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace tegula::cli {

namespace {

constexpr std::int64_t kInterval = 100;
constexpr unsigned kWidth = 30;

std::int64_t now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

bool TerminalProgress::possible() { return isatty(STDERR_FILENO) == 1; }

void TerminalProgress::begin(std::string_view what, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  what_ = what;
  total_ = total;
  done_ = 0;
  // Short work shows nothing.
  next_draw_ = now() + 3 * kInterval;
}

void TerminalProgress::advance(std::uint64_t by) {
  const std::uint64_t done = done_ += by;
  std::int64_t due = next_draw_;
  const std::int64_t time = now();
  if (time >= due && next_draw_.compare_exchange_strong(due, time + kInterval)) draw(done);
}

void TerminalProgress::end() {
  const std::lock_guard lock(mutex_);
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void TerminalProgress::draw(std::uint64_t done) {
  const std::lock_guard lock(mutex_);
  shown_ = true;
  if (total_ == 0) {
    std::fprintf(stderr, "\r\033[K%s %llu", what_.c_str(), static_cast<unsigned long long>(done));
    return;
  }
  const double part = done >= total_ ? 1.0 : static_cast<double>(done) / static_cast<double>(total_);
  const unsigned full = static_cast<unsigned>(part * kWidth);
  const std::string bar = std::string(full, '#') + std::string(kWidth - full, '.');
  std::fprintf(stderr, "\r\033[K%s [%s] %3.0f%%", what_.c_str(), bar.c_str(), part * 100);
}

}  // namespace tegula::cli
