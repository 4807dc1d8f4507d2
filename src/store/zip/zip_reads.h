// Reading ranges of the members of a zip archive, many at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "store/store.h"
#include "store/zip/zip_directory.h"

namespace tegula {

// Borrows all it is given. Thread-safe.
class ZipReads {
 public:
  ZipReads(const Store& store, const std::string& key, const ZipDirectory& directory);

  // As Store::fetch(). members[i] is where reads[i] lies, null when it is absent; the ranges lie within the members.
  // A batch is one batch to the archive's store, and a second one only for members whose header is longer than most.
  void fetch(std::span<RangeRead> reads, std::span<const ZipMember* const> members,
             const std::function<void(std::size_t)>& arrived) const;

  // Throws corrupt when the member cannot be as large as the directory says: to be asked before memory is taken for it.
  void check_size(const ZipMember& member) const;

 private:
  struct Job;
  using Arrived = std::function<void(std::size_t)>;

  // What is known of the header of a member.
  std::atomic<std::uint64_t>& header_of(const ZipMember& member) const;
  void plan(Job& job, std::span<const RangeRead> reads) const;
  bool finish(Job& job, std::span<RangeRead> reads, const Arrived& arrived) const;
  void unpack(const Job& job, ByteView stored, std::span<RangeRead> reads) const;
  void check_crc(const ZipMember& member, ByteView bytes) const;
  std::string describe(const ZipMember& member) const;
  std::shared_ptr<const Bytes> recent(const ZipMember& member) const;
  void keep(const ZipMember& member, std::shared_ptr<const Bytes> bytes) const;

  const Store& store_;
  const std::string& key_;
  const ZipDirectory& directory_;
  // Where the bytes of each member begin, counted from its header, and above it the CRC-32 of the header; 0 until the
  // header has been seen.
  std::unique_ptr<std::atomic<std::uint64_t>[]> headers_;
  // Members that were inflated for a part of theirs: the next part is mostly asked for soon.
  struct Inflated {
    const ZipMember* member;
    std::shared_ptr<const Bytes> bytes;
  };
  mutable std::mutex mutex_;
  mutable std::vector<Inflated> inflated_;  // the one used last at the end
};

}  // namespace tegula
