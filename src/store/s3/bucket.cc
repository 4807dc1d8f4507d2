#include "store/s3/bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/fail.h"

namespace tegula::s3 {

namespace {

constexpr std::uint64_t kLargestAnswer = 16ull << 20;
constexpr std::size_t kLongestMessage = 300;

bool one_of(std::string_view text, std::initializer_list<std::string_view> texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// The certificate of a service's own host names does not cover dots in front of them, and addresses have no subdomains.
bool fits_host(std::string_view bucket, std::string_view host) {
  const bool address = host.find_first_not_of("0123456789.:[]") == std::string_view::npos;
  return bucket.find('.') == std::string_view::npos && !address;
}

}  // namespace

Bucket::Bucket(std::string name, Settings settings, std::shared_ptr<http::Client> client,
               std::shared_ptr<CredentialChain> credentials)
    : name_(std::move(name)),
      settings_(std::move(settings)),
      client_(std::move(client)),
      credentials_(std::move(credentials)),
      region_(settings_.region.empty() ? "us-east-1" : settings_.region) {
  const bool good = !name_.empty() && name_.size() <= 255 &&
                    std::all_of(name_.begin(), name_.end(),
                                [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
  if (!good) fail(ErrorKind::invalid_argument, "'{}' is not the name of a bucket", name_);
}

Bucket::Place Bucket::place_of(std::string_view key, const std::string& region) const {
  std::string endpoint = settings_.endpoint;
  if (endpoint.empty())
    endpoint = settings_.service == Service::google
                   ? "https://storage.googleapis.com"
                   : fmt::format("https://s3.{}.amazonaws.com{}", region, region.starts_with("cn-") ? ".cn" : "");
  const std::size_t slashes = endpoint.find("://");
  Place place{endpoint.substr(0, slashes), endpoint.substr(slashes + 3), ""};
  // An endpoint may have a path of its own.
  if (const std::size_t slash = place.host.find('/'); slash != std::string::npos) {
    place.path = place.host.substr(slash);
    place.host.resize(slash);
  }
  if (settings_.virtual_addressing && fits_host(name_, place.host))
    place.host = name_ + "." + place.host;
  else
    place.path += "/" + name_;
  if (!key.empty() || place.path.empty()) place.path += "/" + percent_encode(key, true);
  return place;
}

void Bucket::prepare(http::Request& request, std::string_view key, const std::string& query,
                     const std::string& payload_hash, Used& used) {
  {
    const std::lock_guard lock(mutex_);
    used.region = region_;
  }
  used.clock_error = clock_error_;
  const Place place = place_of(key, used.region);
  request.url = fmt::format("{}://{}{}{}{}", place.scheme, place.host, place.path, query.empty() ? "" : "?", query);
  if (settings_.anonymous) return;
  const Credentials& keys = used.credentials = credentials_->get();
  // Those of an earlier try do not stay.
  std::erase_if(request.headers, [](const http::Header& header) {
    return header.name == "authorization" || header.name.ends_with("-security-token");
  });
  if (!keys.bearer.empty()) {
    request.headers.push_back({"authorization", "Bearer " + keys.bearer});
  } else if (!keys.key_id.empty()) {
    // The port that a scheme has anyway is not sent.
    std::string host = place.host;
    const std::string_view port = place.scheme == "https" ? ":443" : ":80";
    if (host.ends_with(port)) host.resize(host.size() - port.size());
    sign(request, {host, place.path, query, used.region}, keys,
         client_->clock().date() + std::chrono::seconds(used.clock_error), payload_hash,
         settings_.service == Service::google ? kGoogleDialect : kAwsDialect);
  }
}

http::Call Bucket::call(std::string method, std::string_view key, Query query, http::Headers headers,
                        std::vector<ByteView> body) {
  http::Call call;
  call.request.method = std::move(method);
  call.request.headers = std::move(headers);
  call.request.body = std::move(body);
  call.request.body_limit = kLargestAnswer;
  call.request.connect_timeout = settings_.connect_timeout;
  call.request.stall_timeout = settings_.stall_timeout;
  if (settings_.requester_pays) {
    if (settings_.service == Service::aws)
      call.request.headers.push_back({"x-amz-request-payer", "requester"});
    else if (!settings_.billing_project.empty())
      call.request.headers.push_back({"x-goog-user-project", settings_.billing_project});
  }
  call.key = uri(key);
  for (const http::Header& header : call.request.headers)
    if (header.name == "range") call.range = header.value;
  std::string text = query_text(query);
  if (!text.empty()) call.key += "?" + text;
  const auto used = std::make_shared<Used>();
  const bool hashed = !settings_.anonymous;
  std::string hash = hashed ? sha256_hex(call.request.body) : "";
  call.prepare = [this, used, key = std::string(key), text = std::move(text),
                  hash = std::move(hash)](http::Request& request) { prepare(request, key, text, hash, *used); };
  call.judge = [this, used](const http::Answer& answer) { return judge(answer, *used); };
  return call;
}

std::string Bucket::uri(std::string_view key) const {
  return fmt::format("{}://{}{}{}", settings_.service == Service::google ? "gs" : "s3", name_, key.empty() ? "" : "/",
                     key);
}

std::string Bucket::identity() const {
  return fmt::format("{}:{}/{}", settings_.service == Service::google ? "gs" : "s3", settings_.endpoint, name_);
}

bool Bucket::ok(const http::Call& call) {
  return call.answer.failure == http::Failure::none && call.answer.status >= 200 && call.answer.status < 300;
}

bool Bucket::absent(const http::Call& call) const {
  if (call.answer.failure != http::Failure::none) return false;
  if (call.answer.status == 403 && settings_.forbidden_is_absent)
    return one_of(read_answer(call.answer.body).code, {"AccessDenied"});
  return call.answer.status == 404 && read_answer(call.answer.body).code == "NoSuchKey";
}

bool Bucket::learn_region(const http::Answer& answer, const Answered& answered, const Used& used) {
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

// The answer's own date tells by how much the clocks differ.
bool Bucket::learn_time(const http::Answer& answer, const Used& used) {
  const std::string* text = http::find(answer.headers, "date");
  const auto theirs = text ? http::parse_date(*text) : std::nullopt;
  if (!theirs) return false;
  const auto error = std::chrono::duration_cast<std::chrono::seconds>(*theirs - client_->clock().date()).count();
  if (std::abs(error - used.clock_error) < 60) return false;
  clock_error_ = error;
  return true;
}

http::Verdict Bucket::judge(const http::Answer& answer, const Used& used) {
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
    return credentials_->renew(used.credentials) ? http::Verdict::again_now : usual;
  return usual;
}

void Bucket::fail_answer(const http::Call& call) const {
  const http::Answer& answer = call.answer;
  const std::string tries = call.tries > 1 ? fmt::format(", {} times", call.tries) : "";
  const std::string_view what = call.key;
  if (answer.failure != http::Failure::none)
    fail(ErrorKind::io, "{}: {} failed{}: {}", what, call.request.method, tries, answer.failure_text);
  const Answered answered = read_answer(answer.body);
  std::string said = answered.code;
  if (std::string message = answered.text("Message"); !message.empty() && answered.root == "Error") {
    if (message.size() > kLongestMessage) message.resize(kLongestMessage);
    said += fmt::format(" ({})", message);
  }
  const std::string text = fmt::format("{}: the server answered {}{}{} to {}{}", what, answer.status,
                                       said.empty() ? "" : " ", said, call.request.method, tries);
  if (answered.code == "NoSuchBucket") fail(ErrorKind::not_found, "{}", text);
  if (answered.code == "InvalidObjectState")
    fail(ErrorKind::permission, "{}; the object is archived and has to be restored first", text);
  if (answer.status == 401 || answer.status == 403 ||
      one_of(answered.code, {"ExpiredToken", "InvalidToken", "XAdminUserNotFound"})) {
    const std::string who = settings_.anonymous ? "the request was anonymous"
                            : credentials_->source() == "none"
                                ? "no keys were found, so that the request was anonymous"
                                : fmt::format(
                                      "the keys came from {}; a public bucket is read with the store option "
                                      "anonymous=true",
                                      credentials_->source());
    fail(ErrorKind::permission, "{}; {}", text, who);
  }
  fail(ErrorKind::io, "{}", text);
}

http::Headers Bucket::object_headers() const {
  http::Headers headers;
  if (settings_.service == Service::google) {
    if (!settings_.storage_class.empty()) headers.push_back({"x-goog-storage-class", settings_.storage_class});
    return headers;
  }
  if (!settings_.sse.empty()) headers.push_back({"x-amz-server-side-encryption", settings_.sse});
  if (!settings_.sse_kms_key_id.empty())
    headers.push_back({"x-amz-server-side-encryption-aws-kms-key-id", settings_.sse_kms_key_id});
  if (!settings_.storage_class.empty()) headers.push_back({"x-amz-storage-class", settings_.storage_class});
  return headers;
}

}  // namespace tegula::s3
