#include "store/objects/object_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/fail.h"
#include "store/http/range_body.h"
#include "store/http/range_plan.h"

namespace tegula::objects {

namespace {

constexpr std::size_t kRequestsAtOnce = 1024;  // that are held in memory

// A body that does not fit the request is tried again, as a broken transfer is.
template <class Body>
void watch(http::Call& call, const std::shared_ptr<Body>& body) {
  call.request.sink = body.get();
  call.judge = [inner = std::move(call.judge), body](const http::Answer& answer) {
    const http::Verdict verdict = inner(answer);
    const bool used = answer.failure == http::Failure::none && (answer.status == 200 || answer.status == 206);
    return verdict == http::Verdict::done && used && !body->problem().empty() ? http::Verdict::again : verdict;
  };
}

template <class Body>
void check_body(const Bucket& bucket, const http::Call& call, const Body& body) {
  if (!Bucket::ok(call)) bucket.fail_answer(call);
  const std::string problem = call.answer.status == 200 || call.answer.status == 206
                                  ? body.problem()
                                  : fmt::format("the server answered {}", call.answer.status);
  if (!problem.empty()) fail(ErrorKind::io, "{}: {} ({} tries)", call.key, problem, call.tries);
}

std::optional<std::uint64_t> size_in_416(const http::Call& call) {
  const std::string* text = http::find(call.answer.headers, "content-range");
  const auto range = text ? http::parse_content_range(*text) : std::nullopt;
  return range ? range->size : std::nullopt;
}

// Ranges that are being read.
class RangeReads {
 public:
  RangeReads(Bucket& bucket, const std::string& prefix, std::span<RangeRead> reads)
      : bucket_(bucket),
        prefix_(prefix),
        reads_(reads),
        groups_(http::plan_ranges(reads, bucket.settings().merge_gap, bucket.settings().read_part)),
        left_(reads.size()) {
    for (RangeRead& read : reads) {
      check_key(read.key);
      read.found = true;
    }
    for (const http::RangeGroup& group : groups_)
      for (const std::size_t i : group.reads) ++left_[i];
  }

  // Not all at once: hundreds of thousands of requests and their answers would take more memory than what they read.
  void run(const std::function<void(std::size_t)>& arrived) {
    for (std::size_t first = 0; first < groups_.size(); first += kRequestsAtOnce)
      run(std::span(groups_).subspan(first, std::min(kRequestsAtOnce, groups_.size() - first)), arrived);
  }

 private:
  void run(std::span<const http::RangeGroup> groups, const std::function<void(std::size_t)>& arrived) {
    std::vector<http::Call> calls;
    std::vector<std::shared_ptr<http::RangeBody>> bodies;
    for (const http::RangeGroup& group : groups) {
      // Whether a file is there shows when its first byte is asked for.
      const std::uint64_t offset = group.length ? group.offset : 0, length = std::max<std::uint64_t>(group.length, 1);
      calls.push_back(bucket_.call("GET", join(prefix_, group.key), {}, {{"range", http::range_of(offset, length)}}));
      bodies.push_back(
          std::make_shared<http::RangeBody>(offset, length, group.length ? group.pieces : std::vector<http::Piece>()));
      watch(calls.back(), bodies.back());
    }
    bucket_.run(calls, [&](std::size_t i) {
      end(groups[i], calls[i], *bodies[i]);
      for (const std::size_t read : groups[i].reads)
        if (--left_[read] == 0 && arrived) arrived(read);
    });
  }

  void end(const http::RangeGroup& group, const http::Call& call, const http::RangeBody& body) {
    const bool absent = bucket_.absent(call);
    for (const std::size_t read : group.reads)
      if (reads_[read].state) *reads_[read].state = absent ? std::string() : body.etag();
    if (absent) {
      note_state(group.key, "absent");
      for (const std::size_t read : group.reads) reads_[read].found = false;
      return;
    }
    if (call.answer.failure == http::Failure::none && call.answer.status == 416) {
      const std::optional<std::uint64_t> size = size_in_416(call);
      if (group.length == 0 && group.offset == 0) return;  // an empty file
      too_short(group, size);
    }
    check_body(bucket_, call, body);
    note_state(group.key, body.etag());
    if (group.length == 0 ? body.size() && *body.size() < group.offset : body.too_short())
      too_short(group, body.size());
  }

