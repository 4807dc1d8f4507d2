#include "store/web/web_store.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <deque>
#include <map>
#include <mutex>

#include "base/fail.h"
#include "store/file/file_store.h"
#include "store/file_states.h"
#include "store/http/range_body.h"
#include "store/http/range_plan.h"
#include "store/web/web_exchange.h"

namespace tegula {

namespace {

using http::RangeBody;
using http::TailBody;

constexpr StoreHints kHints = {.gap = 512 << 10,
                               .part = 16 << 20,
                               .in_flight = 64,
                               .lists = false,
                               .writes = false,
                               .conditional = false,
                               .renames = false,
                               .empty_folders = false};
constexpr std::uint64_t kMostKept = 64 << 20;     // bytes of whole files
constexpr std::size_t kMostValidators = 100'000;  // files of which the state is remembered

// A range that also keeps the whole file when the server sends that.
class CutBody final : public http::BodySink {
 public:
  CutBody(const http::RangeGroup& request, bool keep)
      : range_(request.offset, request.length, request.pieces), wish_(keep) {}
  void begin(int status, const http::Headers& headers) override {
    whole_ = status == 200 && !http::find(headers, "content-range");
    keep_ = wish_ && whole_ && http::content_length(headers).value_or(0) <= kMostKept;
    received_ = 0;
    bytes_.clear();
    range_.begin(status, headers);
  }
  void take(ByteView bytes) override {
    range_.take(bytes);
    received_ += bytes.size();
    if (!keep_) return;
    keep_ = bytes_.size() + bytes.size() <= kMostKept;
    if (keep_)
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    else
      bytes_ = Bytes();
  }
  http::Rest rest() const override { return keep_ ? http::Rest::wanted : range_.rest(); }
  const RangeBody& range() const { return range_; }
  bool whole() const { return whole_; }
  std::uint64_t received() const { return received_; }
  std::optional<Bytes> bytes() { return keep_ ? std::optional(std::move(bytes_)) : std::nullopt; }

 private:
  RangeBody range_;
  const bool wish_;
  bool keep_ = false, whole_ = false;
  std::uint64_t received_ = 0;
  Bytes bytes_;
};

// Whole files of a server without ranges, and the states of files that were read in ranges. Thread-safe.
class WebMemory {
 public:
  struct Whole {
    std::string state;
    std::shared_ptr<const Bytes> bytes;
  };

  std::optional<Whole> find(std::string_view key) const {
    const std::lock_guard lock(mutex_);
    const auto at = wholes_.find(key);
    return at == wholes_.end() ? std::nullopt : std::optional(at->second);
  }
  void keep(std::string_view key, std::string state, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    if (const auto old = wholes_.find(key); old != wholes_.end()) kept_ -= old->second.bytes->size();
    kept_ += bytes.size();
    wholes_.insert_or_assign(std::string(key), Whole{std::move(state), std::make_shared<Bytes>(std::move(bytes))});
    if (kept_ <= kMostKept) return;
    wholes_.clear();
    kept_ = 0;
  }
  // False when the file had another state before.
  bool still(std::string_view key, const std::string& state) {
    if (state.empty()) return true;
    const std::lock_guard lock(mutex_);
    if (states_.size() >= kMostValidators) states_.clear();
    return states_.try_emplace(std::string(key), state).first->second == state;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Whole, std::less<>> wholes_;
  std::uint64_t kept_ = 0;
  std::map<std::string, std::string, std::less<>> states_;
};

class WebStore final : public Store, public FileStates {
 public:
  WebStore(std::string_view url, std::shared_ptr<http::Client> client) : url_(url), client_(std::move(client)) {}

  using Store::get;
  std::optional<Bytes> get(std::string_view key) const override {
    FileRead read{key};
    get(std::span(&read, 1));
    return read.found ? std::optional(std::move(read.found->bytes)) : std::nullopt;
  }
  std::optional<Tail> tail(std::string_view key, std::uint64_t most) const override {
    FileRead read{key, most};
    get(std::span(&read, 1));
    return std::move(read.found);
  }
  void get(std::span<RangeRead> reads) const override {
    fetch(reads, [](std::size_t) {});
  }
  void fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const override;
  void get(std::span<FileRead> reads) const override;
  std::optional<std::uint64_t> size(std::string_view key) const override;
  StatedFile get_stated(std::string_view key) const override;
  void states(std::span<FileState> files) const override;

  std::vector<Entry> list(std::string_view prefix) const override { no_listing(prefix); }
  Listing list_all(std::string_view prefix, std::size_t) const override { no_listing(prefix); }

