// A bucket of S3, of a server that speaks like it, or of Google Cloud Storage.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "store/objects/bucket.h"

namespace tegula::s3 {

class S3Bucket final : public objects::Bucket {
 public:
  // `name` as in s3://NAME/key.
  S3Bucket(std::string name, objects::Settings settings, std::shared_ptr<http::Client> client,
           std::shared_ptr<objects::CredentialChain> credentials);

  std::string uri(std::string_view key) const override;
  std::string identity() const override;
  // 404 NoSuchKey, and 403 where the settings say that it means the same.
  bool absent(const http::Call& call) const override;
  http::Headers object_headers() const override;
  http::Headers condition(const std::string& state) const override;
  std::string_view state_header() const override;
  objects::Query list_query(const std::string& prefix, bool one_level, std::size_t most,
                            const std::string& token) const override;
  objects::ListPage read_list_page(ByteView xml, std::string_view where) const override;
  // A thousand by one request where the service knows such requests.
  void remove(std::span<const std::string> keys) override;
  std::unique_ptr<objects::Parts> begin_parts(std::string key) override;

 private:
  bool google() const { return settings().service == objects::Service::google; }
  // Of a key, in a region.
  Place place(std::string_view key, const std::string& region) const;
  void prepare(http::Request& request, const Target& target, Used& used) override;
  http::Verdict judge(const http::Answer& answer, const Used& used) override;
  http::Headers usual_headers() const override;
  std::string payload_hash(std::span<const ByteView> body) const override { return objects::sha256_hex(body); }
  Meaning meaning_of(int status, std::string_view code) const override;
  bool learn_region(const http::Answer& answer, const objects::Answered& answered, const Used& used);

  std::string name_;
  mutable std::mutex mutex_;
  std::string region_;
};

}  // namespace tegula::s3
