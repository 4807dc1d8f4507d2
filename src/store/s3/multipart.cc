#include "store/s3/multipart.h"

#include <fmt/format.h>

#include <vector>

#include "base/current_work.h"
#include "base/fail.h"
#include "store/s3/object_reads.h"
#include "store/s3/object_writes.h"

namespace tegula::s3 {

namespace {

constexpr std::size_t kPartsAtOnce = 4;
constexpr std::size_t kMostParts = 10'000;

class MultipartUpload final : public Upload {
 public:
  MultipartUpload(Bucket& bucket, std::string key) : bucket_(bucket), key_(std::move(key)) {}
  ~MultipartUpload() override {
    if (id_.empty()) return;
    try {
      http::Call call = bucket_.call("DELETE", key_, {{"uploadId", id_}});
      bucket_.client().run(call);
    } catch (...) {
      // The parts stay until the bucket's own rules remove them; a destructor has nobody to tell.
    }
  }

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
    if (waiting_.size() > 1 || !id_.empty()) send();
  }
  void appear() override {
    if (!id_.empty()) {
      complete();
      return;
    }
    const std::vector<ByteView> parts(waiting_.begin(), waiting_.end());
    put_object(bucket_, key_, parts);
    waiting_.clear();
  }

 private:
  // All parts of an object of ordinary size are equally large, as some services want it.
  std::uint64_t part_size() const { return bucket_.settings().part_size << ((etags_.size() + waiting_.size()) / 1000); }

  void start() {
    http::Call call = bucket_.call("POST", key_, {{"uploads", ""}}, bucket_.object_headers());
    bucket_.client().run(call, work());
    if (!Bucket::ok(call)) bucket_.fail_answer(call);
    id_ = read_answer(call.answer.body).text("UploadId");
    if (id_.empty()) fail(ErrorKind::io, "{}: the server did not begin an upload", call.key);
  }

  void send() {
    if (waiting_.empty()) return;
    if (id_.empty()) start();
    if (etags_.size() + waiting_.size() > kMostParts)
      fail(ErrorKind::unsupported, "{}: more than {} parts; the store option part_size makes them larger",
           bucket_.uri(key_), kMostParts);
    std::vector<http::Call> calls;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      calls.push_back(bucket_.call(
          "PUT", key_, {{"partNumber", std::to_string(etags_.size() + i + 1)}, {"uploadId", id_}}, {}, {waiting_[i]}));
    bucket_.client().run(calls, work());
    for (const http::Call& call : calls) {
      if (!Bucket::ok(call)) bucket_.fail_answer(call);
      const std::string* etag = http::find(call.answer.headers, "etag");
      if (!etag) fail(ErrorKind::io, "{}: the server did not say which part it has (no ETag)", call.key);
      etags_.push_back(*etag);
    }
    waiting_.clear();
  }

  void complete() {
    std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    for (std::size_t i = 0; i < etags_.size(); ++i)
      xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, xml_escape(etags_[i]));
    xml += "</CompleteMultipartUpload>";
    http::Call call =
        bucket_.call("POST", key_, {{"uploadId", id_}}, {{"content-type", "application/xml"}}, {bytes_of(xml)});
    bucket_.client().run(call, work());
    const Answered answered = read_answer(call.answer.body);
    // After a lost answer the upload is gone, because it became the object.
    const bool ours = call.tries > 1 && answered.code == "NoSuchUpload" &&
                      object_size(bucket_, key_) == std::optional<std::uint64_t>(size_);
    // The answer may say 200 and then that it failed.
    if (!ours && (!Bucket::ok(call) || answered.root != "CompleteMultipartUploadResult")) bucket_.fail_answer(call);
    id_.clear();
  }

  static Work work() {
    const Work* current = CurrentWork::get();
    return current ? *current : Work{};
  }

  Bucket& bucket_;
  std::string key_;
  std::string id_;
  std::vector<Bytes> waiting_;
  std::vector<std::string> etags_;
  std::uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<Upload> begin_upload(Bucket& bucket, std::string key) {
  return std::make_unique<MultipartUpload>(bucket, std::move(key));
}

}  // namespace tegula::s3
