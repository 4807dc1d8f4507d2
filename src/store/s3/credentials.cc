#include "store/s3/credentials.h"

#include <cstdlib>

namespace tegula::s3 {

namespace {

constexpr std::chrono::minutes kBeforeTheyExpire{5};

}  // namespace

Environment process_environment() {
  return [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value ? value : "");
  };
}

CredentialChain::CredentialChain(std::vector<CredentialSource> sources, std::shared_ptr<http::Client> client)
    : sources_(std::move(sources)), client_(std::move(client)) {}

void CredentialChain::find() {
  for (const CredentialSource& source : sources_) {
    if (std::optional<Credentials> credentials = source.find(*client_)) {
      found_ = std::move(credentials);
      source_ = source.name;
      return;
    }
  }
  found_ = Credentials{};
  source_ = "none";
}

Credentials CredentialChain::get() {
  const std::lock_guard lock(mutex_);
  if (!found_ || (found_->expires && *found_->expires - client_->clock().date() < kBeforeTheyExpire)) find();
  return *found_;
}

bool CredentialChain::renew(const Credentials& refused) {
  const std::lock_guard lock(mutex_);
  if (found_ && *found_ != refused) return true;  // somebody else has asked meanwhile
  find();
  return *found_ != refused;
}

std::string CredentialChain::source() const {
  const std::lock_guard lock(mutex_);
  return source_;
}

}  // namespace tegula::s3
