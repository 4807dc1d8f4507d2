// A buffer that grows while a stream of unknown raw size is decoded into its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/fail.h"
#include "tegula/bytes.h"

namespace tegula::codec {

// Appends at most `limit` bytes to `out`. Until finish() the buffer is larger than its content; an exception leaves
// `out` as it was before.
class GrowingBuffer {
 public:
  // The room to start with when the raw size is unknown: a few times the compressed size, so that a stream of a few
  // bytes reserves little.
  static std::uint64_t guess(ByteView compressed) {
    return std::max<std::uint64_t>(4 * std::uint64_t{compressed.size()}, kLeastRoom);
  }
  GrowingBuffer(Bytes& out, std::uint64_t limit, std::uint64_t first_room)
      : out_(out), start_(out.size()), end_(out.size()), limit_(limit) {
    out_.resize(start_ + std::min(first_room, limit_));
  }
  ~GrowingBuffer() {
    if (!finished_) out_.resize(start_);
  }
  GrowingBuffer(const GrowingBuffer&) = delete;
  GrowingBuffer& operator=(const GrowingBuffer&) = delete;

  MutableBytes room() { return MutableBytes(out_).subspan(end_); }
  void commit(std::size_t n) { end_ += n; }
  // Makes four times the room; throws corrupt when the limit is reached.
  void more(std::string_view what) {
    const std::uint64_t had = out_.size() - start_;
    if (had >= limit_) fail(ErrorKind::corrupt, "{} holds more than the {} bytes expected", what, limit_);
    out_.resize(end_);  // only decoded bytes are copied when the buffer moves
    out_.resize(start_ + std::min(std::max<std::uint64_t>(4 * had, kLeastRoom), limit_));
  }
  void finish() {
    out_.resize(end_);
    finished_ = true;
  }

 private:
  static constexpr std::uint64_t kLeastRoom = 65536;

  Bytes& out_;
  std::size_t start_, end_;
  std::uint64_t limit_;
  bool finished_ = false;
};

}  // namespace tegula::codec
