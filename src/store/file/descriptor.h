// File descriptors, and system calls that report failures as Error.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "tegula/bytes.h"

namespace tegula {

// Owns a file descriptor; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int release() noexcept { return std::exchange(fd_, -1); }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

// Repeats a call that a signal interrupted.
template <class F>
auto retry(F call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// Throws the Error for an errno: "writing '/a/b': No space left on device; ...".
[[noreturn]] void fail_system(int error, std::string_view doing, std::string_view path);

// Writes all bytes; `path` is for error messages.
void write_at(int fd, std::uint64_t offset, ByteView bytes, std::string_view path);

}  // namespace tegula
