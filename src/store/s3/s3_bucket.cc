#include "store/s3/s3_bucket.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "store/s3/batch_delete.h"
#include "store/s3/multipart.h"
#include "store/s3/sigv4.h"
#include "store/s3/xml.h"

namespace tegula::s3 {

using namespace objects;

namespace {

constexpr std::size_t kPage = 1000;  // what a server lists at most

// The certificate of a service's own host names does not cover dots in front of them, and addresses have no subdomains.
bool fits_host(std::string_view bucket, std::string_view host) {
  const bool address = host.find_first_not_of("0123456789.:[]") == std::string_view::npos;
  return bucket.find('.') == std::string_view::npos && !address;
}

}  // namespace

S3Bucket::S3Bucket(std::string name, Settings settings, std::shared_ptr<http::Client> client,
                   std::shared_ptr<CredentialChain> credentials)
    : Bucket(std::move(settings), std::move(client), std::move(credentials)),
      name_(std::move(name)),
      region_(this->settings().region.empty() ? "us-east-1" : this->settings().region) {
  const bool good = !name_.empty() && name_.size() <= 255 &&
                    std::all_of(name_.begin(), name_.end(),
                                [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
  if (!good) fail(ErrorKind::invalid_argument, "'{}' is not the name of a bucket", name_);
}

Bucket::Place S3Bucket::place(std::string_view key, const std::string& region) const {
  std::string endpoint = settings().endpoint;
  if (endpoint.empty())
    endpoint = google() ? "https://storage.googleapis.com"
                        : fmt::format("https://s3.{}.amazonaws.com{}", region, region.starts_with("cn-") ? ".cn" : "");
  Place place = place_of(endpoint);
  if (settings().virtual_addressing && fits_host(name_, place.host))
    place.host = name_ + "." + place.host;
  else
    place.path += "/" + name_;
  if (!key.empty() || place.path.empty()) place.path += "/" + percent_encode(key, true);
  return place;
}

void S3Bucket::prepare(http::Request& request, const Target& target, Used& used) {
  {
    const std::lock_guard lock(mutex_);
    used.region = region_;
  }
  const Place at = place(target.key, used.region);
  const std::string query = query_text(target.query);
  request.url = fmt::format("{}://{}{}{}{}", at.scheme, at.host, at.path, query.empty() ? "" : "?", query);
  const Credentials& keys = used.credentials;
  if (!keys.bearer.empty()) {
    request.headers.push_back({"authorization", "Bearer " + keys.bearer});
  } else if (!keys.key_id.empty()) {
    // The port that a scheme has anyway is not sent.
    std::string host = at.host;
    const std::string_view port = at.scheme == "https" ? ":443" : ":80";
    if (host.ends_with(port)) host.resize(host.size() - port.size());
    sign(request, {host, at.path, query, used.region}, keys, their_time(used), target.payload_hash,
         google() ? kGoogleDialect : kAwsDialect);
  }
}

http::Headers S3Bucket::usual_headers() const {
  if (!settings().requester_pays) return {};
  if (!google()) return {{"x-amz-request-payer", "requester"}};
  if (settings().billing_project.empty()) return {};
  return {{"x-goog-user-project", settings().billing_project}};
}

std::string S3Bucket::uri(std::string_view key) const {
  return fmt::format("{}://{}{}{}", google() ? "gs" : "s3", name_, key.empty() ? "" : "/", key);
}

std::string S3Bucket::identity() const {
  return fmt::format("{}:{}/{}", google() ? "gs" : "s3", settings().endpoint, name_);
}

bool S3Bucket::absent(const http::Call& call) const {
  if (call.answer.failure != http::Failure::none) return false;
  if (call.answer.status == 403 && settings().forbidden_is_absent) return code_of(call.answer) == "AccessDenied";
  return call.answer.status == 404 && code_of(call.answer) == "NoSuchKey";
}

bool S3Bucket::learn_region(const http::Answer& answer, const Answered& answered, const Used& used) {
  const std::string* header = http::find(answer.headers, "x-amz-bucket-region");
  const std::string region = header ? *header : answered.text("Region");
  const bool name =
      !region.empty() && region.size() <= 64 &&
      std::all_of(region.begin(), region.end(), [](unsigned char c) { return std::isalnum(c) || c == '-'; });
  if (!name || region == used.region) return false;
  const std::lock_guard lock(mutex_);
  region_ = region;
  return true;
}

http::Verdict S3Bucket::judge(const http::Answer& answer, const Used& used) {
  const http::Verdict usual = http::usual_verdict(answer);
  if (usual != http::Verdict::done || answer.failure != http::Failure::none) return usual;
  const int status = answer.status;
  if (status >= 200 && status < 300) {
    // An answer may begin with 200 before the work is done, and then say that it failed.
    if (answer.body.empty() || text_of(answer.body).find("<Error>") == std::string_view::npos) return usual;
    return one_of(read_answer(answer.body).code, {"InternalError", "SlowDown", "ServiceUnavailable", "RequestTimeout"})
               ? http::Verdict::again
               : usual;
  }
  const Answered answered = read_answer(answer.body);
  if (one_of(answered.code, {"RequestTimeout", "SlowDown", "ConditionalRequestConflict", "OperationAborted"}))
    return http::Verdict::again;
  if (one_of(answered.code, {"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
                             "IllegalLocationConstraintException"}) ||
      status == 301 || status == 307)
    return learn_region(answer, answered, used) ? http::Verdict::again_now : usual;
  if (answered.code == "RequestTimeTooSkewed") return learn_time(answer, used) ? http::Verdict::again_now : usual;
  if (one_of(answered.code,
             {"ExpiredToken", "TokenRefreshRequired", "InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch"}) ||
      (status == 401 && !used.credentials.bearer.empty()))
    return credentials().renew(used.credentials) ? http::Verdict::again_now : usual;
  return usual;
}

Bucket::Meaning S3Bucket::meaning_of(int status, std::string_view code) const {
  if (code == "NoSuchBucket") return {ErrorKind::not_found};
  if (code == "InvalidObjectState")
    return {ErrorKind::permission, "the object is archived and has to be restored first"};
  if (status == 401 || status == 403 || one_of(code, {"ExpiredToken", "InvalidToken", "XAdminUserNotFound"}))
    return {ErrorKind::permission};
  return {};
}

http::Headers S3Bucket::object_headers() const {
  http::Headers headers;
  if (google()) {
    if (!settings().storage_class.empty()) headers.push_back({"x-goog-storage-class", settings().storage_class});
    return headers;
  }
  if (!settings().sse.empty()) headers.push_back({"x-amz-server-side-encryption", settings().sse});
  if (!settings().sse_kms_key_id.empty())
    headers.push_back({"x-amz-server-side-encryption-aws-kms-key-id", settings().sse_kms_key_id});
  if (!settings().storage_class.empty()) headers.push_back({"x-amz-storage-class", settings().storage_class});
  return headers;
}

http::Headers S3Bucket::condition(const std::string& state) const {
  if (google()) return {{"x-goog-if-generation-match", state.empty() ? "0" : state}};
  return Bucket::condition(state);
}

std::string_view S3Bucket::state_header() const { return google() ? "x-goog-generation" : "etag"; }

Query S3Bucket::list_query(const std::string& prefix, bool one_level, std::size_t most,
                           const std::string& token) const {
  Query query = {{"list-type", "2"}, {"encoding-type", "url"}};
  if (!prefix.empty()) query.emplace_back("prefix", prefix);
  if (one_level) query.emplace_back("delimiter", "/");
  if (most < kPage) query.emplace_back("max-keys", std::to_string(most));
  if (!token.empty()) query.emplace_back("continuation-token", token);
  return query;
}

ListPage S3Bucket::read_list_page(ByteView xml, std::string_view where) const { return s3::read_list_page(xml, where); }

void S3Bucket::remove(std::span<const std::string> keys) {
  if (keys.size() == 1 || google())
    Bucket::remove(keys);
  else
    batch_delete(*this, keys);
}

std::unique_ptr<Parts> S3Bucket::begin_parts(std::string key) { return multipart(*this, std::move(key)); }

}  // namespace tegula::s3
