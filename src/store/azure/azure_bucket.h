// A container of Azure's blob service.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "store/azure/azure_settings.h"
#include "store/objects/bucket.h"

namespace tegula::azure {

class AzureBucket final : public objects::Bucket {
 public:
  // The settings have an endpoint, which names the account.
  AzureBucket(const BlobUri& uri, objects::Settings settings, std::shared_ptr<http::Client> client,
              std::shared_ptr<objects::CredentialChain> credentials);

  std::string uri(std::string_view key) const override;
  std::string identity() const override;
  // 404 BlobNotFound, and 403 where the settings say that it means the same.
  bool absent(const http::Call& call) const override;
  http::Headers object_headers() const override;
  bool condition_failed(const http::Call& call, const std::string& state) const override;
  bool suffix_ranges() const override { return false; }
  objects::Query list_query(const std::string& prefix, bool one_level, std::size_t most,
                            const std::string& token) const override;
  objects::ListPage read_list_page(ByteView xml, std::string_view where) const override;
  std::unique_ptr<objects::Parts> begin_parts(std::string key) override;

 private:
  void prepare(http::Request& request, const Target& target, Used& used) override;
  http::Verdict judge(const http::Answer& answer, const Used& used) override;
  http::Headers usual_headers() const override;
  std::string code_of(const http::Answer& answer) const override;
  Meaning meaning_of(int status, std::string_view code) const override;

  std::string container_;
  std::string shown_;  // the container, and the account as far as the URI named it
};

}  // namespace tegula::azure
