#include "store/s3/batch_delete.h"

#include <algorithm>

#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "store/s3/xml.h"

namespace tegula::s3 {

using namespace objects;

namespace {

constexpr std::size_t kBatch = 1000;

// The server did not come to some of the keys.
bool is_busy(const http::Answer& answer) {
  if (answer.failure != http::Failure::none || answer.status != 200) return false;
  try {
    const std::vector<DeleteFailure> failures = read_delete_result(answer.body, "");
    return std::ranges::any_of(failures, [](const DeleteFailure& failure) {
      return failure.code == "InternalError" || failure.code == "SlowDown" || failure.code == "ServiceUnavailable";
    });
  } catch (const Error&) {
    return false;
  }
}

void remove_batch(Bucket& bucket, std::span<const std::string> keys) {
  std::string xml = "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Quiet>true</Quiet>";
  for (const std::string& key : keys) xml += "<Object><Key>" + xml_escape(key) + "</Key></Object>";
  xml += "</Delete>";
  http::Call call = bucket.call(
      "POST", "", {{"delete", ""}},
      {{"content-md5", base64(codec::md5(bytes_of(xml)))}, {"content-type", "application/xml"}}, {bytes_of(xml)});
  // Removing once more what is gone already does no harm.
  call.judge = [inner = std::move(call.judge)](const http::Answer& answer) {
    const http::Verdict verdict = inner(answer);
    return verdict == http::Verdict::done && is_busy(answer) ? http::Verdict::again : verdict;
  };
  bucket.run(call);
  if (!Bucket::ok(call)) bucket.fail_answer(call);
  for (const DeleteFailure& failure : read_delete_result(call.answer.body, call.key))
    if (failure.code != "NoSuchKey")
      fail(failure.code == "AccessDenied" ? ErrorKind::permission : ErrorKind::io, "{}: it cannot be removed: {} ({})",
           bucket.uri(failure.key), failure.code, failure.message);
}

}  // namespace

void batch_delete(Bucket& bucket, std::span<const std::string> keys) {
  for (std::size_t at = 0; at < keys.size(); at += kBatch)
    remove_batch(bucket, keys.subspan(at, std::min(kBatch, keys.size() - at)));
}

}  // namespace tegula::s3
