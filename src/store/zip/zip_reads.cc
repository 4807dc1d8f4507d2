#include "store/zip/zip_reads.h"

#include <algorithm>
#include <deque>

#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "codec/compress/deflate.h"

namespace tegula {

namespace {

constexpr std::uint64_t kSlack = 256;              // for extra fields, read with a member that is read whole
constexpr std::uint64_t kMostInflated = 64 << 20;  // bytes of inflated members to keep

bool whole(const RangeRead& read, const ZipMember& member) { return read.into.size() == member.size; }

}  // namespace

// The reads of one member in a batch. Whoever sees the last range of the archive arrive finishes it.
struct ZipReads::Job {
  const ZipMember* member = nullptr;
  std::vector<std::size_t> reads;  // of the batch
  bool start_known = false;
  std::uint64_t start = 0;  // of its bytes, counted from its header; a guess while it is not known
  Bytes front;  // its header, followed by all of it when it is deflated; with a known start only its stored bytes
  std::atomic<std::size_t> waiting{0};
};

ZipReads::ZipReads(const Store& store, const std::string& key, const ZipDirectory& directory)
    : store_(store),
      key_(key),
      directory_(directory),
      headers_(std::make_unique<std::atomic<std::uint64_t>[]>(directory.members.size())) {}

std::atomic<std::uint64_t>& ZipReads::header_of(const ZipMember& member) const {
  return headers_[static_cast<std::size_t>(&member - directory_.members.data())];
}

std::string ZipReads::describe(const ZipMember& member) const {
  return fmt::format("{}!/{}", store_.describe(key_), member.name);
}

void ZipReads::check_size(const ZipMember& member) const {
  if (member.method == ZipMethod::deflated && member.size / codec::kMostDeflateGain > member.stored_size)
    fail(ErrorKind::corrupt, "{}: {} deflated bytes cannot hold the {} bytes of which the directory tells",
         describe(member), member.stored_size, member.size);
}

void ZipReads::check_crc(const ZipMember& member, ByteView bytes) const {
  if (const std::uint32_t found = codec::crc32(bytes); found != member.crc)
    fail(ErrorKind::corrupt, "{}: its CRC-32 is {:08x}, the directory says {:08x}", describe(member), found,
         member.crc);
}

std::shared_ptr<const Bytes> ZipReads::recent(const ZipMember& member) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find(inflated_, &member, &Inflated::member);
  if (at == inflated_.end()) return nullptr;
  std::rotate(at, at + 1, inflated_.end());
  return inflated_.back().bytes;
}

void ZipReads::keep(const ZipMember& member, std::shared_ptr<const Bytes> bytes) const {
  const std::lock_guard lock(mutex_);
  std::erase_if(inflated_, [&](const Inflated& kept) { return kept.member == &member; });
  inflated_.push_back({&member, std::move(bytes)});
  std::uint64_t total = 0;
  auto oldest = inflated_.end();
  while (oldest != inflated_.begin() && total <= kMostInflated) total += (--oldest)->bytes->size();
  if (total > kMostInflated) inflated_.erase(inflated_.begin(), std::next(oldest));
}

// What is read in front of the ranges. A part of a stored member has no checksum: its header is read again, which shows
// whether the archive is still the same.
void ZipReads::plan(Job& job, std::span<const RangeRead> reads) const {
  const ZipMember& member = *job.member;
  const std::uint64_t header = kZipHeader + member.name.size(), room = member.end - member.header;
  const std::uint64_t known = header_of(member).load() & UINT32_MAX;
  const bool checked = member.method == ZipMethod::deflated || std::ranges::all_of(job.reads, [&](std::size_t i) {
                         return whole(reads[i], member) || reads[i].into.empty();
                       });
  job.start_known = known != 0 && checked;
  job.start = known != 0 ? known : header;
  if (member.method == ZipMethod::deflated)
    job.front.resize(job.start_known ? member.stored_size : std::min(room, header + kSlack + member.stored_size));
  else if (!job.start_known)
    job.front.resize(header);
}