  using Store::put;
  void put(std::string_view key, std::span<const ByteView>) override { refuse(key); }
  bool put_if(std::string_view key, std::span<const ByteView>, const std::string&) override { refuse(key); }
  std::unique_ptr<Upload> begin(std::string_view key) override { refuse(key); }
  std::unique_ptr<Scratch> scratch() override { return local_scratch(); }
  using Store::remove;
  void remove(std::string_view key) override { refuse(key); }
  void remove_tree(std::string_view prefix) override { refuse(prefix); }
  void make_folder(std::string_view key) override { refuse(key); }
  void sync_folder(std::string_view) override {}

  StoreHints hints() const override { return kHints; }
  std::string describe(std::string_view key) const override { return url_.shown(key); }
  std::string uri(std::string_view key) const override { return url_.of(key); }
  std::string identity() const override { return url_.identity(); }

 private:
  [[noreturn]] void refuse(std::string_view key) const {
    fail(ErrorKind::unsupported, "{}: files of a web server are only read", describe(key));
  }
  [[noreturn]] void no_listing(std::string_view prefix) const {
    fail(ErrorKind::unsupported, "{}: a web server does not list its files", describe(prefix));
  }
  [[noreturn]] void changed(std::string_view key) const {
    fail(ErrorKind::io, "{}: it changed while it was read; open it again", describe(key));
  }
  [[noreturn]] void too_short(const RangeRead& read, std::optional<std::uint64_t> size) const {
    fail(ErrorKind::corrupt, "{}: expected {} bytes at byte {}, found {} bytes in all", describe(read.key),
         read.into.size(), read.offset, size ? std::to_string(*size) : "fewer");
  }
  void cut(std::span<RangeRead> reads, const http::RangeGroup& request, ByteView whole) const;

