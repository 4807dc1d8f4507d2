// A network that does what a test says: answers are made by a function, and time passes only when somebody waits.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/http/client.h"
#include "store/http/transport.h"

namespace tegula::testing {

class SimulatedClock final : public http::Clock {
 public:
  std::chrono::steady_clock::time_point now() override { return std::chrono::steady_clock::time_point(passed); }
  std::chrono::system_clock::time_point date() override { return start + passed; }
  double random() override { return chance; }

  std::chrono::system_clock::time_point start{std::chrono::seconds(1'369'353'600)};  // 24 May 2013, 0:00
  std::chrono::milliseconds passed{0};
  double chance = 1;
};

// What the server does with one try: an answer, or a failure of the transfer after some bytes of its body.
struct Reply {
  int status = 200;
  http::Headers headers;
  std::string body;
  http::Failure failure = http::Failure::none;
  std::string failure_text = {};
  std::chrono::milliseconds takes{1};
  bool resent = false;
};

inline Reply reply(int status, std::string body = "", http::Headers headers = {}) {
  return {status, std::move(headers), std::move(body)};
}
inline Reply broken(http::Failure failure, std::string text) { return {0, {}, "", failure, std::move(text)}; }
// <Error><Code>..
inline Reply refused(int status, const std::string& code, const std::string& more = "") {
  return {status, {}, "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code>" + more + "</Error>"};
}

class SimulatedNetwork final : public http::Transport, public std::enable_shared_from_this<SimulatedNetwork> {
 public:
  explicit SimulatedNetwork(std::function<Reply(const http::Request&)> server) : server_(std::move(server)) {}

  std::unique_ptr<http::Exchanges> begin() override;

  std::shared_ptr<SimulatedClock> clock = std::make_shared<SimulatedClock>();
  std::vector<std::string> requests;  // "GET http://host/path"
  std::size_t most_at_once = 0;

 private:
  friend class SimulatedExchanges;
  std::function<Reply(const http::Request&)> server_;
};

class SimulatedExchanges final : public http::Exchanges {
 public:
  explicit SimulatedExchanges(SimulatedNetwork& network) : network_(network) {}

  void start(http::Exchange& exchange) override {
    network_.requests.push_back(exchange.request->method + " " + exchange.request->url);
    Reply reply = network_.server_(*exchange.request);
    const auto ends = network_.clock->passed + reply.takes;
    under_way_.push_back({ends, &exchange, std::move(reply)});
    network_.most_at_once = std::max(network_.most_at_once, under_way_.size());
  }

  std::vector<http::Exchange*> wait(std::chrono::milliseconds most) override {
    const auto until = network_.clock->passed + most;
    const auto next = std::min_element(under_way_.begin(), under_way_.end(),
                                       [](const UnderWay& a, const UnderWay& b) { return a.ends < b.ends; });
    if (next == under_way_.end() || next->ends > until) {
      network_.clock->passed = until;
      return {};
    }
    network_.clock->passed = std::max(network_.clock->passed, next->ends);
    UnderWay ended = std::move(*next);
    under_way_.erase(next);
    deliver(*ended.exchange, ended.reply);
    return {ended.exchange};
  }

 private:
  struct UnderWay {
    std::chrono::milliseconds ends;
    http::Exchange* exchange;
    Reply reply;
  };

  static void deliver(http::Exchange& exchange, const Reply& reply) {
    http::Answer& answer = exchange.answer;
    answer = {};
    answer.status = reply.status;
    answer.headers = reply.headers;
    answer.failure = reply.failure;
    answer.failure_text = reply.failure_text;
    answer.resent = reply.resent;
    answer.received = reply.body.size();
    if (reply.status == 0) return;
    if (exchange.request->sink && (reply.status == 200 || reply.status == 206)) {
      exchange.request->sink->begin(reply.status, reply.headers);
      // In small pieces, as bodies come.
      answer.received = 0;
      http::Rest rest = http::Rest::wanted;
      for (std::size_t at = 0; at < reply.body.size() && rest == http::Rest::wanted; at += 7) {
        const ByteView bytes = bytes_of(std::string_view(reply.body).substr(at, 7));
        answer.received += bytes.size();
        exchange.request->sink->take(bytes);
        rest = exchange.request->sink->rest();
      }
      if (rest == http::Rest::too_large) {
        answer.failure = http::Failure::limit;
        answer.failure_text = "the answer is larger than expected";
      }
    } else if (reply.body.size() > exchange.request->body_limit) {
      answer.failure = http::Failure::limit;
      answer.failure_text = "the answer is larger than expected";
    } else {
      answer.body = copy_of(bytes_of(reply.body));
    }
  }

  SimulatedNetwork& network_;
  std::vector<UnderWay> under_way_;
};

inline std::unique_ptr<http::Exchanges> SimulatedNetwork::begin() {
  return std::make_unique<SimulatedExchanges>(*this);
}

}  // namespace tegula::testing
