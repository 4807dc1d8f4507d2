#include "store/azure/azure_store.h"

#include "store/azure/azure_bucket.h"
#include "store/azure/azure_credentials.h"
#include "store/objects/object_store.h"

namespace tegula {

namespace azure {

std::shared_ptr<Store> make_store(const BlobUri& uri, objects::Settings settings, std::shared_ptr<http::Client> client,
                                  std::vector<objects::CredentialSource> sources) {
  auto chain = std::make_shared<objects::CredentialChain>(std::move(sources), client);
  return objects::object_store(
      std::make_unique<AzureBucket>(uri, std::move(settings), std::move(client), std::move(chain)), uri.key);
}

}  // namespace azure

std::shared_ptr<Store> open_azure_store(std::string_view uri, const StoreOptions& options) {
  const objects::Environment environment = objects::process_environment();
  const azure::BlobUri place = azure::parse_blob_uri(uri);
  objects::Settings settings = azure::read_settings(place, options.settings, environment);
  std::vector<objects::CredentialSource> sources = azure::azure_sources(settings, environment);
  std::shared_ptr<http::Client> client = objects::make_client(settings, options);
  return azure::make_store(place, std::move(settings), std::move(client), std::move(sources));
}

}  // namespace tegula
