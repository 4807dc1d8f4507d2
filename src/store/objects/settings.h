// What can be set about a bucket, from storage options and the environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "store/http/client.h"
#include "store/http/transport.h"
#include "store/objects/credentials.h"

namespace tegula::objects {

// Which service it is: they differ in addresses, in the names of headers and in conditions. `web` is a plain web
// server, which has only limits, timeouts, certificates and proxies.
enum class Service : std::uint8_t { aws, google, azure, web };

struct Settings {
  Service service = Service::aws;
  std::string endpoint;  // "http://127.0.0.1:9000"; empty: the service's own
  std::string region;    // empty: us-east-1 until the server says otherwise
  bool virtual_addressing = true;
  bool anonymous = false;
  Credentials credentials;                          // given explicitly
  std::string profile;                              // AWS
  std::string account;                              // Azure: of storage
  std::string account_key;                          // Azure: in base64
  std::string connection_string;                    // Azure: account, keys and endpoint in one; a secret
  std::string tenant_id, client_id, client_secret;  // Azure: a program that is somebody (a service principal)
  std::string service_account;                      // Google: the path of its JSON file
  bool requester_pays = false;
  std::string billing_project;  // Google: who pays
  std::string sse, sse_kms_key_id, storage_class;
  // The server knows If-Match and If-None-Match. Servers that do not know them answer as if the condition held.
  bool conditional_put = true;
  bool forbidden_is_absent = false;      // 403 for a key means that it is not there
  std::uint64_t part_size = 8ull << 20;  // of uploads
  std::uint64_t read_part = 8ull << 20;  // larger ranges are read by several requests
  std::uint64_t merge_gap = 512ull << 10;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::seconds stall_timeout{30};
  http::Limits limits;
  http::TransportOptions transport;
};

// Settings by name, tegula's own names or those of other libraries (docs/stores.md). `defaults` fills in what was not
// given. Throws Error(invalid_argument) for an unknown name or a value that does not fit, without printing values.
Settings parse_settings(Service service, const std::map<std::string, std::string>& given,
                        const Environment& environment = process_environment(),
                        const std::function<void(Settings&)>& defaults = {});

// Unless it has a value.
void set_if_empty(std::string& into, const std::string& value);

}  // namespace tegula::objects
