#include "store/objects/credentials.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/current_work.h"
#include "base/fail.h"

namespace tegula::objects {

namespace {

constexpr std::chrono::minutes kBeforeTheyExpire{5};
constexpr std::chrono::seconds kBetweenQuestions{30};       // to a source that had keys
constexpr std::chrono::seconds kUntilNoneIsAskedAgain{60};  // a service may have been silent for a moment

}  // namespace

Environment process_environment() {
  return [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value ? value : "");
  };
}

CredentialSource given_source(Credentials credentials) {
  return {"the store options", [given = std::move(credentials)](http::Client&) { return std::optional(given); }};
}

CredentialChain::CredentialChain(std::vector<CredentialSource> sources, std::shared_ptr<http::Client> client)
    : sources_(std::move(sources)), client_(std::move(client)) {}

CredentialChain::Found CredentialChain::ask(const std::optional<Found>& before) const {
  const Time now = client_->clock().date();
  // Sources other than that of the old keys would stand for somebody else, or for nobody.
  const bool known = before && before->source;
  const std::size_t first = known ? *before->source : 0, end = known ? first + 1 : sources_.size();
  const bool usable = known && before->credentials.expires && *before->credentials.expires > now;
  for (std::size_t i = first; i < end; ++i) {
    std::optional<Credentials> keys;
    try {
      keys = sources_[i].find(*client_);
    } catch (const Error& error) {
      if (!usable || error.kind() == ErrorKind::cancelled) throw;
    }
    if (!keys) continue;
    const Time due = keys->expires ? std::max(*keys->expires - kBeforeTheyExpire,
                                              std::min<Time>(*keys->expires, now + kBetweenQuestions))
                                   : Time::max();
    return {*std::move(keys), i, due};
  }
  if (!known) return {Credentials{}, std::nullopt, now + kUntilNoneIsAskedAgain};
  if (!usable && before->credentials.expires)
    fail(ErrorKind::permission, "the keys have expired, and {} gives no others", sources_[first].name);
  return {before->credentials, before->source,
          usable ? std::min<Time>(*before->credentials.expires, now + kBetweenQuestions) : before->ask_again};
}

// The lock is not held while services are asked: a child that is forked in that time would wait for it for ever.
Credentials CredentialChain::find(const std::function<bool(const Found&)>& fits) {
  std::unique_lock lock(mutex_);
  while (!(found_ && fits(*found_)) && asking_ == ::getpid()) {
    lock.unlock();
    CurrentWork::check();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    lock.lock();
  }
  if (found_ && fits(*found_)) return found_->credentials;
  asking_ = ::getpid();
  const std::optional<Found> before = found_;
  lock.unlock();
  try {
    Found found = ask(before);
    lock.lock();
    found_ = std::move(found);
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    asking_ = 0;
    throw;
  }
  asking_ = 0;
  return found_->credentials;
}

Credentials CredentialChain::get() {
  return find([&](const Found& found) { return client_->clock().date() < found.ask_again; });
}

bool CredentialChain::renew(const Credentials& refused) {
  return find([&](const Found& found) { return found.credentials != refused; }) != refused;
}

std::string CredentialChain::source() const {
  const std::lock_guard lock(mutex_);
  return found_ && found_->source ? sources_[*found_->source].name : "none";
}

}  // namespace tegula::objects
