#include "store/azure/azure_bucket.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "store/azure/azure_xml.h"
#include "store/azure/block_list.h"
#include "store/azure/shared_key.h"

namespace tegula::azure {

using namespace objects;

namespace {

constexpr std::size_t kPage = 5000;  // what the service lists at most
constexpr const char* kVersion = "2021-12-02";

}  // namespace

AzureBucket::AzureBucket(const BlobUri& uri, Settings settings, std::shared_ptr<http::Client> client,
                         std::shared_ptr<CredentialChain> credentials)
    : Bucket(std::move(settings), std::move(client), std::move(credentials)),
      container_(uri.container),
      shown_(uri.container) {
  if (!uri.account.empty()) shown_ += "@" + uri.account;
  if (!uri.suffix.empty()) shown_ += ".blob." + uri.suffix;
  const bool good = !container_.empty() && container_.size() <= 63 &&
                    std::all_of(container_.begin(), container_.end(),
                                [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '$'; });
  if (!good) fail(ErrorKind::invalid_argument, "'{}' is not the name of a container", container_);
}

void AzureBucket::prepare(http::Request& request, const Target& target, Used& used) {
  const Place at = place_of(settings().endpoint);
  const std::string path =
      fmt::format("{}/{}{}{}", at.path, container_, target.key.empty() ? "" : "/", percent_encode(target.key, true));
  std::string query = query_text(target.query);
  const Credentials& keys = used.credentials;
  std::erase_if(request.headers, [](const http::Header& header) { return header.name == "x-ms-date"; });
  if (!keys.sas.empty()) {
    query += (query.empty() ? "" : "&") + keys.sas;
  } else if (!keys.bearer.empty()) {
    request.headers.push_back({"authorization", "Bearer " + keys.bearer});
  } else if (!keys.secret.empty()) {
    const std::tm utc = fmt::gmtime(std::chrono::system_clock::to_time_t(their_time(used)));
    request.headers.push_back({"x-ms-date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", utc)});
    request.headers.push_back({"authorization", shared_key(keys.key_id, keys.secret,
                                                           text_to_sign(request, keys.key_id, path, target.query))});
  }
  request.url = fmt::format("{}://{}{}{}{}", at.scheme, at.host, path, query.empty() ? "" : "?", query);
}

http::Headers AzureBucket::usual_headers() const { return {{"x-ms-version", kVersion}}; }

std::string AzureBucket::uri(std::string_view key) const {
  return fmt::format("az://{}{}{}", shown_, key.empty() ? "" : "/", key);
}

std::string AzureBucket::identity() const { return fmt::format("az:{}/{}", settings().endpoint, container_); }

// Answers to HEAD have no body, but the header.
std::string AzureBucket::code_of(const http::Answer& answer) const {
  const std::string* header = http::find(answer.headers, "x-ms-error-code");
  return header ? *header : read_answer(answer.body).code;
}

bool AzureBucket::absent(const http::Call& call) const {
  if (call.answer.failure != http::Failure::none) return false;
  if (call.answer.status == 403 && settings().forbidden_is_absent)
    return one_of(code_of(call.answer), {"AuthorizationFailure", "AuthorizationPermissionMismatch"});
  return call.answer.status == 404 && code_of(call.answer) == "BlobNotFound";
}

// 412 has other reasons too: a lease that somebody holds.
bool AzureBucket::condition_failed(const http::Call& call, const std::string& state) const {
  if (call.answer.failure != http::Failure::none) return false;
  const std::string code = code_of(call.answer);
  return (call.answer.status == 412 && code == "ConditionNotMet") ||
         (call.answer.status == 409 && code == "BlobAlreadyExists" && state.empty()) ||
         (call.answer.status == 404 && !state.empty() && absent(call));
}

http::Verdict AzureBucket::judge(const http::Answer& answer, const Used& used) {
  const http::Verdict usual = http::usual_verdict(answer);
  if (usual != http::Verdict::done || answer.failure != http::Failure::none || answer.status < 400) return usual;
  const std::string code = code_of(answer);
  if (one_of(code, {"ServerBusy", "OperationTimedOut", "InternalError"})) return http::Verdict::again;
  const bool unknown = answer.status == 401 || one_of(code, {"AuthenticationFailed", "InvalidAuthenticationInfo"});
  if (!unknown) return usual;
  // The service does not say what it does not like: the time, or keys that have been replaced.
  if (!used.credentials.secret.empty() && learn_time(answer, used)) return http::Verdict::again_now;
  return !settings().anonymous && credentials().renew(used.credentials) ? http::Verdict::again_now : usual;
}

Bucket::Meaning AzureBucket::meaning_of(int status, std::string_view code) const {
  if (one_of(code, {"ContainerNotFound", "ResourceNotFound"})) return {ErrorKind::not_found};
  if (code == "BlobArchived") return {ErrorKind::permission, "the blob is archived and has to be rehydrated first"};
  if (code == "LeaseIdMissing") return {ErrorKind::permission, "somebody holds a lease on it"};
  if (status == 401 || status == 403 || code == "NoAuthenticationInformation" || code == "PublicAccessNotPermitted")
    return {ErrorKind::permission};
  return {};
}

http::Headers AzureBucket::object_headers() const {
  http::Headers headers = {{"x-ms-blob-type", "BlockBlob"}};
  if (!settings().storage_class.empty()) headers.push_back({"x-ms-access-tier", settings().storage_class});
  return headers;
}

Query AzureBucket::list_query(const std::string& prefix, bool one_level, std::size_t most,
                              const std::string& token) const {
  Query query = {{"restype", "container"}, {"comp", "list"}};
  if (!prefix.empty()) query.emplace_back("prefix", prefix);
  if (one_level) query.emplace_back("delimiter", "/");
  if (most < kPage) query.emplace_back("maxresults", std::to_string(most));
  if (!token.empty()) query.emplace_back("marker", token);
  return query;
}

ListPage AzureBucket::read_list_page(ByteView xml, std::string_view where) const { return read_blob_list(xml, where); }

std::unique_ptr<Parts> AzureBucket::begin_parts(std::string key) { return block_list(*this, std::move(key)); }

}  // namespace tegula::azure
