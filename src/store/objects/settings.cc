#include "store/objects/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/fail.h"

namespace tegula::objects {

namespace {

using Apply = void (*)(Settings& settings, std::string_view name, const std::string& value);

bool flag(std::string_view name, const std::string& value) {
  if (value == "true" || value == "1" || value == "yes" || value == "True") return true;
  if (value == "false" || value == "0" || value == "no" || value == "False") return false;
  fail(ErrorKind::invalid_argument, "the store option {} is true or false", name);
}

std::uint64_t number(std::string_view name, const std::string& value, std::uint64_t least, std::uint64_t most) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  if (error != std::errc() || end != value.data() + value.size() || out < least || out > most)
    fail(ErrorKind::invalid_argument, "the store option {} is a number from {} to {}", name, least, most);
  return out;
}

std::uint64_t size(std::string_view name, const std::string& value, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t out = parse_size(value);
  if (out < least || out > most)
    fail(ErrorKind::invalid_argument, "the store option {} is a size from {} to {}", name, format_size(least),
         format_size(most));
  return out;
}

// "virtual", "path" and "auto", or true and false.
bool addressing(std::string_view name, const std::string& value) {
  if (value == "virtual" || value == "auto") return true;
  if (value == "path") return false;
  return flag(name, value);
}

struct Setting {
  const char* name;
  std::vector<const char*>
      aliases;  // without "aws_", "google_", "azure_" and "vfs.s3.", which may stand before any name
  Apply apply;
};

const std::vector<Setting>& table() {
  static const std::vector<Setting> settings = {
      {"access_key_id", {"key"}, [](Settings& s, auto, const std::string& v) { s.credentials.key_id = v; }},
      {"secret_access_key", {"secret"}, [](Settings& s, auto, const std::string& v) { s.credentials.secret = v; }},
      {"session_token", {"token"}, [](Settings& s, auto, const std::string& v) { s.credentials.token = v; }},
      {"bearer_token", {"access_token"}, [](Settings& s, auto, const std::string& v) { s.credentials.bearer = v; }},
      {"service_account",
       {"service_account_file", "service_account_path", "application_credentials"},
       [](Settings& s, auto, const std::string& v) { s.service_account = v; }},
      {"anonymous",
       {"anon", "no_sign_request", "skip_signature"},
       [](Settings& s, auto n, const std::string& v) { s.anonymous = flag(n, v); }},
      {"profile", {}, [](Settings& s, auto, const std::string& v) { s.profile = v; }},
      {"account",
       {"account_name", "storage_account", "storage_account_name"},
       [](Settings& s, auto, const std::string& v) { s.account = v; }},
      {"account_key",
       {"storage_key", "storage_account_key"},
       [](Settings& s, auto, const std::string& v) { s.account_key = v; }},
      {"sas_token",
       {"sas_key", "storage_sas_token", "storage_account_sas_token"},
       [](Settings& s, auto, const std::string& v) { s.credentials.sas = v; }},
      {"connection_string",
       {"storage_connection_string"},
       [](Settings& s, auto, const std::string& v) { s.connection_string = v; }},
      {"tenant_id",
       {"storage_tenant_id", "authority_id"},
       [](Settings& s, auto, const std::string& v) { s.tenant_id = v; }},
      {"client_id", {"storage_client_id"}, [](Settings& s, auto, const std::string& v) { s.client_id = v; }},
      {"client_secret",
       {"storage_client_secret"},
       [](Settings& s, auto, const std::string& v) { s.client_secret = v; }},
      {"endpoint",
       {"endpoint_url", "endpoint_override", "blob_endpoint", "storage_endpoint", "account_url"},
       [](Settings& s, auto, const std::string& v) { s.endpoint = v; }},
      {"region", {"region_name", "default_region"}, [](Settings& s, auto, const std::string& v) { s.region = v; }},
      {"virtual_addressing",
       {"use_virtual_addressing", "virtual_hosted_style_request", "addressing_style"},
       [](Settings& s, auto n, const std::string& v) { s.virtual_addressing = addressing(n, v); }},
      {"requester_pays",
       {"request_payer"},
       [](Settings& s, auto n, const std::string& v) { s.requester_pays = v == "requester" || flag(n, v); }},
      {"billing_project", {"user_project"}, [](Settings& s, auto, const std::string& v) { s.billing_project = v; }},
      {"sse", {"server_side_encryption"}, [](Settings& s, auto, const std::string& v) { s.sse = v; }},
      {"sse_kms_key_id", {}, [](Settings& s, auto, const std::string& v) { s.sse_kms_key_id = v; }},
      {"storage_class", {}, [](Settings& s, auto, const std::string& v) { s.storage_class = v; }},
      {"conditional_put",
       {"use_conditional_write"},
       [](Settings& s, auto n, const std::string& v) { s.conditional_put = flag(n, v); }},
      {"forbidden_is_absent",
       {},
       [](Settings& s, auto n, const std::string& v) { s.forbidden_is_absent = flag(n, v); }},
      {"part_size",
       {"multipart_part_size", "block_list_block_size"},
       [](Settings& s, auto n, const std::string& v) { s.part_size = size(n, v, 5ull << 20, 5ull << 30); }},
      {"read_part",
       {},
       [](Settings& s, auto n, const std::string& v) { s.read_part = size(n, v, 64ull << 10, 5ull << 30); }},
      {"merge_gap", {}, [](Settings& s, auto n, const std::string& v) { s.merge_gap = size(n, v, 0, 1ull << 30); }},
      {"requests",
       {"max_parallel_ops", "max_concurrency", "request_concurrency", "s3_request_concurrency"},
       [](Settings& s, auto n, const std::string& v) { s.limits.at_once = number(n, v, 1, 1000); }},
      {"tries",
       {"connect_max_tries", "retries", "max_retries", "s3_request_retries"},
       [](Settings& s, auto n, const std::string& v) {
         s.limits.tries = static_cast<unsigned>(number(n, v, 1, 100));
         s.limits.connect_tries = std::min(s.limits.connect_tries, s.limits.tries);
       }},
      {"retry_seconds",
       {},
       [](Settings& s, auto n, const std::string& v) {
         s.limits.all_tries = std::chrono::seconds(number(n, v, 0, 86'400));
       }},
      {"connect_timeout_ms",
       {},
       [](Settings& s, auto n, const std::string& v) {
         s.connect_timeout = std::chrono::milliseconds(number(n, v, 1, 3'600'000));
       }},
      {"request_timeout_ms",
       {},
       [](Settings& s, auto n, const std::string& v) {
         s.stall_timeout = std::chrono::seconds((number(n, v, 1, 3'600'000) + 999) / 1000);
       }},
      {"ca_file", {"ca_bundle"}, [](Settings& s, auto, const std::string& v) { s.transport.ca_file = v; }},
      {"verify_ssl",
       {"verify"},
       [](Settings& s, auto n, const std::string& v) { s.transport.verify_tls = flag(n, v); }},
      {"proxy", {"proxy_url"}, [](Settings& s, auto, const std::string& v) { s.transport.proxy = v; }},
      {"scheme",
       {},
       [](Settings&, auto n, const std::string& v) {
         if (v != "http" && v != "https") fail(ErrorKind::invalid_argument, "the store option {} is http or https", n);
       }},
      // Others ask for it; here the scheme of the endpoint says it.
      {"allow_http", {}, [](Settings&, auto n, const std::string& v) { flag(n, v); }},
  };
  return settings;
}

const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : table())
    if (name == setting.name ||
        std::any_of(setting.aliases.begin(), setting.aliases.end(), [&](const char* alias) { return name == alias; }))
      return &setting;
  return nullptr;
}

const Setting& setting_of(std::string_view given) {
  std::string name;
  for (const char c : given) name += c == '-' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  std::string_view rest = name;
  if (const Setting* found = find_setting(rest)) return *found;
  for (const std::string_view prefix : {"vfs.s3.", "vfs.gcs.", "vfs.azure.", "s3.", "aws_", "google_", "azure_"})
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(prefix.size());
      if (const Setting* found = find_setting(rest)) return *found;
    }
  std::vector<std::string_view> names;
  for (const Setting& setting : table()) names.push_back(setting.name);
  fail(ErrorKind::invalid_argument, "there is no store option '{}'; known are {}", given, fmt::join(names, ", "));
}

