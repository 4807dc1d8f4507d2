// Bytes that come piece by piece and are needed later, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "tegula/bytes.h"

namespace tegula::cli {

// Temporary space beside a file that is to be written, or where the system has room for it.
std::unique_ptr<Scratch> scratch_beside(const std::string& path);
std::unique_ptr<Scratch> system_scratch();

// Temporary space that several spools share. It is made when the first of them has more than it keeps in memory.
class SpoolSpace {
 public:
  explicit SpoolSpace(std::function<std::unique_ptr<Scratch>()> make) : make_(std::move(make)) {}
  // Returns where the bytes are.
  std::uint64_t add(ByteView bytes);
  void read(std::uint64_t offset, MutableBytes into) const { scratch_->read(offset, into); }

 private:
  const std::function<std::unique_ptr<Scratch>()> make_;
  std::unique_ptr<Scratch> scratch_;
  std::uint64_t end_ = 0;
};

// Keeps at most 256 KiB in memory.
class Spool {
 public:
  explicit Spool(std::shared_ptr<SpoolSpace> space) : space_(std::move(space)) {}
  void append(ByteView bytes);
  std::uint64_t size() const { return size_; }
  // All bytes, piece by piece; a piece is one or more whole appends.
  void each(const std::function<void(ByteView piece)>& take) const;

 private:
  std::shared_ptr<SpoolSpace> space_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts_;  // offset and length in the space
  Bytes rest_;
  std::uint64_t size_ = 0;
};

}  // namespace tegula::cli
