// Arrays in containers of Azure's blob storage.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/azure/azure_settings.h"
#include "store/objects/credentials.h"
#include "store/store.h"

namespace tegula {

// az://CONTAINER/KEY, azure://..., and with the account in it az://CONTAINER@ACCOUNT/KEY and
// abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY. Keys are taken as they stand: no percent decoding, no '?' and no
// '#'. Asks nobody anything yet.
std::shared_ptr<Store> open_azure_store(std::string_view uri, const StoreOptions& options);

namespace azure {

// On a given network, for tests.
std::shared_ptr<Store> make_store(const BlobUri& uri, objects::Settings settings, std::shared_ptr<http::Client> client,
                                  std::vector<objects::CredentialSource> sources);

}  // namespace azure

}  // namespace tegula
