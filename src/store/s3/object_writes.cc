#include "store/s3/object_writes.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

#include "base/current_work.h"
#include "base/fail.h"
#include "codec/checksum/checksum.h"
#include "store/s3/multipart.h"
#include "store/s3/object_reads.h"

namespace tegula::s3 {

namespace {

constexpr std::size_t kBatch = 1000;

Work current() {
  const Work* work = CurrentWork::get();
  return work ? *work : Work{};
}

std::string base64(ByteView bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  out.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                                      reinterpret_cast<const unsigned char*>(bytes.data()),
                                                      static_cast<int>(bytes.size()))));
  return out;
}

std::uint64_t size_of(std::span<const ByteView> parts) {
  std::uint64_t size = 0;
  for (const ByteView part : parts) size += part.size();
  return size;
}

bool same_bytes(ByteView whole, std::span<const ByteView> parts) {
  if (whole.size() != size_of(parts)) return false;
  for (const ByteView part : parts) {
    if (!std::equal(part.begin(), part.end(), whole.begin())) return false;
    whole = whole.subspan(part.size());
  }
  return true;
}

void remove_one_by_one(Bucket& bucket, std::span<const std::string> keys) {
  std::vector<http::Call> calls;
  for (const std::string& key : keys) calls.push_back(bucket.call("DELETE", key));
  bucket.client().run(calls, current(), [&](std::size_t i) {
    if (!Bucket::ok(calls[i]) && !bucket.absent(calls[i])) bucket.fail_answer(calls[i]);
  });
}

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
  bucket.client().run(call, current());
  if (!Bucket::ok(call)) bucket.fail_answer(call);
  for (const DeleteFailure& failure : read_delete_result(call.answer.body, call.key))
    if (failure.code != "NoSuchKey")
      fail(failure.code == "AccessDenied" ? ErrorKind::permission : ErrorKind::io, "{}: it cannot be removed: {} ({})",
           bucket.uri(failure.key), failure.code, failure.message);
}

}  // namespace

void put_object(Bucket& bucket, const std::string& key, std::span<const ByteView> parts) {
  if (size_of(parts) > 2 * bucket.settings().part_size) {
    const std::unique_ptr<Upload> upload = begin_upload(bucket, key);
    for (const ByteView part : parts) upload->append(part);
    upload->commit();
    return;
  }
  http::Call call = bucket.call("PUT", key, {}, bucket.object_headers(), {parts.begin(), parts.end()});
  bucket.client().run(call, current());
  if (!Bucket::ok(call)) bucket.fail_answer(call);
}

bool put_object_if(Bucket& bucket, const std::string& key, std::span<const ByteView> parts, const std::string& state) {
  http::Headers headers = bucket.object_headers();
  if (bucket.settings().service == Service::google)
    headers.push_back({"x-goog-if-generation-match", state.empty() ? "0" : state});
  else if (state.empty())
    headers.push_back({"if-none-match", "*"});
  else
    headers.push_back({"if-match", state});
  http::Call call = bucket.call("PUT", key, {}, std::move(headers), {parts.begin(), parts.end()});
  bucket.client().run(call, current());
  if (Bucket::ok(call)) return true;
  const bool refused =
      call.answer.failure == http::Failure::none &&
      (call.answer.status == 412 || (call.answer.status == 404 && !state.empty() && bucket.absent(call)));
  if (!refused) bucket.fail_answer(call);
  // When the answer to an earlier try was lost, the object that is in the way may be our own.
  if (!call.maybe_done_before()) return false;
  const StatedFile found = read_stated(bucket, key);
  return found.bytes && same_bytes(*found.bytes, parts);
}

void remove_objects(Bucket& bucket, std::span<const std::string> keys) {
  if (keys.size() == 1 || bucket.settings().service == Service::google) {
    remove_one_by_one(bucket, keys);
    return;
  }
  for (std::size_t at = 0; at < keys.size(); at += kBatch)
    remove_batch(bucket, keys.subspan(at, std::min(kBatch, keys.size() - at)));
}

}  // namespace tegula::s3
