#include "store/azure/azure_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fail.h"
#include "store/objects/object_store.h"

namespace tegula::azure {

using namespace objects;

namespace {

// What Azurite has unless it is told otherwise. The key is published, and the same everywhere.
constexpr const char* kEmulatorAccount = "devstoreaccount1";
constexpr const char* kEmulatorKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
constexpr const char* kEmulatorEndpoint = "http://127.0.0.1:10000/devstoreaccount1";
constexpr const char* kSuffix = "core.windows.net";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// "AccountName=a;AccountKey=b==;..."; nothing of it is printed.
std::map<std::string, std::string> fields_of(std::string_view text) {
  std::map<std::string, std::string> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (field.empty()) continue;
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos)
      fail(ErrorKind::invalid_argument, "the connection string of Azure has a field without '=' (it is not shown)");
    fields[lower(field.substr(0, equals))] = field.substr(equals + 1);
  }
  return fields;
}

void add_connection_string(Settings& settings, const std::string& text) {
  if (text.empty()) return;
  std::map<std::string, std::string> fields = fields_of(text);
  if (lower(fields["usedevelopmentstorage"]) == "true") {
    set_if_empty(settings.account, kEmulatorAccount);
    set_if_empty(settings.account_key, kEmulatorKey);
    set_if_empty(settings.endpoint, kEmulatorEndpoint);
    return;
  }
  set_if_empty(settings.account, fields["accountname"]);
  set_if_empty(settings.account_key, fields["accountkey"]);
  set_if_empty(settings.credentials.sas, fields["sharedaccesssignature"]);
  set_if_empty(settings.endpoint, fields["blobendpoint"]);
  if (settings.endpoint.empty() && !settings.account.empty()) {
    const std::string scheme = fields["defaultendpointsprotocol"], suffix = fields["endpointsuffix"];
    settings.endpoint = fmt::format("{}://{}.blob.{}", scheme.empty() ? "https" : scheme, settings.account,
                                    suffix.empty() ? kSuffix : suffix);
  }
}

bool given_any(const Settings& settings) {
  return settings.anonymous || !settings.account_key.empty() || !settings.credentials.sas.empty() ||
         !settings.credentials.bearer.empty() || !settings.client_secret.empty();
}

void set_first(std::string& into, const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) set_if_empty(into, environment(name));
}

void add_defaults(Settings& settings, const BlobUri& uri, const Environment& environment) {
  // An account in the URI is the one that is meant.
  if (!uri.account.empty() && !settings.account.empty() && settings.account != uri.account)
    fail(ErrorKind::invalid_argument, "the URI names the account '{}', the store options name '{}'", uri.account,
         settings.account);
  set_if_empty(settings.account, uri.account);
  if (settings.endpoint.empty() && !uri.suffix.empty())
    settings.endpoint = fmt::format("https://{}.blob.{}", uri.account, uri.suffix);
  add_connection_string(settings, settings.connection_string);

  // Keys of the environment belong to the account that it names, if it names one.
  const bool keys_given = given_any(settings);
  const bool account_given = !settings.account.empty();
  Settings from_environment;
  set_first(from_environment.account, environment, {"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"});
  set_first(from_environment.account_key, environment, {"AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"});
  set_first(from_environment.credentials.sas, environment, {"AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_SAS_KEY"});
  set_first(from_environment.credentials.bearer, environment, {"AZURE_STORAGE_BEARER_TOKEN", "AZURE_STORAGE_TOKEN"});
  set_first(from_environment.endpoint, environment, {"AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"});
  const std::string connection = environment("AZURE_STORAGE_CONNECTION_STRING");
  if (!given_any(from_environment)) add_connection_string(from_environment, connection);
  set_if_empty(settings.account, from_environment.account);
  const bool same_account =
      !account_given || from_environment.account.empty() || settings.account == from_environment.account;
  if (same_account) set_if_empty(settings.endpoint, from_environment.endpoint);
  if (same_account && !keys_given) {
    settings.account_key = from_environment.account_key;
    settings.credentials.sas = from_environment.credentials.sas;
    settings.credentials.bearer = from_environment.credentials.bearer;
  }
  set_first(settings.tenant_id, environment, {"AZURE_TENANT_ID"});
  set_first(settings.client_id, environment, {"AZURE_CLIENT_ID"});
  set_first(settings.client_secret, environment, {"AZURE_CLIENT_SECRET"});

  if (settings.account.empty() && settings.endpoint.empty())
    fail(ErrorKind::invalid_argument,
         "az:// needs the name of a storage account: the store option account, AZURE_STORAGE_ACCOUNT, or "
         "az://CONTAINER@ACCOUNT/KEY");
  if (settings.endpoint.empty()) settings.endpoint = fmt::format("https://{}.blob.{}", settings.account, kSuffix);
  if (!settings.account_key.empty() && settings.account.empty())
    fail(ErrorKind::invalid_argument, "account_key and account have to be given together");
  // A signature may be given with its question mark.
  std::string& sas = settings.credentials.sas;
  if (sas.starts_with('?')) sas.erase(0, 1);
}

}  // namespace

BlobUri parse_blob_uri(std::string_view uri) {
  BucketUri parts = parse_bucket_uri(uri);
  BlobUri out{std::move(parts.bucket), std::move(parts.prefix), "", ""};
  // Keys are shown in messages, and this would be a secret in one.
  if (const std::size_t query = out.key.find('?');
      query != std::string::npos && out.key.find("sig=", query) != std::string::npos)
    fail(ErrorKind::invalid_argument,
         "a shared access signature is given by the store option sas_token, not in the URI");
  const std::size_t at = out.container.find('@');
  if (at == std::string::npos) return out;
  const std::string host = out.container.substr(at + 1);
  out.container.resize(at);
  // ACCOUNT, or ACCOUNT.dfs.SUFFIX and ACCOUNT.blob.SUFFIX; the blob service has the files of both.
  const std::size_t dot = std::min(host.find('.'), host.size());
  out.account = host.substr(0, dot);
  if (dot < host.size()) {
    const std::string rest = host.substr(dot + 1);
    const std::size_t next = std::min(rest.find('.'), rest.size());
    const std::string service = rest.substr(0, next);
    if ((service != "dfs" && service != "blob") || next + 1 >= rest.size())
      fail(ErrorKind::invalid_argument, "'{}' is not the address of a storage account (ACCOUNT.dfs.core.windows.net)",
           host);
    out.suffix = rest.substr(next + 1);
  }
  if (out.account.empty()) fail(ErrorKind::invalid_argument, "'{}' names no storage account", uri);
  return out;
}

Settings read_settings(const BlobUri& uri, const std::map<std::string, std::string>& given,
                       const Environment& environment) {
  return parse_settings(Service::azure, given, environment,
                        [&](Settings& settings) { add_defaults(settings, uri, environment); });
}

}  // namespace tegula::azure
