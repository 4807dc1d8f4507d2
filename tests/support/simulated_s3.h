// An S3 store on a simulated network.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/s3/s3_store.h"
#include "support/simulated_network.h"

namespace tegula::testing {

using Handler = std::function<Reply(const http::Request&)>;

struct Simulated {
  std::shared_ptr<SimulatedNetwork> network;
  std::shared_ptr<Store> store;
};

inline Simulated simulated(Handler server, objects::Settings settings = {},
                           std::vector<objects::CredentialSource> sources = {}) {
  auto network = std::make_shared<SimulatedNetwork>(std::move(server));
  if (settings.endpoint.empty()) {
    settings.endpoint = "http://h:1";
    settings.virtual_addressing = false;
  }
  if (sources.empty())
    sources = {{"a test",
                [](http::Client&) { return std::optional(objects::Credentials{"KEY", "SECRET", "TOKEN", "", {}}); }}};
  auto client = std::make_shared<http::Client>(network, settings.limits, network->clock);
  return {network, s3::make_store("b", "p", settings, client, sources)};
}

// These replies in turn, the last one for ever.
inline Handler in_turn(std::vector<Reply> replies) {
  return [replies, next = std::size_t{0}](const http::Request&) mutable {
    return replies[std::min(next++, replies.size() - 1)];
  };
}

inline const Reply kFile = reply(200, "hello", {{"etag", "\"e\""}, {"content-length", "5"}});

}  // namespace tegula::testing
