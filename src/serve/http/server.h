// A server of HTTP/1.1 on sockets: one thread a connection, within limits.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "serve/http/answer.h"
#include "serve/http/request.h"

namespace tegula::serve {

// What a connection may take. A client that is slower is cut off.
struct Limits {
  unsigned connections = 256;              // more are told to come back later
  std::chrono::milliseconds idle{60000};   // between requests
  std::chrono::milliseconds head{10000};   // from the first byte of a request to its last
  std::chrono::milliseconds stall{30000};  // without a byte of the answer taken
  std::uint64_t waiting = 1ull << 30;      // bytes of all answers that wait to be sent
  std::chrono::milliseconds grace{10000};  // for answers under way when the server stops
};

// What happened, for logs.
struct Exchange {
  std::string client;
  const Request* request = nullptr;  // null: it was not understood
  const Answer* answer = nullptr;
  std::uint64_t sent = 0;  // bytes
  bool complete = false;   // false: the client went away
  double seconds = 0;
};

class Server {
 public:
  // Called by several threads at once; what it throws becomes status 500.
  using Handler = std::function<Answer(const Request&)>;
  using Observer = std::function<void(const Exchange&)>;

  // Binds and listens. Port 0 takes a free one. Throws io when the address cannot be used or the port is taken.
  Server(const std::string& address, std::uint16_t port, Limits limits, Handler handler, Observer observer = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return port_; }
  unsigned connections() const { return connections_; }

  // Serves until stop(); then completes what is under way, within Limits::grace.
  void run();
  // From any thread or a signal handler.
  void stop() noexcept;

 private:
  class Connection;
  bool wait(int socket, short events, std::chrono::milliseconds most, bool until_stop) const;
  void accept_one();

  const Limits limits_;
  const Handler handler_;
  const Observer observer_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};  // a pipe: readable once stop() was called
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<unsigned> connections_{0};
  std::atomic<std::uint64_t> waiting_{0};
  std::mutex mutex_;
  std::set<int> sockets_;  // of the connections
};

// Is it an address that only this machine reaches?
bool is_loopback(const std::string& address);

}  // namespace tegula::serve