  // Two parts of one file have to be of the same state of it.
  void note_state(std::string_view key, const std::string& state) {
    const auto [at, first] = states_.emplace(key, state);
    if (!first && at->second != state) fail(ErrorKind::io, "{}: it changed while it was read", bucket_.uri(key));
  }

  [[noreturn]] void too_short(const http::RangeGroup& group, std::optional<std::uint64_t> size) const {
    const std::uint64_t end = size.value_or(group.offset);
    for (const std::size_t i : group.reads)
      if (const RangeRead& read = reads_[i]; read.offset + read.into.size() > end)
        fail(ErrorKind::corrupt, "{}: expected {} bytes at byte {}, found {} bytes in all", bucket_.uri(read.key),
             read.into.size(), read.offset, size ? std::to_string(*size) : "fewer");
    fail(ErrorKind::corrupt, "{}: the file ends before byte {}", bucket_.uri(group.key), group.offset + group.length);
  }

  Bucket& bucket_;
  const std::string& prefix_;
  std::span<RangeRead> reads_;
  std::vector<http::RangeGroup> groups_;
  std::vector<std::size_t> left_;  // groups that a read waits for
  std::map<std::string_view, std::string> states_;
};

// Other answers that are no failures, such as 204, have no file.
bool is_whole(const http::Call& call) {
  return call.answer.failure == http::Failure::none && call.answer.status == 200;
}

Tail whole_file(http::Call& call) {
  const std::uint64_t size = call.answer.body.size();
  const std::string* etag = http::find(call.answer.headers, "etag");
  return {std::move(call.answer.body), size, etag ? *etag : std::string()};
}

// A denial of a read that may fail stays with it.
template <class F>
void or_keep(FileRead& read, F f) {
  try {
    f();
  } catch (const Error& error) {
    if (!read.may_fail || error.kind() != ErrorKind::permission) throw;
    read.failure = std::current_exception();
  }
}

// For services that have no suffix ranges: the range of each end, by the size that HEAD tells, and the state that it
// belongs to. Whole files have no headers; what HEAD answers alone is done, and has nothing.
std::vector<std::optional<http::Headers>> headers_of_ends(Bucket& bucket, const std::string& prefix,
                                                          std::span<FileRead> reads) {
  std::vector<std::optional<http::Headers>> headers(reads.size(), http::Headers());
  std::vector<http::Call> calls;
  std::vector<std::size_t> of_call;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].most == UINT64_MAX) continue;
    calls.push_back(bucket.call("HEAD", join(prefix, reads[i].key)));
    of_call.push_back(i);
  }
  const auto end = [&](const http::Call& call, FileRead& read, std::optional<http::Headers>& into) {
    into.reset();
    if (bucket.absent(call)) return;
    if (!Bucket::ok(call)) bucket.fail_answer(call);
    const std::optional<std::uint64_t> size = http::content_length(call.answer.headers);
    const std::string* etag = http::find(call.answer.headers, "etag");
    if (!size) {  // a proxy may have left it out: the whole file has an end too
      into = http::Headers();
      return;
    }
    if (*size == 0 || read.most == 0) {
      read.found = Tail{{}, *size};
      return;
    }
    const std::uint64_t length = std::min(*size, read.most);
    into = {{"range", http::range_of(*size - length, length)}};
    if (etag) into->push_back({"if-match", *etag});
  };
  bucket.run(calls, [&](std::size_t n) {
    FileRead& read = reads[of_call[n]];
    or_keep(read, [&] { end(calls[n], read, headers[of_call[n]]); });
  });
  return headers;
}

}  // namespace

std::size_t request_count(const Bucket& bucket, std::span<const RangeRead> reads) {
  return http::plan_ranges(reads, bucket.settings().merge_gap, bucket.settings().read_part).size();
}

void read_ranges(Bucket& bucket, const std::string& prefix, std::span<RangeRead> reads,
                 const std::function<void(std::size_t)>& arrived) {
  RangeReads(bucket, prefix, reads).run(arrived);
}