// Inflates straight into the only read when that wants all of it.
void ZipReads::unpack(const Job& job, ByteView stored, std::span<RangeRead> reads) const {
  const ZipMember& member = *job.member;
  const auto inflate = [&](MutableBytes into) {
    if (!codec::deflate_decode_exact(stored, into))
      fail(ErrorKind::corrupt, "{}: its {} bytes are not deflated from {}", describe(member), stored.size(),
           member.size);
    check_crc(member, into);
  };
  if (job.reads.size() == 1 && whole(reads[job.reads[0]], member)) {
    inflate(reads[job.reads[0]].into);
    return;
  }
  check_size(member);
  auto bytes = std::make_shared<Bytes>(member.size);
  inflate(*bytes);
  for (const std::size_t i : job.reads)
    std::copy_n(bytes->data() + reads[i].offset, reads[i].into.size(), reads[i].into.data());
  keep(member, std::move(bytes));
}

// False when the member begins elsewhere than it was read; its start is known now.
bool ZipReads::finish(Job& job, std::span<RangeRead> reads, const Arrived& arrived) const {
  const ZipMember& member = *job.member;
  ByteView stored = job.front;
  if (!job.start_known) {
    const ByteView header = stored.first(std::min<std::size_t>(stored.size(), kZipHeader + member.name.size()));
    const std::uint64_t seen = codec::crc32(header), before = header_of(member).load();
    if (before != 0 && before >> 32 != seen)
      fail(ErrorKind::io, "{}: it changed while it was read; open it again", store_.describe(key_));
    const std::uint64_t start = check_zip_header(job.front, member, store_.describe(key_));
    header_of(member).store(seen << 32 | start);
    if (member.method == ZipMethod::deflated) {
      if (job.front.size() < start || job.front.size() - start < member.stored_size) return false;
      stored = stored.subspan(start, member.stored_size);
    } else if (start != job.start) {
      return false;
    }
  }
  if (member.method == ZipMethod::deflated) unpack(job, stored, reads);
  for (const std::size_t i : job.reads) {
    if (member.method == ZipMethod::stored && whole(reads[i], member)) check_crc(member, reads[i].into);
    arrived(i);
  }
  return true;
}

void ZipReads::fetch(std::span<RangeRead> reads, std::span<const ZipMember* const> members,
                     const Arrived& arrived) const {
  std::deque<Job> jobs;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (!members[i]) {
      arrived(i);
      continue;
    }
    if (members[i]->method == ZipMethod::deflated && !whole(reads[i], *members[i])) {
      if (const auto bytes = recent(*members[i])) {
        std::copy_n(bytes->data() + reads[i].offset, reads[i].into.size(), reads[i].into.data());
        arrived(i);
        continue;
      }
    }
    // Ranges of one member mostly follow each other.
    if (jobs.empty() || jobs.back().member != members[i]) jobs.emplace_back().member = members[i];
    jobs.back().reads.push_back(i);
  }

  std::vector<Job*> left;
  for (Job& job : jobs) left.push_back(&job);
  while (!left.empty()) {
    std::vector<RangeRead> ranges;
    std::vector<Job*> job_of;
    for (Job* job : left) {
      const ZipMember& member = *job->member;
      plan(*job, reads);
      const std::uint64_t start = member.header + job->start;
      const std::size_t before = ranges.size();
      const bool deflated = member.method == ZipMethod::deflated;
      if (!job->front.empty() || deflated)
        ranges.push_back({key_, job->start_known ? start : member.header, job->front});
      if (!deflated)
        for (const std::size_t i : job->reads) ranges.push_back({key_, start + reads[i].offset, reads[i].into});
      job->waiting = ranges.size() - before;
      job_of.resize(ranges.size(), job);
    }
    std::mutex again_mutex;
    std::vector<Job*> again;
    store_.fetch(ranges, [&](std::size_t i) {
      if (!ranges[i].found) fail(ErrorKind::io, "{}: it was removed while it was read", store_.describe(key_));
      Job& job = *job_of[i];
      if (job.waiting.fetch_sub(1) != 1 || finish(job, reads, arrived)) return;
      const std::lock_guard lock(again_mutex);
      again.push_back(&job);
    });
    left = std::move(again);
  }
}

}  // namespace tegula
