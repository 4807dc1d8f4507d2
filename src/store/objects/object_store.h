// A store whose files are the objects of a bucket.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "store/objects/bucket.h"
#include "store/store.h"

namespace tegula::objects {

// The files are the objects whose keys begin with `prefix` and a slash; with an empty prefix it is the whole bucket.
std::shared_ptr<Store> object_store(std::unique_ptr<Bucket> bucket, std::string prefix);

// A client on the network, which is traced and counted as the options ask.
std::shared_ptr<http::Client> make_client(const Settings& settings, const StoreOptions& options);

// SCHEME://BUCKET/PREFIX, taken as it stands: no percent decoding, no '?' and no '#'. Slashes at the end are left out.
struct BucketUri {
  std::string bucket, prefix;
};
BucketUri parse_bucket_uri(std::string_view uri);

}  // namespace tegula::objects
