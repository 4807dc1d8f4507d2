// One pool of threads per process, created at first use and grown to what loops ask for. A loop is a shared counter:
// the caller works on it itself and only *offers* it to the pool, so a loop never waits for a free worker. That is why
// nested loops cannot deadlock and why a loop of one thread touches no pool at all.
//
// fork() copies the pool's memory but not its threads. The child notices by its process id and makes a new pool; the
// old one is abandoned, since its locks may be in any state. General schedulers (oneTBB) do not survive this, which is
// why there is one here.
#include "base/parallel.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/context.h"
#include "base/current_work.h"
#include "tegula/error.h"

namespace tegula {

namespace {

class Loop {
 public:
  Loop(const Work& work, std::size_t n, const std::function<void(std::size_t)>& body)
      : work_(work), n_(n), body_(body), context_(ContextNode::current()) {}

  // Runs indices until none are left; returns at once when the loop is over.
  void run() {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      ++inside_;
    }
    {
      const ContextNode::Adopt adopt(context_);
      const CurrentWork current(work_);
      for (;;) {
        const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
        if (i >= n_) break;
        try {
          work_.check();
          body_(i);
        } catch (...) {
          next_.store(n_, std::memory_order_relaxed);
          const std::lock_guard lock(mutex_);
          if (!error_) error_ = std::current_exception();
        }
      }
    }
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) idle_.notify_all();
  }

  // Called after run() on the calling thread: no index is left, so it waits only for workers that are still running
  // one.
  void finish() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return inside_ == 0; });
    closed_ = true;
    // Moved out of the loop object, whose last owner may be a late worker, after the caller has handled the error.
    const std::exception_ptr error = std::exchange(error_, nullptr);
    lock.unlock();
    if (error) std::rethrow_exception(error);
  }

 private:
  const Work& work_;
  const std::size_t n_;
  const std::function<void(std::size_t)>& body_;
  const ContextNode* const context_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable idle_;
  int inside_ = 0;
  bool closed_ = false;  // a late worker must not touch the caller's objects
  std::exception_ptr error_;
};

class Pool {
 public:
  static Pool& instance();

  void offer(const std::shared_ptr<Loop>& loop, unsigned helpers) {
    const std::lock_guard lock(mutex_);
    try {
      for (; threads_ < helpers; ++threads_) std::thread([this] { work(); }).detach();
    } catch (const std::system_error&) {
      // The system grants no more threads: those that are there share the loop with its caller, who needs none of them.
    }
    for (unsigned i = 0; i < std::min(helpers, threads_); ++i) queue_.push_back(loop);
    ready_.notify_all();
  }

 private:
  void work() {
    for (;;) {
      std::shared_ptr<Loop> loop;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [this] { return !queue_.empty(); });
        loop = std::move(queue_.front());
        queue_.pop_front();
      }
      loop->run();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::shared_ptr<Loop>> queue_;
  unsigned threads_ = 0;
};

struct PoolSlot {
  pid_t owner = 0;
  Pool* pool = nullptr;
};

// Never destroyed: workers may still be parked in it while the process exits.
Pool& Pool::instance() {
  static std::atomic<PoolSlot*> slot{nullptr};
  const pid_t self = ::getpid();
  PoolSlot* current = slot.load(std::memory_order_acquire);
  while (!current || current->owner != self) {
    auto* fresh = new PoolSlot{self, new Pool};
    if (slot.compare_exchange_strong(current, fresh, std::memory_order_acq_rel)) return *fresh->pool;
    delete fresh->pool;
    delete fresh;
  }
  return *current->pool;
}

}  // namespace

unsigned thread_count(const Work& work) noexcept {
  constexpr unsigned kMost = 256;
  return std::clamp(work.threads ? work.threads : std::thread::hardware_concurrency(), 1u, kMost);
}

void parallel_for(const Work& work, std::size_t n, const std::function<void(std::size_t)>& body) {
  const unsigned threads = static_cast<unsigned>(std::min<std::size_t>(thread_count(work), n));
  if (threads <= 1) {
    const CurrentWork current(work);
    for (std::size_t i = 0; i < n; ++i) {
      work.check();
      body(i);
    }
    return;
  }
  const auto loop = std::make_shared<Loop>(work, n, body);
  Pool::instance().offer(loop, threads - 1);
  loop->run();
  loop->finish();
}

}  // namespace tegula
