// Requests with second tries, limits, traces and counts.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "store/http/http.h"
#include "store/http/transport.h"
#include "store/traffic.h"
#include "tegula/work.h"

namespace tegula::http {

// Time and chance, which tests replace.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::steady_clock::time_point now() = 0;
  virtual std::chrono::system_clock::time_point date() = 0;
  virtual double random() = 0;  // [0, 1)
};
std::shared_ptr<Clock> real_clock();

// A try is repeated after a random part of a pause that doubles from `first_pause` to `longest_pause`, or after what
// the server asks for (Retry-After).
struct Limits {
  unsigned tries = 8;
  unsigned connect_tries = 4;  // while no request of the client has ever been answered: the address may be wrong
  std::chrono::milliseconds first_pause{100}, longest_pause{10'000};
  std::chrono::seconds all_tries{120};  // none begins later than this after the first
  std::size_t at_once = 64;             // requests under way, of all threads; each may have one nevertheless
};

// What to do with an answer.
enum class Verdict : std::uint8_t {
  done,       // hand it to the caller, whatever it is
  again,      // try again after a pause, while the limits allow it; then it is `done`
  again_now,  // try again without a pause, a few times: `prepare` has something new to say (credentials, a region)
};
// By status and failure alone: 500, 502, 503, 504, 408, 429 and broken transfers are tried again.
Verdict usual_verdict(const Answer& answer);

struct Call {
  Request request;
  // Called before every try, to sign it.
  std::function<void(Request&)> prepare;
  std::function<Verdict(const Answer&)> judge = usual_verdict;
  std::string key;    // what traces call it
  std::string range;  // likewise, "" for the whole
  // Filled in:
  Answer answer;
  unsigned tries = 0;

  // The server may have done it before the answer came: by an earlier try, or one that the transport sent twice.
  bool maybe_done_before() const { return tries > 1 || answer.resent; }
};

// Hears of every try when it has ended; on the thread that ran it.
using Observer = std::function<void(const Call& call)>;

// Thread-safe; has no threads. Counts what it does in `traffic`, which several may share.
class Client {
 public:
  Client(std::shared_ptr<Transport> transport, Limits limits = {}, std::shared_ptr<Clock> clock = real_clock(),
         Observer observer = {}, std::shared_ptr<Traffic> traffic = nullptr);

  // Runs all calls, within Limits::at_once, and calls done(i) on this thread when call i has its answer.
  // Failures are not thrown: they are in Call::answer. Throws what `done`, `prepare` or a sink throws, and
  // Error(cancelled) within a second when `work` or the CancelPoll of this thread asks for it; requests under way are
  // then ended.
  void run(std::span<Call> calls, const Work& work, const std::function<void(std::size_t)>& done = {});
  void run(Call& call, const Work& work = {}) { run(std::span(&call, 1), work); }

  const Traffic& traffic() const { return *traffic_; }
  const Limits& limits() const { return limits_; }
  Clock& clock() const { return *clock_; }

 private:
  std::optional<std::chrono::steady_clock::time_point> next_try(const Call& call,
                                                                std::chrono::steady_clock::time_point first);

  std::shared_ptr<Transport> transport_;
  Limits limits_;
  std::shared_ptr<Clock> clock_;
  Observer observer_;
  std::shared_ptr<Traffic> traffic_;
  std::atomic<bool> answered_{false};
  std::atomic<std::size_t> under_way_{0};  // requests of all threads of `owner_`
  std::atomic<pid_t> owner_;
};

// "GET a/b.tdb bytes=0-99 206 100 bytes 12.3 ms", and "try 2" of a second try: a line of --trace-io.
std::string trace_line(const Call& call);
// What went wrong, for messages.
std::string failure_text(const Answer& answer);

}  // namespace tegula::http
