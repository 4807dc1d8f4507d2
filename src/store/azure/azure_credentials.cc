#include "store/azure/azure_credentials.h"

#include <fmt/format.h>

#include <charconv>

#include "base/fail.h"
#include "base/json.h"
#include "store/objects/encoding.h"
#include "store/objects/secret_json.h"
#include "store/objects/small_file.h"

namespace tegula::azure {

using namespace objects;

namespace {

constexpr const char* kResource = "https://storage.azure.com/";
constexpr std::chrono::milliseconds kMetadataTimeout{1000};

http::Call token_call(std::string method, std::string url, const char* who) {
  http::Call call;
  call.request.method = std::move(method);
  call.request.url = std::move(url);
  call.request.body_limit = 1 << 20;
  call.key = who;
  return call;
}

// {"access_token", "expires_in"}, which is a number or its text.
Credentials token_of(const http::Call& call, http::Client& client, const char* who) {
  if (call.answer.failure != http::Failure::none || call.answer.status != 200)
    fail(ErrorKind::permission, "{} gives no token: {}", who, http::failure_text(call.answer));
  const Json document = parse_secret_json(call.answer.body, who);
  const auto member = [&](const char* name) {
    const auto at = document.is_object() ? document.find(name) : document.end();
    if (at == document.end()) return std::string();
    return at->is_string()           ? at->get<std::string>()
           : at->is_number_integer() ? std::to_string(at->get<std::int64_t>())
                                     : "";
  };
  Credentials out;
  out.bearer = member("access_token");
  if (out.bearer.empty()) fail(ErrorKind::permission, "{} gives no token", who);
  const std::string text = member("expires_in");
  std::int64_t seconds = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), seconds).ec == std::errc())
    out.expires = client.clock().date() + std::chrono::seconds(seconds);
  return out;
}

Credentials log_in(const Settings& settings, const Environment& environment, Query form, http::Client& client,
                   const char* who) {
  std::string authority = environment("AZURE_AUTHORITY_HOST");
  if (authority.empty()) authority = "https://login.microsoftonline.com";
  while (authority.ends_with('/')) authority.pop_back();
  form.emplace_back("client_id", settings.client_id);
  form.emplace_back("grant_type", "client_credentials");
  form.emplace_back("scope", std::string(kResource) + ".default");
  const std::string text = query_text(form);
  http::Call call = token_call(
      "POST", fmt::format("{}/{}/oauth2/v2.0/token", authority, percent_encode(settings.tenant_id, false)), who);
  call.request.headers = {{"content-type", "application/x-www-form-urlencoded"}};
  call.request.body = {bytes_of(text)};
  client.run(call);
  return token_of(call, client, who);
}

std::optional<Credentials> from_principal(const Settings& settings, const Environment& environment,
                                          http::Client& client) {
  if (settings.client_secret.empty() || settings.client_id.empty() || settings.tenant_id.empty()) return std::nullopt;
  return log_in(settings, environment, {{"client_secret", settings.client_secret}}, client, "Azure's login");
}

std::optional<Credentials> from_workload(const Settings& settings, const Environment& environment,
                                         http::Client& client) {
  const std::string file = environment("AZURE_FEDERATED_TOKEN_FILE");
  if (file.empty() || settings.client_id.empty() || settings.tenant_id.empty()) return std::nullopt;
  std::optional<std::string> token = small_file(file);
  if (!token) fail(ErrorKind::not_found, "AZURE_FEDERATED_TOKEN_FILE: there is no file {}", file);
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  return log_in(settings, environment,
                {{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
                 {"client_assertion", *token}},
                client, "Azure's login with a federated token");
}

std::optional<Credentials> from_managed_identity(const Settings& settings, const Environment& environment,
                                                 http::Client& client) {
  const std::string own = environment("IDENTITY_ENDPOINT"), header = environment("IDENTITY_HEADER");
  const bool app = !own.empty() && !header.empty();
  Query query = {{"resource", kResource}, {"api-version", app ? "2019-08-01" : "2018-02-01"}};
  if (!settings.client_id.empty()) query.emplace_back("client_id", settings.client_id);
  const std::string where = app ? own : "http://169.254.169.254/metadata/identity/oauth2/token";
  http::Call call = token_call("GET", where + "?" + query_text(query), "Azure's managed identity");
  call.request.headers = {app ? http::Header{"x-identity-header", header} : http::Header{"metadata", "true"}};
  call.request.connect_timeout = call.request.total_timeout = kMetadataTimeout;
  if (!app) call.judge = [](const http::Answer&) { return http::Verdict::done; };
  client.run(call);
  // A machine that is elsewhere has no such service, and one without an identity is refused: there are no keys.
  if (!app && (call.answer.failure != http::Failure::none || call.answer.status != 200)) return std::nullopt;
  return token_of(call, client, "Azure's managed identity");
}

}  // namespace

std::vector<CredentialSource> azure_sources(const Settings& settings, const Environment& environment) {
  // One of them: a signature beside a key would be a second one.
  Credentials given;
  if (!settings.account_key.empty()) {
    given.key_id = settings.account;
    given.secret = settings.account_key;
  } else if (!settings.credentials.sas.empty()) {
    given.sas = settings.credentials.sas;
  } else {
    given.bearer = settings.credentials.bearer;
  }
  if (settings.anonymous) return {};
  if (given != Credentials{}) {
    CredentialSource source = given_source(given);
    source.name = "the store options or AZURE_STORAGE_...";
    return {std::move(source)};
  }
  return {
      {"Azure's login", [=](http::Client& client) { return from_principal(settings, environment, client); }},
      {"Azure's federated token", [=](http::Client& client) { return from_workload(settings, environment, client); }},
      {"Azure's managed identity",
       [=](http::Client& client) { return from_managed_identity(settings, environment, client); }},
  };
}

}  // namespace tegula::azure
