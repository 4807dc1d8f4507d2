// What the server answers: who may ask, from where, and which part of it answers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <span>
#include <string>
#include <vector>

#include "serve/api/api.h"
#include "serve/http/answer.h"
#include "serve/http/request.h"
#include "serve/http/server.h"
#include "serve/view/view.h"

namespace tegula::serve {

struct ServiceOptions {
  std::string token;               // empty: nobody is asked for one
  std::vector<std::string> hosts;  // names the server answers to; empty: any. Against pages that rebind names
  std::vector<std::string> cors;   // origins of pages that may read; "*": all. Pages of this machine always may
  bool compress = false;           // answers to clients that take it
  unsigned at_once = 4;            // requests that are worked on; others wait
};

// Counts since the start.
struct Counts {
  std::atomic<std::uint64_t> requests{0}, bytes{0}, cut_off{0}, refused{0};
  std::array<std::atomic<std::uint64_t>, 6> by_class{};  // by the first digit of the status
  std::atomic<std::uint64_t> microseconds{0};
};

// Thread-safe.
class Service {
 public:
  Service(std::shared_ptr<Tree> tree, ServiceOptions options);

  // Never throws for what a client sends or an array holds: 404 for what is not there, 422 for what is there and cannot
  // be read or served, 503 for what passes.
  Answer handle(const Request& request);
  void count(const Exchange& exchange);
  // The path of a request without its token, for logs.
  static std::string shown_path(const Request& request);

 private:
  bool allowed_host(const Request& request) const;
  // Removes the token from the path. False: there is none, or a wrong one.
  bool admit(const Request& request, std::span<const std::string>& path) const;
  void add_cors(const Request& request, Answer& answer) const;
  Answer route(const Request& request, std::span<const std::string> path);
  Answer zarr(const Request& request, int version, std::span<const std::string> path);
  Answer api(const Request& request, std::span<const std::string> path);
  Answer metrics() const;

  const std::shared_ptr<Tree> tree_;
  const ServiceOptions options_;
  View view_;
  Api api_;
  Counts counts_;
  std::counting_semaphore<> free_;
};

}  // namespace tegula::serve
