#include "store/s3/aws_credentials.h"

#include <fmt/format.h>

#include <ctime>

#include "base/fail.h"
#include "base/json.h"
#include "store/objects/encoding.h"
#include "store/objects/secret_json.h"
#include "store/objects/small_file.h"
#include "store/objects/xml.h"
#include "store/s3/profile_file.h"

namespace tegula::s3 {

using namespace objects;

namespace {

constexpr std::chrono::milliseconds kMetadataTimeout{1000};

// "2026-11-17T02:00:00Z"
std::optional<std::chrono::system_clock::time_point> parse_expiry(const std::string& text) {
  std::tm when{};
  if (!::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &when)) return std::nullopt;
  return std::chrono::system_clock::from_time_t(::timegm(&when));
}

std::string text_field(const Json& document, const char* name) {
  const auto at = document.find(name);
  return at != document.end() && at->is_string() ? at->get<std::string>() : "";
}

// {"AccessKeyId", "SecretAccessKey", "Token", "Expiration"}, as containers and EC2 answer.
Credentials keys_of_document(ByteView body, std::string_view where) {
  const Json document = parse_secret_json(body, where);
  if (!document.is_object()) fail(ErrorKind::permission, "{} gave no keys", where);
  Credentials keys{text_field(document, "AccessKeyId"), text_field(document, "SecretAccessKey"),
                   text_field(document, "Token"), "", parse_expiry(text_field(document, "Expiration"))};
  if (keys.key_id.empty() || keys.secret.empty()) fail(ErrorKind::permission, "{} gave no keys", where);
  return keys;
}

http::Call small_call(std::string method, std::string url, std::string name) {
  http::Call call;
  call.request.method = std::move(method);
  call.request.url = std::move(url);
  call.request.body_limit = 1 << 20;
  call.key = std::move(name);
  return call;
}

std::optional<Credentials> from_environment(const Environment& environment) {
  Credentials keys{environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
                   environment("AWS_SESSION_TOKEN"), "", std::nullopt};
  if (keys.key_id.empty() && keys.secret.empty()) return std::nullopt;
  if (keys.key_id.empty() || keys.secret.empty())
    fail(ErrorKind::invalid_argument, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY have to be set together");
  return keys;
}

// The token of a Kubernetes pod, changed into keys by one call that is not signed.
std::optional<Credentials> from_web_identity(const Environment& environment, http::Client& client) {
  const std::string file = environment("AWS_WEB_IDENTITY_TOKEN_FILE"), role = environment("AWS_ROLE_ARN");
  if (file.empty() || role.empty()) return std::nullopt;
  std::optional<std::string> token = small_file(file);
  if (!token) fail(ErrorKind::not_found, "AWS_WEB_IDENTITY_TOKEN_FILE: there is no file {}", file);
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  std::string endpoint = environment("AWS_ENDPOINT_URL_STS");
  std::string region = environment("AWS_REGION");
  if (region.empty()) region = environment("AWS_DEFAULT_REGION");
  if (endpoint.empty())
    endpoint = region.empty() ? "https://sts.amazonaws.com" : fmt::format("https://sts.{}.amazonaws.com", region);
  std::string session = environment("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "tegula";
  const std::string form = query_text({{"Action", "AssumeRoleWithWebIdentity"},
                                       {"Version", "2011-06-15"},
                                       {"RoleArn", role},
                                       {"RoleSessionName", session},
                                       {"WebIdentityToken", *token}});
  http::Call call = small_call("POST", endpoint + "/", "AssumeRoleWithWebIdentity");
  call.request.headers.push_back({"content-type", "application/x-www-form-urlencoded"});
  call.request.body = {bytes_of(form)};
  client.run(call);
  const Answered answered = read_answer(call.answer.body);
  if (call.answer.failure != http::Failure::none || call.answer.status != 200)
    fail(ErrorKind::permission, "the role {} cannot be assumed: {} {}", role, http::failure_text(call.answer),
         answered.code);
  Credentials keys{answered.text("AccessKeyId"), answered.text("SecretAccessKey"), answered.text("SessionToken"), "",
                   parse_expiry(answered.text("Expiration"))};
  if (keys.key_id.empty() || keys.secret.empty())
    fail(ErrorKind::permission, "the role {} cannot be assumed: the answer has no keys", role);
  return keys;
}

std::optional<Credentials> from_profile(const Environment& environment, const std::string& name) {
  const Profile profile = read_profile(environment, name);
  const auto value = [&](const char* key) {
    const auto at = profile.find(key);
    return at == profile.end() ? std::string() : at->second;
  };
  // Keys beside a role are those that may assume it, not those to sign with.
  for (const char* other :
       {"role_arn", "credential_process", "sso_session", "sso_start_url", "web_identity_token_file"})
    if (!value(other).empty())
      fail(ErrorKind::unsupported,
           "the AWS profile gets its keys by {}, which tegula cannot do; `aws configure export-credentials --format "
           "env` "
           "turns them into environment variables",
           other);
  Credentials keys{value("aws_access_key_id"), value("aws_secret_access_key"), value("aws_session_token"), "",
                   std::nullopt};
  return keys.key_id.empty() || keys.secret.empty() ? std::nullopt : std::optional(std::move(keys));
}

std::optional<Credentials> from_container(const Environment& environment, http::Client& client) {
  const std::string relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const std::string full = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (relative.empty() && full.empty()) return std::nullopt;
  http::Call call =
      small_call("GET", relative.empty() ? full : "http://169.254.170.2" + relative, "credentials of the container");
  std::string token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); token.empty() && !file.empty())
    token = small_file(file).value_or("");
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (!token.empty()) call.request.headers.push_back({"authorization", token});
  call.request.total_timeout = 5 * kMetadataTimeout;
  client.run(call);
  if (call.answer.failure != http::Failure::none || call.answer.status != 200)
    fail(ErrorKind::permission, "the credentials of the container cannot be read: {}", http::failure_text(call.answer));
  return keys_of_document(call.answer.body, "the container's credential service");
}

// A machine that is not in EC2 has nobody at this address: one short try, and no answer means no keys. Behind the first
// answer the service is there, and failures are its own.
std::optional<Credentials> from_ec2(const Environment& environment, http::Client& client) {
  if (environment("AWS_EC2_METADATA_DISABLED") == "true") return std::nullopt;
  std::string endpoint = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (endpoint.empty()) endpoint = "http://169.254.169.254";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const auto ask = [&](std::string method, const std::string& path, http::Header header, bool there) {
    http::Call call = small_call(std::move(method), endpoint + "/latest/" + path, "EC2 metadata");
    call.request.headers.push_back(std::move(header));
    call.request.connect_timeout = call.request.total_timeout = kMetadataTimeout;
    if (!there) call.judge = [](const http::Answer&) { return http::Verdict::done; };
    client.run(call);
    const bool good = call.answer.failure == http::Failure::none && call.answer.status == 200;
    if (there && !good && call.answer.status != 404)
      fail(ErrorKind::permission, "the EC2 metadata service gives no keys: {}", http::failure_text(call.answer));
    return good ? std::optional(std::string(text_of(call.answer.body))) : std::nullopt;
  };
  const auto token = ask("PUT", "api/token", {"x-aws-ec2-metadata-token-ttl-seconds", "21600"}, false);
  if (!token) return std::nullopt;
  const std::string folder = "meta-data/iam/security-credentials/";
  const auto role = ask("GET", folder, {"x-aws-ec2-metadata-token", *token}, true);
  if (!role || role->empty()) return std::nullopt;
  const auto keys = ask("GET", folder + role->substr(0, role->find('\n')), {"x-aws-ec2-metadata-token", *token}, true);
  if (!keys) return std::nullopt;
  return keys_of_document(bytes_of(*keys), "the EC2 metadata service");
}

}  // namespace

std::vector<CredentialSource> aws_sources(const Environment& environment, const std::string& profile) {
  // A profile that was asked for by name comes before the environment.
  const CredentialSource of_profile{"the AWS profile",
                                    [=](http::Client&) { return from_profile(environment, profile); }};
  if (!profile.empty()) return {of_profile};
  return {
      {"AWS_ACCESS_KEY_ID", [=](http::Client&) { return from_environment(environment); }},
      {"the web identity", [=](http::Client& client) { return from_web_identity(environment, client); }},
      of_profile,
      {"the container", [=](http::Client& client) { return from_container(environment, client); }},
      {"the EC2 metadata service", [=](http::Client& client) { return from_ec2(environment, client); }},
  };
}

}  // namespace tegula::s3
