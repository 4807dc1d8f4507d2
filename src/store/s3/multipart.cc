#include "store/s3/multipart.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "store/http/range_body.h"

namespace tegula::s3 {

using namespace objects;

namespace {

constexpr std::chrono::milliseconds kAbortTimeout{5000};
constexpr unsigned kAbortTries = 3;

std::string_view unquoted(std::string_view etag) {
  return etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"') ? etag.substr(1, etag.size() - 2) : etag;
}

// The ETag of an object whose parts have these: the MD5 of their MD5s, and their number. Nothing when they are no MD5s.
std::optional<std::string> etag_of_parts(std::span<const std::string> etags) {
  Bytes all;
  for (const std::string& quoted : etags) {
    const std::string_view etag = unquoted(quoted);
    if (etag.size() != 32) return std::nullopt;
    for (std::size_t i = 0; i < etag.size(); i += 2) {
      unsigned byte = 0;
      if (std::from_chars(etag.data() + i, etag.data() + i + 2, byte, 16).ptr != etag.data() + i + 2)
        return std::nullopt;
      all.push_back(static_cast<std::byte>(byte));
    }
  }
  return fmt::format("{}-{}", hex(codec::md5(all)), etags.size());
}

class Multipart final : public Parts {
 public:
  Multipart(Bucket& bucket, std::string key) : bucket_(bucket), key_(std::move(key)) {}
  ~Multipart() override {
    if (id_.empty()) return;
    try {
      // Also when the work that began it is cancelled, and then shortly: the parts cost money.
      const Cancel never;
      Work work;
      work.cancel = &never;
      http::Call call = bucket_.call("DELETE", key_, {{"uploadId", id_}});
      call.request.connect_timeout = call.request.total_timeout = kAbortTimeout;
      call.judge = [inner = std::move(call.judge), &call](const http::Answer& answer) {
        return call.tries < kAbortTries ? inner(answer) : http::Verdict::done;
      };
      bucket_.client().run(call, work);
    } catch (...) {
      // The parts stay until the bucket's own rules remove them; a destructor has nobody to tell.
    }
  }

  void begin() override {
    http::Call call = bucket_.call("POST", key_, {{"uploads", ""}}, bucket_.object_headers());
    bucket_.run(call);
    if (!Bucket::ok(call)) bucket_.fail_answer(call);
    id_ = read_answer(call.answer.body).text("UploadId");
    const std::string* date = http::find(call.answer.headers, "date");
    begun_ = date ? http::parse_date(*date) : std::nullopt;
    if (id_.empty()) fail(ErrorKind::io, "{}: the server did not begin an upload", call.key);
  }

  http::Call part(std::size_t number, ByteView bytes) override {
    return bucket_.call("PUT", key_, {{"partNumber", std::to_string(number)}, {"uploadId", id_}}, {}, {bytes});
  }

  void sent(const http::Call& call) override {
    const std::string* etag = http::find(call.answer.headers, "etag");
    if (!etag) fail(ErrorKind::io, "{}: the server did not say which part it has (no ETag)", call.key);
    etags_.push_back(*etag);
  }

  bool complete(std::uint64_t size, const std::string* state) override {
    std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    for (std::size_t i = 0; i < etags_.size(); ++i)
      xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, xml_escape(etags_[i]));
    xml += "</CompleteMultipartUpload>";
    http::Headers headers = state ? bucket_.condition(*state) : http::Headers();
    headers.push_back({"content-type", "application/xml"});
    http::Call call = bucket_.call("POST", key_, {{"uploadId", id_}}, std::move(headers), {bytes_of(xml)});
    bucket_.run(call);
    if (state && call.answer.failure == http::Failure::none && call.answer.status == 412) return false;
    const Answered answered = read_answer(call.answer.body);
    // After a lost answer the upload is gone, because it became the object; or others have ended it.
    const bool ours = answered.code == "NoSuchUpload" && is_ours(size);
    // The answer may say 200 and then that it failed.
    if (!ours && (!Bucket::ok(call) || answered.root != "CompleteMultipartUploadResult")) bucket_.fail_answer(call);
    id_.clear();
    return true;
  }

 private:
  // The object is the one of these parts: their ETags are mostly MD5s, and make its own. Otherwise it has as many parts
  // and is not older than the upload.
  bool is_ours(std::uint64_t size) {
    http::Call call = bucket_.call("GET", key_, {}, {{"range", http::range_of(0, 1)}});
    const auto body = std::make_shared<http::RangeBody>(0, 1, std::vector<http::Piece>());
    call.request.sink = body.get();
    bucket_.run(call);
    if (!Bucket::ok(call) || body->size() != std::optional<std::uint64_t>(size)) return false;
    const std::string* etag = http::find(call.answer.headers, "etag");
    if (!etag) return false;
    if (const std::optional<std::string> expected = etag_of_parts(etags_)) return unquoted(*etag) == *expected;
    const std::string* changed = http::find(call.answer.headers, "last-modified");
    const auto when = changed ? http::parse_date(*changed) : std::nullopt;
    return unquoted(*etag).ends_with(fmt::format("-{}", etags_.size())) && when && begun_ && *when >= *begun_;
  }

  Bucket& bucket_;
  std::string key_;
  std::string id_;
  std::vector<std::string> etags_;
  std::optional<std::chrono::system_clock::time_point> begun_;  // by the server's clock
};

}  // namespace

std::unique_ptr<Parts> multipart(Bucket& bucket, std::string key) {
  return std::make_unique<Multipart>(bucket, std::move(key));
}

}  // namespace tegula::s3
