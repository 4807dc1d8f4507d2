#include "store/http/arrivals.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "base/context.h"
#include "base/current_work.h"
#include "base/parallel.h"

namespace tegula::http {

namespace {

class Arrivals {
 public:
  void add(std::size_t i) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(i);
    changed_.notify_one();
  }
  void end(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }
  // The next one; nothing when there will be no more. Looks for a cancellation now and then.
  std::optional<std::size_t> next() {
    std::unique_lock lock(mutex_);
    while (waiting_.empty() && !ended_) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
      lock.unlock();
      CurrentWork::check();
      lock.lock();
    }
    if (error_ || waiting_.empty()) return std::nullopt;
    const std::size_t i = waiting_.front();
    waiting_.pop_front();
    return i;
  }
  std::exception_ptr error() {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> waiting_;
  bool ended_ = false;
  std::exception_ptr error_;
};

}  // namespace

void use_arrivals(const std::function<void(const std::function<void(std::size_t)>& arrived)>& request,
                  const std::function<void(std::size_t)>& use) {
  const Work* current = CurrentWork::get();
  const Work work = current ? *current : Work{};
  Arrivals arrivals;
  Cancel stop;
  const ContextNode* context = ContextNode::current();
  const auto request_all = [&](const Cancel* cancel) {
    const ContextNode::Adopt adopted(context);
    Work stoppable = work;
    stoppable.cancel = cancel;
    const CurrentWork busy(stoppable);
    std::exception_ptr error;
    try {
      request([&](std::size_t i) { arrivals.add(i); });
    } catch (...) {
      error = std::current_exception();
    }
    arrivals.end(error);
  };
  std::thread requests;
  try {
    requests = std::thread(request_all, &stop);
  } catch (const std::system_error&) {
    // The system grants no thread: they are used when all have arrived.
    request_all(work.cancel);
  }
  std::exception_ptr thrown;
  try {
    parallel_for(work, thread_count(work), [&](std::size_t) {
      try {
        while (const std::optional<std::size_t> i = arrivals.next()) use(*i);
      } catch (...) {
        // The others must not go on waiting for what will not come.
        stop.request();
        arrivals.end(std::current_exception());
        throw;
      }
    });
  } catch (...) {
    thrown = std::current_exception();
    stop.request();
  }
  if (requests.joinable()) requests.join();
  if (thrown) std::rethrow_exception(thrown);
  if (arrivals.error()) std::rethrow_exception(arrivals.error());
}

}  // namespace tegula::http
