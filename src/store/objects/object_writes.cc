#include "store/objects/object_writes.h"

#include <algorithm>

#include "base/fail.h"
#include "store/objects/object_reads.h"
#include "store/objects/object_upload.h"

namespace tegula::objects {

namespace {

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

}  // namespace

void put_object(Bucket& bucket, const std::string& key, std::span<const ByteView> parts) {
  if (size_of(parts) > 2 * bucket.settings().part_size) {
    const std::unique_ptr<Upload> upload = begin_upload(bucket, key);
    for (const ByteView part : parts) upload->append(part);
    upload->commit();
    return;
  }
  http::Call call = bucket.call("PUT", key, {}, bucket.object_headers(), {parts.begin(), parts.end()});
  bucket.run(call);
  if (!Bucket::ok(call)) bucket.fail_answer(call);
}

bool put_object_if(Bucket& bucket, const std::string& key, std::span<const ByteView> parts, const std::string& state) {
  http::Headers headers = bucket.object_headers();
  for (http::Header& header : bucket.condition(state)) headers.push_back(std::move(header));
  http::Call call = bucket.call("PUT", key, {}, std::move(headers), {parts.begin(), parts.end()});
  bucket.run(call);
  if (Bucket::ok(call)) return true;
  if (!bucket.condition_failed(call, state)) bucket.fail_answer(call);
  // When the answer to an earlier try was lost, the object that is in the way may be our own.
  if (!call.maybe_done_before()) return false;
  const StatedFile found = read_stated(bucket, key);
  return found.bytes && same_bytes(*found.bytes, parts);
}

}  // namespace tegula::objects
