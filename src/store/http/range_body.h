// The body of an answer to a request for one range, scattered into the buffers of its caller.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/http/http.h"

namespace tegula::http {

// A part of a file and where its bytes go.
struct Piece {
  std::uint64_t offset = 0;
  MutableBytes into;
};

// Believes Content-Range and not the status: a server may answer a range with 200 and the range, or with the whole
// file. What does not fit the request is a problem() of this try, and fills nothing that complete() would vouch for.
class RangeBody final : public BodySink {
 public:
  // The pieces lie inside [offset, offset + length) and are sorted by offset; they may overlap.
  RangeBody(std::uint64_t offset, std::uint64_t length, std::vector<Piece> pieces);

  void begin(int status, const Headers& headers) override;
  void take(ByteView bytes) override;
  // What follows the range is not wanted, nor is a body that cannot be used.
  Rest rest() const override { return problem_.empty() && done_ <= end() ? Rest::wanted : Rest::unwanted; }

  // Every byte that was asked for has arrived.
  bool complete() const { return problem_.empty() && done_ >= end(); }
  // The file ends before the range does: size() then has its size.
  bool too_short() const { return too_short_; }
  // Why the body cannot be used; trying again may help. Empty: nothing is known against it.
  std::string problem() const;
  std::optional<std::uint64_t> size() const { return size_; }  // of the file
  const std::string& etag() const { return etag_; }

 private:
  std::uint64_t end() const { return offset_ + length_; }

  std::uint64_t offset_, length_;
  std::vector<Piece> pieces_;
  std::size_t first_open_ = 0;  // pieces before it are full
  std::uint64_t done_ = 0;      // the body has arrived up to here, counted in the file
  std::optional<std::uint64_t> size_;
  std::string etag_, problem_;
  bool begun_ = false, too_short_ = false;
};

// A whole file of unknown size grows in memory up to this.
inline constexpr std::uint64_t kLargestWhole = 4ull << 30;

// The end of a file, or the whole of one that is not larger. Keeps at most `limit` bytes: more is Rest::too_large.
class TailBody final : public BodySink {
 public:
  explicit TailBody(std::uint64_t most, std::uint64_t limit = kLargestWhole) : most_(most), limit_(limit) {}
  void begin(int status, const Headers& headers) override;
  void take(ByteView bytes) override;
  Rest rest() const override;

  std::string problem() const;
  std::uint64_t size() const { return whole_ ? expected_ : size_; }  // of the file
  Bytes bytes();                                                     // hands over what arrived, at most `most`
  const std::string& etag() const { return etag_; }

 private:
  std::uint64_t most_, limit_;
  std::uint64_t size_ = 0;      // as announced
  std::uint64_t expected_ = 0;  // bytes of the body: announced, or of a whole file, counted
  bool whole_ = false, begun_ = false;
  Bytes bytes_;
  std::string etag_, problem_;
};

}  // namespace tegula::http
