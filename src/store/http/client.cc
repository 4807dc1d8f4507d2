#include "store/http/client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <queue>
#include <random>

#include "base/current_work.h"

namespace tegula::http {

namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock::time_point;

class RealClock final : public Clock {
 public:
  Time now() override { return std::chrono::steady_clock::now(); }
  std::chrono::system_clock::time_point date() override { return std::chrono::system_clock::now(); }
  double random() override {
    const std::lock_guard lock(mutex_);
    return std::uniform_real_distribution<double>(0, 1)(engine_);
  }

 private:
  std::mutex mutex_;
  std::minstd_rand engine_{std::random_device{}()};
};

// How often a waiting run() looks whether it has been cancelled.
constexpr milliseconds kLook{100};

// A region, then new keys, then the right time: more corrections than these there are not.
constexpr unsigned kMostAtOnce = 3;

// Seconds, or a date.
std::optional<milliseconds> retry_after(const Answer& answer, Clock& clock) {
  const std::string* text = find(answer.headers, "retry-after");
  if (!text) return std::nullopt;
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error == std::errc() && end == text->data() + text->size()) return milliseconds(1000ull * seconds);
  const auto when = parse_date(*text);
  if (!when) return std::nullopt;
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(*when - clock.date()));
}

struct State : Exchange {
  Time first;
  unsigned at_once = 0;  // tries that followed without a pause
};

// The requests that one run() has under way, counted among those of all.
class UnderWay {
 public:
  explicit UnderWay(std::atomic<std::size_t>& all) : all_(all) {}
  ~UnderWay() { all_ -= own_; }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  void add() { ++own_, ++all_; }
  void drop() { --own_, --all_; }
  std::size_t own() const { return own_; }
  std::size_t all() const { return all_; }

 private:
  std::atomic<std::size_t>& all_;
  std::size_t own_ = 0;
};

struct Delayed {
  Time due;
  std::size_t call;
  bool operator>(const Delayed& other) const { return due > other.due; }
};

std::uint64_t body_size(const Request& request) {
  std::uint64_t size = 0;
  for (const ByteView part : request.body) size += part.size();
  return size;
}

}  // namespace

std::shared_ptr<Clock> real_clock() { return std::make_shared<RealClock>(); }

Verdict usual_verdict(const Answer& answer) {
  switch (answer.failure) {
    case Failure::connect:
    case Failure::transfer:
      return Verdict::again;
    case Failure::limit:
    case Failure::fatal:
      return Verdict::done;
    case Failure::none:
      break;
  }
  for (const int status : {408, 429, 500, 502, 503, 504})
    if (answer.status == status) return Verdict::again;
  return Verdict::done;
}

Client::Client(std::shared_ptr<Transport> transport, Limits limits, std::shared_ptr<Clock> clock, Observer observer,
               std::shared_ptr<Traffic> traffic)
    : transport_(std::move(transport)),
      limits_(limits),
      clock_(std::move(clock)),
      observer_(std::move(observer)),
      traffic_(traffic ? std::move(traffic) : std::make_shared<Traffic>()),
      owner_(::getpid()) {}

// When to try again, or nothing when there is no next try.
std::optional<Time> Client::next_try(const Call& call, Time first) {
  unsigned most = limits_.tries;
  if (call.answer.failure == Failure::connect && !answered_) most = std::min(most, limits_.connect_tries);
  if (call.tries >= most) return std::nullopt;
  double pause = static_cast<double>(limits_.first_pause.count());
  for (unsigned i = 1; i < call.tries; ++i) pause *= 2;
  pause = std::min(pause, static_cast<double>(limits_.longest_pause.count())) * clock_->random();
  milliseconds wait(static_cast<std::int64_t>(pause));
  if (const auto asked = retry_after(call.answer, *clock_)) wait = std::max(wait, *asked);
  const Time due = clock_->now() + wait;
  if (due > first + limits_.all_tries) return std::nullopt;
  return due;
}

void Client::run(std::span<Call> calls, const Work& work, const std::function<void(std::size_t)>& done) {
  std::vector<State> states(calls.size());
  std::priority_queue<Delayed, std::vector<Delayed>, std::greater<>> delayed;
  const std::unique_ptr<Exchanges> exchanges = transport_->begin();
  std::size_t fresh = 0, left = calls.size();
  // Those of the threads of a parent process are not under way here.
  if (owner_.exchange(::getpid()) != ::getpid()) under_way_ = 0;
  UnderWay under_way(under_way_);
  const auto may_start = [&] { return under_way.own() == 0 || under_way.all() < limits_.at_once; };

  const auto start = [&](std::size_t i) {
    Call& call = calls[i];
    if (call.tries == 0) states[i].first = clock_->now();
    ++call.tries;
    if (call.prepare) call.prepare(call.request);
    states[i].request = &call.request;
    exchanges->start(states[i]);
    under_way.add();
  };
  const auto ended = [&](std::size_t i) {
    Call& call = calls[i];
    under_way.drop();
    call.answer = std::move(states[i].answer);
    traffic_->requests += 1;
    traffic_->retries += call.tries > 1;
    traffic_->received += call.answer.received;
    traffic_->sent += body_size(call.request);
    if (call.answer.failure == Failure::none) answered_ = true;
    if (observer_) observer_(call);
    const Verdict verdict = call.judge(call.answer);
    if (verdict == Verdict::again_now && states[i].at_once < kMostAtOnce) {
      ++states[i].at_once;
      delayed.push({clock_->now(), i});
      return;
    }
    if (verdict == Verdict::again) {
      if (const std::optional<Time> due = next_try(call, states[i].first)) {
        delayed.push({*due, i});
        return;
      }
    }
    --left;
    if (done) done(i);
  };

  while (left > 0) {
    work.cancel ? work.cancel->check() : CurrentWork::check();
    while (may_start() && !delayed.empty() && delayed.top().due <= clock_->now()) {
      const std::size_t i = delayed.top().call;
      delayed.pop();
      start(i);
    }
    while (may_start() && fresh < calls.size()) start(fresh++);
    milliseconds most = kLook;
    if (!delayed.empty() && may_start())
      most = std::clamp(std::chrono::ceil<milliseconds>(delayed.top().due - clock_->now()), milliseconds(0), most);
    for (const Exchange* exchange : exchanges->wait(most))
      ended(static_cast<std::size_t>(static_cast<const State*>(exchange) - states.data()));
  }
}

std::string failure_text(const Answer& answer) {
  if (answer.failure != Failure::none) return answer.failure_text;
  return fmt::format("the server answered {}", answer.status);
}

std::string trace_line(const Call& call) {
  const Answer& answer = call.answer;
  std::string line = fmt::format("{} {}", call.request.method, call.key.empty() ? "/" : call.key);
  if (!call.range.empty()) line += " " + call.range;
  line += answer.failure == Failure::none ? fmt::format(" {}", answer.status) : " " + answer.failure_text;
  if (const std::uint64_t sent = body_size(call.request)) line += fmt::format(" {} bytes sent", sent);
  if (answer.received > 0) line += fmt::format(" {} bytes", answer.received);
  line += fmt::format(" {:.1f} ms", static_cast<double>(answer.took.count()) / 1000);
  if (call.tries > 1) line += fmt::format(" try {}", call.tries);
  return line;
}

}  // namespace tegula::http
