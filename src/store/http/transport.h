// The one way to the network, which tests replace by a simulated one.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "store/http/http.h"

namespace tegula::http {

// One request under way, once: no second try.
struct Exchange {
  const Request* request = nullptr;
  Answer answer;
};

// Exchanges that run side by side, on the thread that waits for them. Destroying it ends those that are under way.
class Exchanges {
 public:
  virtual ~Exchanges() = default;
  // Borrowed until wait() has returned it.
  virtual void start(Exchange& exchange) = 0;
  // The exchanges that have ended, once there is one or the time is over. Rethrows what a sink threw.
  virtual std::vector<Exchange*> wait(std::chrono::milliseconds most) = 0;
};

// Connections are kept from one set of exchanges to the next. Thread-safe. Has no threads, and works on in a child
// after fork().
class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::unique_ptr<Exchanges> begin() = 0;
};

struct TransportOptions {
  std::string ca_file;           // certificates to trust; empty: the system's
  bool verify_tls = true;        // check certificates and host names
  std::string proxy;             // empty: https_proxy, http_proxy and no_proxy
  std::size_t connections = 64;  // kept open
};

// By libcurl, which is loaded here. Throws Error(unsupported), naming the package, when it is not installed.
std::shared_ptr<Transport> open_transport(const TransportOptions& options = {});

}  // namespace tegula::http
