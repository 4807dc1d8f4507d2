#include "format/bcolz/disk/chunk_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/context.h"
#include "base/cursor.h"
#include "base/fail.h"

namespace tegula::bcolz {

namespace {

constexpr std::string_view kMagic = "blpk";
constexpr std::uint8_t kVersion = 1;
// Below this a file is read whole: a second request costs more than the bytes.
constexpr std::uint64_t kSmallFile = 64 << 10;
constexpr std::uint64_t kLargestFile = kChunkFileHeader + UINT32_MAX;  // bytes after that cannot belong to the chunk
constexpr std::uint64_t kHead = 4096;  // both headers and the offsets of about a thousand blocks

void check_header(ByteView file, const std::string& name) {
  Cursor in(file, name);
  const std::string magic = in.string(4, "the header of a chunk file");
  if (magic != kMagic) in.fail_at(0, "this is not a chunk file: expected \"blpk\" at its start");
  const auto version = in.read<std::uint8_t>();
  if (version != kVersion) in.fail_at(4, fmt::format("chunk file of version {}, expected {}", version, kVersion));
  in.skip(3);
  const auto chunks = in.read<std::int64_t>();
  if (chunks != 1) in.fail_at(8, fmt::format("the file says it holds {} chunks, expected 1", chunks));
}

}  // namespace

std::string chunk_key(std::string_view prefix, std::uint64_t index) {
  return join(prefix, fmt::format("data/__{}.blp", index));
}

std::optional<std::uint64_t> chunk_index(std::string_view name) {
  if (!name.starts_with("__") || !name.ends_with(".blp") || name.size() < 7) return std::nullopt;
  const std::string_view digits = name.substr(2, name.size() - 6);
  std::uint64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size() || (digits[0] == '0' && digits.size() > 1))
    return std::nullopt;
  return index;
}

ChunkFile::ChunkFile(const Store& store, std::string key, const Expected& expected, Bytes& buffer)
    : store_(store), key_(std::move(key)), row_bytes_(expected.row_bytes), file_(buffer) {
  const auto missing = [&] {
    fail(ErrorKind::corrupt, "'{}' is missing: the carray says it has {} rows there", store_.describe(key_),
         expected.rows);
  };
  file_.clear();
  if (expected.most_rows <= kSmallFile / row_bytes_) {
    std::optional<Bytes> whole = store_.get(key_);
    if (!whole) missing();
    file_ = std::move(*whole);
    loaded_ = file_.size();
  } else {
    const std::optional<std::uint64_t> size = store_.size(key_);
    if (!size) missing();
    file_.resize(std::min(*size, kLargestFile));
    fetch(0, std::min<std::uint64_t>(file_.size(), *size <= kSmallFile ? kSmallFile : kHead));
  }
  const Context doing([&] { return fmt::format("'{}'", store_.describe(key_)); });
  check_header(ByteView(file_).first(loaded_), store_.describe(key_));
  header_ = codec::blosc_header(ByteView(file_).subspan(kChunkFileHeader));

  const bool full = expected.rows == expected.most_rows;
  // An append fills the chunk before it updates `sizes`: until then the chunk has more rows than the carray.
  if (header_.nbytes % row_bytes_ != 0 || rows() < expected.rows || rows() > expected.most_rows)
    fail(ErrorKind::corrupt, "the chunk holds {} bytes, expected {}{}", header_.nbytes, full ? "" : "at least ",
         expected.rows * row_bytes_);
}

void ChunkFile::fetch(std::uint64_t first, std::uint64_t last) {
  RangeRead read{key_, first, MutableBytes(file_).subspan(first, last - first), false};
  store_.get(std::span(&read, 1));
  if (!read.found) fail(ErrorKind::io, "'{}' was removed while it was read", store_.describe(key_));
  if (first <= loaded_) loaded_ = std::max(loaded_, last);
}

