// The transport by libcurl's multi interface.

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/fail.h"
#include "store/http/curl_request.h"
#include "store/http/pipe_signal.h"
#include "store/http/transport.h"

namespace tegula::http {

namespace {

using curl::EasyRequest;
using curl::Library;

constexpr std::size_t kMostIdle = 4;  // lanes that keep their connections though nobody uses them

// A multi handle with its connections, and requests that are not under way.
struct Lane {
  explicit Lane(const Library& library) : curl(library), multi(library.multi_init()) {
    if (!multi) throw std::bad_alloc();
  }
  ~Lane() {
    const NoPipeSignal no_signal;
    idle.clear();
    curl.multi_cleanup(multi);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  const Library& curl;
  curl::Multi* multi;
  std::vector<std::unique_ptr<EasyRequest>> idle;
};

// The lanes that nobody uses now; the one that was used last is taken first, because its connections are the freshest.
class Lanes {
 public:
  Lanes(const Library& curl, TransportOptions options)
      : curl_(curl), options_(std::move(options)), owner_(::getpid()) {}
  ~Lanes() { forget_those_of_the_parent(); }

  std::unique_ptr<Lane> take() {
    const std::lock_guard lock(mutex_);
    forget_those_of_the_parent();
    if (!idle_.empty()) {
      std::unique_ptr<Lane> lane = std::move(idle_.back());
      idle_.pop_back();
      return lane;
    }
    auto lane = std::make_unique<Lane>(curl_);
    curl_.multi_setopt(lane->multi, curl::kMaxConnections, static_cast<long>(options_.connections));
    return lane;
  }
  void give_back(std::unique_ptr<Lane> lane) {
    std::unique_ptr<Lane> surplus;  // closed behind the lock
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(lane));
    if (idle_.size() <= kMostIdle) return;
    surplus = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
  const Library& library() const { return curl_; }
  const TransportOptions& options() const { return options_; }
  pid_t owner() const { return owner_; }

 private:
  // After fork() both processes would speak on the same connections, and closing them would say goodbye on them.
  void forget_those_of_the_parent() {
    if (owner_ == ::getpid()) return;
    for (std::unique_ptr<Lane>& lane : idle_) static_cast<void>(lane.release());
    idle_.clear();
    owner_ = ::getpid();
  }

  const Library& curl_;
  TransportOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;
  pid_t owner_;
};

class CurlExchanges final : public Exchanges {
 public:
  explicit CurlExchanges(std::shared_ptr<Lanes> lanes) : lanes_(std::move(lanes)), lane_(lanes_->take()) {}
  ~CurlExchanges() override {
    const NoPipeSignal no_signal;
    for (std::unique_ptr<EasyRequest>& request : running_) {
      lane_->curl.multi_remove_handle(lane_->multi, request->handle());
      request.reset();
    }
    lanes_->give_back(std::move(lane_));
  }

  void start(Exchange& exchange) override {
    std::unique_ptr<EasyRequest> request;
    if (lane_->idle.empty()) {
      request = std::make_unique<EasyRequest>(lane_->curl);
    } else {
      request = std::move(lane_->idle.back());
      lane_->idle.pop_back();
    }
    request->prepare(exchange, lanes_->options());
    running_.push_back(std::move(request));
    if (lane_->curl.multi_add_handle(lane_->multi, running_.back()->handle()) != curl::kOk) {
      running_.pop_back();
      fail(ErrorKind::io, "libcurl cannot start a request");
    }
  }

  std::vector<Exchange*> wait(std::chrono::milliseconds most) override {
    const auto until = std::chrono::steady_clock::now() + most;
    for (;;) {
      const NoPipeSignal no_signal;  // libcurl leaves it to its callers
      int running = 0;
      if (lane_->curl.multi_perform(lane_->multi, &running) != curl::kOk)
        fail(ErrorKind::io, "libcurl cannot go on with its requests");
      std::vector<Exchange*> ended = collect();
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
      if (!ended.empty() || left <= 0) return ended;
      int ready = 0;
      lane_->curl.multi_poll(lane_->multi, nullptr, 0, static_cast<int>(left), &ready);
    }
  }

 private:
  std::vector<Exchange*> collect() {
    std::vector<Exchange*> ended;
    int left = 0;
    while (const curl::Message* message = lane_->curl.multi_info_read(lane_->multi, &left)) {
      if (message->kind != curl::kDone) continue;
      const int result = message->data.result;
      curl::Easy* easy = message->easy;
      const auto at = std::find_if(running_.begin(), running_.end(),
                                   [&](const std::unique_ptr<EasyRequest>& r) { return r->handle() == easy; });
      std::unique_ptr<EasyRequest> request = std::move(*at);
      *at = std::move(running_.back());
      running_.pop_back();
      lane_->curl.multi_remove_handle(lane_->multi, easy);
      const std::exception_ptr thrown = request->finish(result);
      ended.push_back(request->exchange());
      lane_->idle.push_back(std::move(request));
      if (thrown) std::rethrow_exception(thrown);
    }
    return ended;
  }

  std::shared_ptr<Lanes> lanes_;
  std::unique_ptr<Lane> lane_;
  std::vector<std::unique_ptr<EasyRequest>> running_;
};

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(const TransportOptions& options) : lanes_(std::make_shared<Lanes>(curl::library(), options)) {}
  std::unique_ptr<Exchanges> begin() override { return std::make_unique<CurlExchanges>(lanes_); }

 private:
  std::shared_ptr<Lanes> lanes_;
};

}  // namespace

std::shared_ptr<Transport> open_transport(const TransportOptions& options) {
  return std::make_shared<CurlTransport>(options);
}

}  // namespace tegula::http