  WebUrl url_;
  std::shared_ptr<http::Client> client_;
  mutable std::atomic<bool> no_ranges_{false};  // the server has sent a whole file for a range
  mutable WebMemory memory_;
};

std::optional<std::uint64_t> size_told(const http::Headers& headers) {
  const std::string* text = http::find(headers, "content-range");
  const auto range = text ? http::parse_content_range(*text) : std::nullopt;
  return range ? range->size : std::nullopt;
}

void WebStore::cut(std::span<RangeRead> reads, const http::RangeGroup& request, ByteView whole) const {
  for (const std::size_t i : request.reads)
    if (reads[i].offset > whole.size() || reads[i].into.size() > whole.size() - reads[i].offset)
      too_short(reads[i], whole.size());
  for (const http::Piece& piece : request.pieces)
    std::copy_n(whole.data() + piece.offset, piece.into.size(), piece.into.data());
}

// A read arrives with the last of its pieces.
void WebStore::fetch(std::span<RangeRead> reads, const std::function<void(std::size_t)>& arrived) const {
  for (RangeRead& read : reads) {
    check_key(read.key);
    read.found = false;
  }
  const bool whole_files = no_ranges_;
  const std::vector<http::RangeGroup> requests = whole_files ? http::plan_ranges(reads, UINT64_MAX, UINT64_MAX)
                                                             : http::plan_ranges(reads, kHints.gap, kHints.part);
  std::vector<std::size_t> left(reads.size());
  std::deque<CutBody> bodies;
  std::vector<std::optional<WebMemory::Whole>> kept(requests.size());
  std::vector<WebQuestion> questions(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const http::RangeGroup& request = requests[i];
    for (const std::size_t read : request.reads) ++left[read];
    // One copy of a file is enough; requests for one file follow each other.
    CutBody& body = bodies.emplace_back(request, i == 0 || requests[i - 1].key != request.key);
    WebQuestion& question = questions[i];
    question.key = request.key;
    if (request.length == 0) {
      question.method = "HEAD";
      continue;
    }
    question.sink = &body;
    question.problem = [&body] { return body.range().problem(); };
    if (!whole_files) question.range = http::range_of(request.offset, request.length);
    if (!whole_files) continue;
    kept[i] = memory_.find(request.key);
    if (kept[i]) question.unless = kept[i]->state;
  }
  ask(*client_, url_, questions, [&](std::size_t i, const WebAnswer& answer) {
    const http::RangeGroup& request = requests[i];
    CutBody& body = bodies[i];
    const bool found = answer.outcome == WebOutcome::unsupported ? size(request.key).has_value()
                                                                 : answer.outcome != WebOutcome::absent;
    if (answer.outcome == WebOutcome::outside || body.range().too_short())
      too_short(reads[request.reads.back()], request.length == 0   ? std::nullopt
                                             : body.range().size() ? body.range().size()
                                                                   : size_told(answer.headers));
    if (answer.outcome == WebOutcome::same) cut(reads, request, *kept[i]->bytes);
    if (answer.outcome == WebOutcome::there && request.length != 0) {
      if (!memory_.still(request.key, validator(answer.headers))) changed(request.key);
      if (body.whole()) {
        // Some servers send a small file whole, and know ranges nevertheless.
        if (body.received() > request.length) no_ranges_ = true;
        std::string state = lasting_state(answer.headers);
        if (std::optional<Bytes> bytes = body.bytes(); bytes && !state.empty())
          memory_.keep(request.key, std::move(state), *std::move(bytes));
      }
    }
    for (const std::size_t read : request.reads) {
      reads[read].found = found;
      if (--left[read] == 0) arrived(read);
    }
  });
}

void WebStore::get(std::span<FileRead> reads) const {
  std::deque<TailBody> bodies;
  std::vector<WebQuestion> questions;
  for (FileRead& read : reads) {
    check_key(read.key);
    read.found.reset();
    read.failure = nullptr;
    TailBody& body = bodies.emplace_back(read.most);
    WebQuestion& question = questions.emplace_back();
    question.key = read.key;
    question.sink = &body;
    question.problem = [&body] { return body.problem(); };
    if (read.most != UINT64_MAX && !no_ranges_) question.range = http::suffix_of(read.most);
  }
  std::vector<std::size_t> again;  // whose suffix the server could not give
  const auto answered = [&](std::size_t i, const WebAnswer& answer) {
    FileRead& read = reads[i];
    if (answer.outcome == WebOutcome::absent) return;
    if (answer.outcome == WebOutcome::outside) {
      if (size_told(answer.headers) == std::uint64_t{0})
        read.found = Tail{};
      else
        again.push_back(i);
      return;
    }
    const bool ranged = !questions[i].range.empty();
    const std::uint64_t size = bodies[i].size();
    const bool whole = answer.status == 200 && !http::find(answer.headers, "content-range");
    if (ranged && whole && size > read.most) no_ranges_ = true;
    if (ranged && !memory_.still(read.key, validator(answer.headers))) changed(read.key);
    read.found = Tail{bodies[i].bytes(), size};
  };
  const auto failed = [&](std::size_t i, std::exception_ptr failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      if (!reads[i].may_fail || error.kind() != ErrorKind::permission) throw;
      reads[i].failure = std::move(failure);
    }
  };
  ask(*client_, url_, questions, answered, failed);
  // Some servers refuse a suffix that is longer than the file.
  for (const std::size_t i : again) {
    WebQuestion question = questions[i];
    question.range.clear();
    ask(
        *client_, url_, std::span(&question, 1),
        [&](std::size_t, const WebAnswer& answer) {
          if (answer.outcome != WebOutcome::there) return;
          const std::uint64_t size = bodies[i].size();
          reads[i].found = Tail{bodies[i].bytes(), size};
        },
        [&](std::size_t, std::exception_ptr error) { failed(i, std::move(error)); });
  }
}

std::optional<std::uint64_t> WebStore::size(std::string_view key) const {
  check_key(key);
  std::optional<std::uint64_t> size;
  bool there = false, known = false;
  WebQuestion head;
  head.key = key;
  head.method = "HEAD";
  ask(*client_, url_, std::span(&head, 1), [&](std::size_t, const WebAnswer& answer) {
    known = answer.outcome != WebOutcome::unsupported;
    there = answer.outcome == WebOutcome::there;
    if (there) size = http::content_length(answer.headers);
  });
  if (known && (!there || size)) return size;
  // A server that does not tell a size otherwise tells it with a range.
  const std::optional<Tail> end = tail(key, 1);
  return end ? std::optional(end->size) : std::nullopt;
}

StatedFile WebStore::get_stated(std::string_view key) const {
  check_key(key);
  StatedFile file;
  TailBody body(UINT64_MAX);
  WebQuestion question;
  question.key = key;
  question.sink = &body;
  question.problem = [&body] { return body.problem(); };
  ask(*client_, url_, std::span(&question, 1), [&](std::size_t, const WebAnswer& answer) {
    if (answer.outcome != WebOutcome::there) return;
    file.state = validator(answer.headers);
    file.bytes = body.bytes();
    if (file.state.empty()) file.state = fmt::format("{} bytes", file.bytes->size());
  });
  return file;
}

void WebStore::states(std::span<FileState> files) const {
  std::vector<WebQuestion> questions(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    check_key(files[i].key);
    files[i].state.clear();
    questions[i].key = files[i].key;
    questions[i].method = "HEAD";
  }
  // A file about which the server says nothing has no state; reading it says why.
  ask(
      *client_, url_, questions,
      [&](std::size_t i, const WebAnswer& answer) {
        const std::string* etag = http::find(answer.headers, "etag");
        if (answer.outcome == WebOutcome::there && etag) files[i].state = *etag;
      },
      [](std::size_t, const std::exception_ptr&) {});
}

}  // namespace

std::shared_ptr<Store> open_web_store(std::string_view url, std::shared_ptr<http::Client> client) {
  return std::make_shared<WebStore>(url, std::move(client));
}

}  // namespace tegula
