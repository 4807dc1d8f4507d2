// A bucket: where it is, how requests to it are signed, and what its answers mean.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "store/http/client.h"
#include "store/s3/settings.h"
#include "store/s3/sigv4.h"
#include "store/s3/xml.h"

namespace tegula::s3 {

class Bucket {
 public:
  // `name` as in s3://NAME/key.
  Bucket(std::string name, Settings settings, std::shared_ptr<http::Client> client,
         std::shared_ptr<CredentialChain> credentials);

  // A request that is signed at every try. `key` is a whole key, or empty for the bucket itself. The bucket and the
  // views in `body` have to outlive it.
  http::Call call(std::string method, std::string_view key, Query query = {}, http::Headers headers = {},
                  std::vector<ByteView> body = {});
  http::Client& client() { return *client_; }
  const Settings& settings() const { return settings_; }

  // "s3://bucket/key"
  std::string uri(std::string_view key) const;
  // The service and the bucket, however they were spelled.
  std::string identity() const;

  // 404 NoSuchKey, and 403 where the settings say that it means the same.
  bool absent(const http::Call& call) const;
  static bool ok(const http::Call& call);
  // Throws the Error of an answer that is not what was hoped for.
  [[noreturn]] void fail_answer(const http::Call& call) const;
  // Headers of a new object: encryption, storage class.
  http::Headers object_headers() const;

 private:
  struct Place {
    std::string scheme, host, path;
  };
  // What a try was made with. Others under way may have learned better meanwhile, which is a reason to try again.
  struct Used {
    Credentials credentials;
    std::string region;
    std::int64_t clock_error = 0;
  };
  Place place_of(std::string_view key, const std::string& region) const;
  void prepare(http::Request& request, std::string_view key, const std::string& query, const std::string& payload_hash,
               Used& used);
  http::Verdict judge(const http::Answer& answer, const Used& used);
  bool learn_region(const http::Answer& answer, const Answered& answered, const Used& used);
  bool learn_time(const http::Answer& answer, const Used& used);

  std::string name_;
  Settings settings_;
  std::shared_ptr<http::Client> client_;
  std::shared_ptr<CredentialChain> credentials_;
  mutable std::mutex mutex_;
  std::string region_;
  std::atomic<std::int64_t> clock_error_{0};  // seconds that the server is ahead
};

}  // namespace tegula::s3
