// Arrays in buckets: S3, what speaks like it, and Google Cloud Storage.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "store/objects/settings.h"
#include "store/store.h"

namespace tegula {

// s3://BUCKET/KEY, taken as it stands: no percent decoding, no '?' and no '#'. Asks nobody anything yet.
std::shared_ptr<Store> open_s3_store(std::string_view uri, const StoreOptions& options);
// gs://BUCKET/KEY, through the XML interface.
std::shared_ptr<Store> open_gs_store(std::string_view uri, const StoreOptions& options);

namespace s3 {

// On a given network, for tests.
std::shared_ptr<Store> make_store(std::string bucket, std::string prefix, objects::Settings settings,
                                  std::shared_ptr<http::Client> client, std::vector<objects::CredentialSource> sources);

}  // namespace s3

}  // namespace tegula