// Reads the blocks of the ranges. A block ends where the next one in the file starts, which need not be the block with
// the next number: writers with several threads do not store them in order.
void ChunkFile::load(std::span<const ByteRange> ranges) {
  const std::uint64_t end = stored_bytes();
  if (loaded_ >= end) return;
  std::uint64_t wanted = 0;
  for (const ByteRange& range : ranges) wanted += range.last - range.first;
  if (wanted > header_.nbytes / 2) return fetch(loaded_, end);

  struct Span {
    std::uint64_t first, last;
  };
  std::vector<Span> spans;
  const std::uint64_t body = kChunkFileHeader + codec::kBloscHeaderSize;
  if (header_.plain_copy()) {
    for (const ByteRange& range : ranges) spans.push_back({body + range.first, body + range.last});
  } else {
    const std::uint64_t size = header_.block_size, blocks = (header_.nbytes + size - 1) / size;
    if (loaded_ < body + 4 * blocks) fetch(loaded_, body + 4 * blocks);
    std::vector<std::uint64_t> starts(blocks);
    for (std::uint64_t i = 0; i < blocks; ++i)
      starts[i] = kChunkFileHeader + load_le<std::uint32_t>(file_.data() + body + 4 * i);
    std::vector<std::uint64_t> sorted = starts;
    std::sort(sorted.begin(), sorted.end());
    std::uint64_t next = 0;  // first block not looked at
    for (const ByteRange& range : ranges)
      for (std::uint64_t i = std::max(next, range.first / size); i * size < range.last; ++i) {
        const auto after = std::upper_bound(sorted.begin(), sorted.end(), starts[i]);
        // The decoder will refuse offsets that are out of bounds.
        const std::uint64_t last = std::min(after == sorted.end() ? end : *after, end);
        if (starts[i] < last) spans.push_back({starts[i], last});
        next = i + 1;
      }
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.first < b.first; });
  std::vector<RangeRead> reads;
  std::uint64_t done = loaded_;
  for (const Span& span : spans) {
    const std::uint64_t first = std::max(span.first, done);
    if (first >= span.last) continue;
    if (!reads.empty() && first == done && done > loaded_)
      reads.back().into = MutableBytes(reads.back().into.data(), reads.back().into.size() + span.last - first);
    else
      reads.push_back({key_, first, MutableBytes(file_).subspan(first, span.last - first), false});
    done = span.last;
  }
  store_.get(reads);
  for (const RangeRead& read : reads)
    if (!read.found) fail(ErrorKind::io, "'{}' was removed while it was read", store_.describe(key_));
}

void ChunkFile::widen(std::vector<ByteRange>& ranges) const {
  // A block that claims more than this is decoded through the codec's own checks of what it can hold.
  constexpr std::uint64_t kLargeBlock = 64 << 20;
  const std::uint64_t block = header_.block_size;
  if (header_.plain_copy() || block > kLargeBlock) return;
  std::size_t kept = 0;
  for (const ByteRange& range : ranges) {
    const ByteRange wide{range.first / block * block,
                         std::min<std::uint64_t>((range.last + block - 1) / block * block, header_.nbytes)};
    if (kept > 0 && wide.first <= ranges[kept - 1].last)
      ranges[kept - 1].last = wide.last;
    else
      ranges[kept++] = wide;
  }
  ranges.resize(kept);
}

void ChunkFile::decode(std::span<const ByteRange> ranges, MutableBytes into, std::uint64_t base, bool maybe_spoiled) {
  if (ranges.empty()) return;
  const Context doing([&] { return fmt::format("'{}'", store_.describe(key_)); });
  load(ranges);
  const ByteView chunk = ByteView(file_).subspan(kChunkFileHeader, header_.ctbytes);
  const std::uint64_t block = header_.plain_copy() ? 1 : header_.block_size;
  for (std::size_t i = 0; i < ranges.size();) {
    ByteRange run = ranges[i++];
    while (i < ranges.size() && ranges[i].first / block == (run.last - 1) / block) run.last = ranges[i++].last;
    codec::blosc_decode_range(chunk, run.first, into.subspan(run.first - base, run.last - run.first),
                              options(maybe_spoiled));
  }
}

void ChunkFile::check(bool maybe_spoiled) {
  const Context doing([&] { return fmt::format("'{}'", store_.describe(key_)); });
  if (loaded_ < stored_bytes()) fetch(loaded_, stored_bytes());
  if (header_.plain_copy()) return;
  const ByteView chunk = ByteView(file_).subspan(kChunkFileHeader, header_.ctbytes);
  // For one byte the codec decodes the whole block, after a look at whether the block can hold what it claims.
  std::byte one[1];
  for (std::uint64_t at = 0; at < header_.nbytes; at += header_.block_size)
    codec::blosc_decode_range(chunk, at, one, options(maybe_spoiled));
}

codec::BloscOptions ChunkFile::options(bool maybe_spoiled) const {
  // Bit 4 of the flags came with C-Blosc 1.11: such a chunk cannot be one that C-Blosc 1.4 damaged.
  codec::BloscOptions out;
  out.rescue = maybe_spoiled && !(header_.flags & 0x10);
  return out;
}

Bytes encode_chunk_file(ByteView raw, const codec::BloscParams& params) {
  Bytes out;
  ByteWriter writer(out);
  writer.text(kMagic);
  writer.put(kVersion);
  writer.zeros(3);
  writer.put(std::int64_t{1});
  codec::blosc_encode(raw, out, params);
  return out;
}

}  // namespace tegula::bcolz
