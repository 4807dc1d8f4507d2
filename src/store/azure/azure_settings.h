// What the environment says about Azure's storage.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "store/objects/settings.h"

namespace tegula::azure {

// Where az://CONTAINER/KEY or abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY leads.
struct BlobUri {
  std::string container, key;
  std::string account;  // empty: that of the settings
  std::string suffix;   // "core.windows.net"; empty: likewise
};
BlobUri parse_blob_uri(std::string_view uri);

// The storage options, and for what they do not say the URI, then the environment: AZURE_STORAGE_CONNECTION_STRING,
// AZURE_STORAGE_ACCOUNT and its kin. They have an endpoint afterwards, unless no account is named:
// Error(invalid_argument). See objects::parse_settings().
objects::Settings read_settings(const BlobUri& uri, const std::map<std::string, std::string>& given,
                                const objects::Environment& environment = objects::process_environment());

}  // namespace tegula::azure
