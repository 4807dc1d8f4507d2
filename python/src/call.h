// Calls from Python into the library.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "base/cancel_poll.h"
#include "tegula/error.h"
#include "tegula/work.h"

namespace tegula::python {

namespace nb = nanobind;

// Settings of a handle that apply to each of its operations.
struct Settings {
  unsigned threads = 0;
  std::uint64_t memory = 2ull << 30;
  Work work() const;
};

// One call into the library: releases the interpreter lock around it, and between pieces of work looks for signals and
// reports progress, both on the calling thread and a few times a second. `progress` is None or f(what, done, total); it
// must outlive the call. What a signal handler or `progress` raises ends the work and is what Python sees.
class Call final : private CancelPoll, private Progress {
 public:
  explicit Call(const Settings& settings = {}, nb::handle progress = {});

  template <class F>
  auto operator()(F&& body) {
    try {
      const nb::gil_scoped_release release;
      return body(work_);
    } catch (const Error& error) {
      if (raised_) throw nb::python_error(*raised_);
      throw;
    }
  }
  // After the work: the last report.
  void finish();

 private:
  void poll() override;
  void begin(std::string_view what, std::uint64_t total) override;
  void advance(std::uint64_t by) override;
  void end() override {}
  bool report();

  Work work_;
  nb::handle progress_;
  std::chrono::steady_clock::time_point due_;
  std::optional<nb::python_error> raised_;
  std::mutex mutex_;
  std::string what_;
  std::atomic<std::uint64_t> done_{0}, total_{0};
};

}  // namespace tegula::python
