#include "store/objects/object_upload.h"

#include <algorithm>
#include <vector>

#include "base/fail.h"
#include "store/objects/object_reads.h"
#include "store/objects/object_writes.h"

namespace tegula::objects {

namespace {

constexpr std::size_t kPartsAtOnce = 4;
constexpr std::size_t kMostParts = 10'000;

class ObjectUpload final : public Upload {
 public:
  ObjectUpload(Bucket& bucket, std::string key) : bucket_(bucket), key_(std::move(key)) {}

  void append(ByteView bytes) override {
    while (!bytes.empty()) {
      const std::uint64_t part = part_size();
      if (waiting_.empty() || waiting_.back().size() == part) {
        if (waiting_.size() == kPartsAtOnce) send();
        waiting_.emplace_back();
      }
      Bytes& last = waiting_.back();
      const std::size_t n = std::min<std::uint64_t>(bytes.size(), part - last.size());
      last.insert(last.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
      bytes = bytes.subspan(n);
      size_ += n;
    }
  }
  void commit() override {
    sync();
    appear();
  }
  void sync() override {
    if (waiting_.size() > 1 || parts_) send();
  }
  void appear() override {
    if (parts_) {
      parts_->complete(size_);
      return;
    }
    const std::vector<ByteView> parts(waiting_.begin(), waiting_.end());
    put_object(bucket_, key_, parts);
    waiting_.clear();
  }
  bool appear_if(const std::string& state) override {
    if (!bucket_.settings().conditional_put) {  // nothing better than to compare and put
      if (read_stated(bucket_, key_).state != state) return false;
      appear();
      return true;
    }
    if (parts_) return parts_->complete(size_, &state);
    const std::vector<ByteView> parts(waiting_.begin(), waiting_.end());
    return put_object_if(bucket_, key_, parts, state);
  }

 private:
  // All parts of an object of ordinary size are equally large, as some services want it.
  std::uint64_t part_size() const { return bucket_.settings().part_size << ((sent_ + waiting_.size()) / 1000); }

  void send() {
    if (waiting_.empty()) return;
    if (!parts_) {
      std::unique_ptr<Parts> parts = bucket_.begin_parts(key_);
      parts->begin();
      parts_ = std::move(parts);
    }
    if (sent_ + waiting_.size() > kMostParts)
      fail(ErrorKind::unsupported, "{}: more than {} parts; the store option part_size makes them larger",
           bucket_.uri(key_), kMostParts);
    std::vector<http::Call> calls;
    for (std::size_t i = 0; i < waiting_.size(); ++i) calls.push_back(parts_->part(sent_ + i + 1, waiting_[i]));
    bucket_.run(calls);
    for (const http::Call& call : calls) {
      if (!Bucket::ok(call)) bucket_.fail_answer(call);
      parts_->sent(call);
    }
    sent_ += waiting_.size();
    waiting_.clear();
  }

  Bucket& bucket_;
  std::string key_;
  std::unique_ptr<Parts> parts_;  // null as long as one request will do
  std::vector<Bytes> waiting_;
  std::size_t sent_ = 0;  // parts
  std::uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<Upload> begin_upload(Bucket& bucket, std::string key) {
  return std::make_unique<ObjectUpload>(bucket, std::move(key));
}

}  // namespace tegula::objects
