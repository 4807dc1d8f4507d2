// Who asks: keys, and where they come from.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/http/client.h"

namespace tegula::objects {

// A pair of keys, a bearer token or a shared access signature. Empty: the request is anonymous. Never printed.
struct Credentials {
  std::string key_id, secret, token;  // token: of temporary keys
  std::string bearer;                 // sent in place of a signature
  std::optional<std::chrono::system_clock::time_point> expires;
  std::string sas = {};  // Azure: a query that is sent with every request
  bool operator==(const Credentials&) const = default;
};

// Looks up a variable of the environment; empty when it is not set.
using Environment = std::function<std::string(const std::string& name)>;
Environment process_environment();

// One place where keys may be. Returns nothing when it is not in use; throws when it is, but gives no keys.
struct CredentialSource {
  std::string name;  // "the profile 'work' in ~/.aws/credentials", for messages
  std::function<std::optional<Credentials>(http::Client&)> find;
};

// Keys that were given by name.
CredentialSource given_source(Credentials credentials);

// Asks the sources in turn, once, and the one that had keys again some minutes before these expire: when it then has
// none, the old ones are used as long as they are good. Thread-safe; a child of fork() does not wait for its parent.
class CredentialChain {
 public:
  CredentialChain(std::vector<CredentialSource> sources, std::shared_ptr<http::Client> client);

  // Anonymous when no source has keys, which is asked again after a minute. Throws Error(permission) when the keys have
  // expired and their source has no others.
  Credentials get();
  // Call it when a server refused `refused`: asks again. Returns whether there are other keys now.
  bool renew(const Credentials& refused);
  // The source of the keys in use, for messages.
  std::string source() const;

 private:
  using Time = std::chrono::system_clock::time_point;
  struct Found {
    Credentials credentials;
    std::optional<std::size_t> source;  // nothing: none has keys
    Time ask_again;
  };

  // What there is already when it fits, and otherwise what the sources say now.
  Credentials find(const std::function<bool(const Found&)>& fits);
  Found ask(const std::optional<Found>& before) const;

  std::vector<CredentialSource> sources_;
  std::shared_ptr<http::Client> client_;
  mutable std::mutex mutex_;
  std::optional<Found> found_;
  pid_t asking_ = 0;  // the process in which a thread asks
};

}  // namespace tegula::objects
