#include "store/s3/s3_store.h"

#include "store/objects/object_store.h"
#include "store/s3/aws_credentials.h"
#include "store/s3/google_credentials.h"
#include "store/s3/s3_bucket.h"
#include "store/s3/s3_settings.h"

namespace tegula {

namespace s3 {

using namespace objects;

namespace {

std::shared_ptr<Store> open_bucket(Service service, std::string_view uri, const StoreOptions& options) {
  const Environment environment = process_environment();
  Settings settings = read_settings(service, options.settings, environment);
  BucketUri parts = parse_bucket_uri(uri);
  std::vector<CredentialSource> sources;
  if (settings.credentials != Credentials{})
    sources.push_back(given_source(settings.credentials));
  else if (!settings.anonymous)
    sources = service == Service::google ? google_sources(environment, settings.service_account)
                                         : aws_sources(environment, settings.profile);
  std::shared_ptr<http::Client> client = make_client(settings, options);
  return make_store(std::move(parts.bucket), std::move(parts.prefix), std::move(settings), std::move(client),
                    std::move(sources));
}

}  // namespace

std::shared_ptr<Store> make_store(std::string bucket, std::string prefix, Settings settings,
                                  std::shared_ptr<http::Client> client, std::vector<CredentialSource> sources) {
  auto chain = std::make_shared<CredentialChain>(std::move(sources), client);
  return object_store(
      std::make_unique<S3Bucket>(std::move(bucket), std::move(settings), std::move(client), std::move(chain)),
      std::move(prefix));
}

}  // namespace s3

std::shared_ptr<Store> open_s3_store(std::string_view uri, const StoreOptions& options) {
  return s3::open_bucket(objects::Service::aws, uri, options);
}

std::shared_ptr<Store> open_gs_store(std::string_view uri, const StoreOptions& options) {
  return s3::open_bucket(objects::Service::google, uri, options);
}

}  // namespace tegula
