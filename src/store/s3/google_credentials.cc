#include "store/s3/google_credentials.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "base/fail.h"
#include "base/json.h"
#include "store/objects/encoding.h"
#include "store/objects/secret_json.h"
#include "store/objects/small_file.h"

namespace tegula::s3 {

using namespace objects;

namespace {

constexpr const char* kTokenUri = "https://oauth2.googleapis.com/token";
constexpr const char* kScope = "https://www.googleapis.com/auth/devstorage.read_write";
constexpr std::chrono::hours kLifetime{1};

std::string base64url(ByteView bytes) {
  std::string out = base64(bytes);
  while (out.ends_with('=')) out.pop_back();
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return out;
}

Bytes rsa_sha256(const std::string& pem, std::string_view text) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(
      bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr) : nullptr, EVP_PKEY_free);
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::size_t size = 0;
  Bytes out;
  const auto* data = reinterpret_cast<const unsigned char*>(text.data());
  bool good = key && context && EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
              EVP_DigestSign(context.get(), nullptr, &size, data, text.size()) == 1;
  if (good) {
    out.resize(size);
    good = EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size, data, text.size()) == 1;
    out.resize(size);
  }
  if (!good) fail(ErrorKind::invalid_argument, "the private key of the service account cannot be used");
  return out;
}

std::string member(const Json& document, const char* name) {
  const auto at = document.is_object() ? document.find(name) : document.end();
  return at != document.end() && at->is_string() ? at->get<std::string>() : "";
}

// {"access_token", "expires_in"}
Credentials token_of(const http::Call& call, http::Client& client, const char* who) {
  if (call.answer.failure != http::Failure::none || call.answer.status != 200)
    fail(ErrorKind::permission, "{} gives no token: {}", who, http::failure_text(call.answer));
  const Json document = parse_secret_json(call.answer.body, who);
  Credentials out;
  out.bearer = member(document, "access_token");
  if (out.bearer.empty()) fail(ErrorKind::permission, "{} gives no token", who);
  const auto seconds = document.find("expires_in");
  if (seconds != document.end() && seconds->is_number_integer())
    out.expires = client.clock().date() + std::chrono::seconds(seconds->get<std::int64_t>());
  return out;
}

Credentials ask_for_token(http::Client& client, const std::string& uri, const Query& form, const char* who) {
  const std::string text = query_text(form);
  http::Call call;
  call.request.method = "POST";
  call.request.url = uri;
  call.request.headers = {{"content-type", "application/x-www-form-urlencoded"}};
  call.request.body = {bytes_of(text)};
  call.request.body_limit = 1 << 20;
  call.key = who;
  client.run(call);
  return token_of(call, client, who);
}

std::optional<Credentials> from_file(const std::string& path, bool given, http::Client& client) {
  if (path.empty()) return std::nullopt;
  const std::optional<std::string> text = small_file(path);
  if (!text && given) fail(ErrorKind::not_found, "there is no file {} with Google's credentials", path);
  if (!text) return std::nullopt;
  const Json document = parse_secret_json(bytes_of(*text), path);
  const std::string type = member(document, "type");
  std::string uri = member(document, "token_uri");
  if (uri.empty()) uri = kTokenUri;
  if (type == "service_account")
    return ask_for_token(client, uri,
                         {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                          {"assertion", signed_token(member(document, "client_email"), uri,
                                                     member(document, "private_key"), client.clock().date())}},
                         "the service account");
  if (type == "authorized_user")
    return ask_for_token(client, uri,
                         {{"grant_type", "refresh_token"},
                          {"client_id", member(document, "client_id")},
                          {"client_secret", member(document, "client_secret")},
                          {"refresh_token", member(document, "refresh_token")}},
                         "Google's login");
  fail(ErrorKind::unsupported,
       "{}: credentials of the type '{}' cannot be used; known are service_account and "
       "authorized_user",
       path, type);
}

std::optional<Credentials> from_metadata_server(const Environment& environment, http::Client& client) {
  std::string host = environment("GCE_METADATA_HOST");
  if (host.empty()) host = "metadata.google.internal";
  http::Call call;
  call.request.url = "http://" + host + "/computeMetadata/v1/instance/service-accounts/default/token";
  call.request.headers = {{"metadata-flavor", "Google"}};
  call.request.connect_timeout = call.request.total_timeout = std::chrono::milliseconds(1000);
  call.request.body_limit = 1 << 20;
  call.key = "Google's metadata server";
  call.judge = [](const http::Answer&) { return http::Verdict::done; };
  client.run(call);
  // A machine that is elsewhere has no such server, which means that there are no keys.
  const bool answered = call.answer.failure == http::Failure::none;
  const bool there = answered && http::find(call.answer.headers, "metadata-flavor");
  if (!answered || call.answer.status == 404 || (call.answer.status != 200 && !there)) return std::nullopt;
  return token_of(call, client, "Google's metadata server");
}

}  // namespace

std::string signed_token(const std::string& email, const std::string& audience, const std::string& key,
                         std::chrono::system_clock::time_point now) {
  const Json header = {{"alg", "RS256"}, {"typ", "JWT"}};
  const Json claims = {{"iss", email},
                       {"scope", kScope},
                       {"aud", audience},
                       {"iat", std::chrono::system_clock::to_time_t(now)},
                       {"exp", std::chrono::system_clock::to_time_t(now + kLifetime)}};
  const std::string text = base64url(bytes_of(header.dump())) + "." + base64url(bytes_of(claims.dump()));
  return text + "." + base64url(rsa_sha256(key, text));
}

std::vector<CredentialSource> google_sources(const Environment& environment, const std::string& file) {
  std::string path = file;
  if (path.empty() && !environment("HOME").empty())
    path = environment("HOME") + "/.config/gcloud/application_default_credentials.json";
  return {
      {"Google's credential file", [=](http::Client& client) { return from_file(path, !file.empty(), client); }},
      {"Google's metadata server", [=](http::Client& client) { return from_metadata_server(environment, client); }},
  };
}

}  // namespace tegula::s3