void read_files(Bucket& bucket, const std::string& prefix, std::span<FileRead> reads) {
  for (; reads.size() > kRequestsAtOnce; reads = reads.subspan(kRequestsAtOnce))
    read_files(bucket, prefix, reads.first(kRequestsAtOnce));
  for (FileRead& read : reads) {
    check_key(read.key);
    read.found.reset();
    read.failure = nullptr;
  }
  std::vector<std::optional<http::Headers>> headers(reads.size(), http::Headers());
  if (!bucket.suffix_ranges()) headers = headers_of_ends(bucket, prefix, reads);
  std::vector<http::Call> calls;
  std::vector<std::size_t> of_call;
  std::vector<std::shared_ptr<http::TailBody>> bodies(reads.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    FileRead& read = reads[i];
    if (!headers[i]) continue;
    of_call.push_back(i);
    if (read.most == UINT64_MAX) {
      calls.push_back(bucket.call("GET", join(prefix, read.key)));
      calls.back().request.body_limit = http::kLargestWhole;
      continue;
    }
    const std::uint64_t most = std::max<std::uint64_t>(read.most, 1);
    if (bucket.suffix_ranges()) headers[i]->push_back({"range", http::suffix_of(most)});
    calls.push_back(bucket.call("GET", join(prefix, read.key), {}, *headers[i]));
    bodies[i] = std::make_shared<http::TailBody>(most);
    watch(calls.back(), bodies[i]);
  }
  std::vector<std::size_t> again;  // servers differ in what the end of a short file is
  const auto end = [&](http::Call& call, std::size_t i) {
    if (bucket.absent(call)) return;
    if (!bodies[i]) {
      if (!is_whole(call)) bucket.fail_answer(call);
      reads[i].found = whole_file(call);
      return;
    }
    if (call.answer.failure == http::Failure::none && call.answer.status == 416) {
      if (size_in_416(call) == std::optional<std::uint64_t>(0))
        reads[i].found = Tail{};
      else
        again.push_back(i);
      return;
    }
    if (call.answer.failure == http::Failure::none && call.answer.status == 412)
      fail(ErrorKind::io, "{}: it changed while it was read", call.key);
    check_body(bucket, call, *bodies[i]);
    const std::uint64_t size = bodies[i]->size();
    reads[i].found = Tail{bodies[i]->bytes(), size, bodies[i]->etag()};
    if (reads[i].most == 0) reads[i].found->bytes.clear();
  };
  bucket.run(calls, [&](std::size_t n) { or_keep(reads[of_call[n]], [&] { end(calls[n], of_call[n]); }); });
  if (again.empty()) return;
  std::vector<http::Call> whole;
  for (const std::size_t i : again) {
    whole.push_back(bucket.call("GET", join(prefix, reads[i].key)));
    watch(whole.back(), bodies[i]);
  }
  bucket.run(whole, [&](std::size_t n) {
    or_keep(reads[again[n]], [&] {
      http::TailBody& body = *bodies[again[n]];
      if (bucket.absent(whole[n])) return;
      check_body(bucket, whole[n], body);
      const std::uint64_t size = body.size();
      reads[again[n]].found = Tail{body.bytes(), size, body.etag()};
    });
  });
}

StatedFile read_stated(Bucket& bucket, const std::string& key) {
  http::Call call = bucket.call("GET", key);
  call.request.body_limit = http::kLargestWhole;
  bucket.run(call);
  if (bucket.absent(call)) return {};
  if (!is_whole(call)) bucket.fail_answer(call);
  const std::string* state = http::find(call.answer.headers, bucket.state_header());
  if (!state || state->empty())
    fail(ErrorKind::unsupported, "{}: the server does not say which state of it this is (no ETag)", bucket.uri(key));
  return {std::move(call.answer.body), *state};
}

std::optional<std::uint64_t> object_size(Bucket& bucket, const std::string& key) {
  http::Call call = bucket.call("GET", key, {}, {{"range", http::range_of(0, 1)}});
  const auto body = std::make_shared<http::RangeBody>(0, 1, std::vector<http::Piece>());
  watch(call, body);
  bucket.run(call);
  if (bucket.absent(call)) return std::nullopt;
  if (call.answer.failure == http::Failure::none && call.answer.status == 416) return size_in_416(call).value_or(0);
  check_body(bucket, call, *body);
  if (!body->size()) fail(ErrorKind::io, "{}: the server does not say how large it is", bucket.uri(key));
  return body->size();
}

void read_states(Bucket& bucket, const std::string& prefix, std::span<FileState> files) {
  std::vector<http::Call> calls;
  for (FileState& file : files) {
    check_key(file.key);
    file.state.clear();
    calls.push_back(bucket.call("HEAD", join(prefix, file.key)));
  }
  bucket.run(calls);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string* etag = http::find(calls[i].answer.headers, "etag");
    if (Bucket::ok(calls[i]) && etag) files[i].state = *etag;
  }
}

}  // namespace tegula::objects