// Whether it is the service itself, under one of its other addresses.
bool belongs_to_service(std::string_view endpoint) {
  const std::string_view host = endpoint.substr(0, endpoint.find('/', endpoint.find("://") + 3));
  return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn") || host.ends_with(".googleapis.com");
}

}  // namespace

void set_if_empty(std::string& into, const std::string& value) {
  if (into.empty()) into = value;
}

Settings parse_settings(Service service, const std::map<std::string, std::string>& given,
                        const Environment& environment, const std::function<void(Settings&)>& defaults) {
  Settings settings;
  settings.service = service;
  settings.virtual_addressing = service == Service::aws;
  bool addressed = false, insecure = false, conditional_given = false;
  for (const auto& [name, value] : given) {
    const Setting& setting = setting_of(name);
    addressed = addressed || std::string_view(setting.name) == "virtual_addressing";
    conditional_given = conditional_given || std::string_view(setting.name) == "conditional_put";
    insecure = insecure || (std::string_view(setting.name) == "scheme" && value == "http");
    setting.apply(settings, name, value);
  }
  if (settings.credentials.key_id.empty() != settings.credentials.secret.empty())
    fail(ErrorKind::invalid_argument, "access_key_id and secret_access_key have to be given together");

  if (defaults) defaults(settings);
  set_if_empty(settings.transport.ca_file, environment("SSL_CERT_FILE"));

  while (settings.endpoint.ends_with('/')) settings.endpoint.pop_back();
  if (!settings.endpoint.empty()) {
    if (settings.endpoint.find("://") == std::string::npos)
      settings.endpoint = (insecure ? "http://" : "https://") + settings.endpoint;
    if (!settings.endpoint.starts_with("http://") && !settings.endpoint.starts_with("https://"))
      fail(ErrorKind::invalid_argument, "the endpoint has to begin with http:// or https://");
    // A server of one's own rarely has a name for each bucket.
    if (!addressed) settings.virtual_addressing = false;
    // Nor is it known to look at conditions, and one that does not would replace what others wrote.
    if (!conditional_given)
      settings.conditional_put = service == Service::azure || belongs_to_service(settings.endpoint);
  }
  settings.transport.connections = settings.limits.at_once;
  return settings;
}

}  // namespace tegula::objects
