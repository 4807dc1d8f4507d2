// One thread fetches, wave after wave, and the others use what arrived. The one that fetches uses items itself when
// there is no room for the next wave, and after the last: so the loop ends even if it gets no other thread.
#include "store/wrap/fetch_each.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>

#include "base/current_work.h"
#include "base/parallel.h"
#include "store/wrap/known_store.h"

namespace tegula {

class FetchLoop {
 public:
  FetchLoop(const Store& store, const Work& work, std::size_t n, const std::function<void(std::size_t, Wants&)>& plan,
            const std::function<void(std::size_t, const Store&)>& body)
      : store_(store),
        work_(work),
        n_(n),
        plan_(plan),
        body_(body),
        room_(work.memory / 4),
        files_at_once_(std::size_t{8} * store.hints().in_flight) {}

  void run() {
    Work threads = work_;
    threads.threads = thread_count(work_) + 1;  // one of them waits most of the time
    threads.cancel = nullptr;  // those who use would wait for ever for a fetching one that was not begun
    parallel_for(threads, threads.threads, [&](std::size_t i) {
      const CurrentWork current(work_);
      try {
        if (i == 0)
          fetch();
        else
          use_all();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        fetched_ = true;
      }
      changed_.notify_all();
    });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  // Reads of one item, and then their bytes.
  struct Item {
    std::size_t number = 0;
    Wants wants;
    std::uint64_t bytes = 0;
    std::size_t left = 0;  // ranges that have not arrived
    std::vector<Bytes> buffers;
    std::deque<std::string> states;  // of the files that the ranges are of
    std::vector<RangeRead> reads;
    std::vector<std::optional<Tail>> tails;
  };
  using Wave = std::vector<std::unique_ptr<Item>>;

  void fetch() {
    std::unique_ptr<Item> next;
    for (std::size_t i = 0; i < n_ || next;) {
      Wave wave;
      std::uint64_t bytes = 0;
      std::size_t files = 0;
      // Half of the room, so that a wave is used while the next is fetched.
      while (i < n_ || next) {
        if (!next) next = planned(i++);
        if (!wave.empty() && (bytes + next->bytes > room_ / 2 || files + next->wants.files_.size() > files_at_once_))
          break;
        bytes += next->bytes;
        files += next->wants.files_.size();
        wave.push_back(std::move(next));
      }
      if (!make_room(bytes)) return;
      fetch(wave);
    }
    {
      const std::lock_guard lock(mutex_);
      fetched_ = true;
    }
    changed_.notify_all();
    use_all();
  }

  std::unique_ptr<Item> planned(std::size_t i) {
    work_.check();
    auto item = std::make_unique<Item>();
    item->number = i;
    plan_(i, item->wants);
    // A claim that large is not believed before somebody has looked at the file: the item reads for itself.
    std::erase_if(item->wants.ranges_, [&](const Wants::Range& range) { return range.length > room_; });
    for (const Wants::Range& range : item->wants.ranges_) item->bytes += range.length;
    for (const Wants::File& file : item->wants.files_) item->bytes += std::min(file.most, file.expected);
    return item;
  }

  // False when the loop is over.
  bool make_room(std::uint64_t bytes) {
    std::unique_lock lock(mutex_);
    while (held_ > 0 && held_ + bytes > room_) {
      if (error_) return false;
      if (!ready_.empty())
        use_one(lock);
      else
        changed_.wait(lock);
    }
    held_ += bytes;
    return !error_;
  }

  void fetch(Wave& wave) {
    fetch_files(wave);
    std::vector<RangeRead> reads;
    std::vector<std::size_t> owners, places;  // of each read: its item, and its place there
    std::deque<std::string> keys;             // the store may look at them after the item of a read is gone
    for (std::size_t w = 0; w < wave.size(); ++w) {
      Item& item = *wave[w];
      item.left = item.wants.ranges_.size();
      for (const Wants::Range& range : item.wants.ranges_) {
        item.buffers.emplace_back(range.length);
        if (keys.empty() || keys.back() != range.key) keys.push_back(range.key);
        std::string* state = &item.states.emplace_back();
        reads.push_back({keys.back(), range.offset, item.buffers.back(), false, state});
        item.reads.push_back({range.key, range.offset, item.buffers.back(), false, state});
        owners.push_back(w);
        places.push_back(item.reads.size() - 1);
      }
    }
    for (std::unique_ptr<Item>& item : wave)
      if (item->left == 0) hand_over(std::move(item));
    if (reads.empty()) return;
    store_.fetch(reads, [&](std::size_t i) {
      std::unique_ptr<Item>& item = wave[owners[i]];
      {
        const std::lock_guard lock(mutex_);
        if (error_) std::rethrow_exception(error_);
        item->reads[places[i]].found = reads[i].found;
        if (--item->left > 0) return;
      }
      hand_over(std::move(item));
    });
  }

  void fetch_files(Wave& wave) {
    std::vector<FileRead> files;
    for (const std::unique_ptr<Item>& item : wave)
      for (const Wants::File& file : item->wants.files_) files.push_back({.key = file.key, .most = file.most});
    if (files.empty()) return;
    store_.get(std::span<FileRead>(files));
    std::size_t next = 0;
    for (const std::unique_ptr<Item>& item : wave)
      for (std::size_t f = 0; f < item->wants.files_.size(); ++f) item->tails.push_back(std::move(files[next++].found));
  }

  void hand_over(std::unique_ptr<Item> item) {
    {
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(item));
    }
    changed_.notify_one();
  }

  void use_all() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (error_) return;
      if (!ready_.empty())
        use_one(lock);
      else if (fetched_)
        return;
      else
        changed_.wait(lock);
    }
  }

  void use_one(std::unique_lock<std::mutex>& lock) {
    std::unique_ptr<Item> item = std::move(ready_.front());
    ready_.pop_front();
    const std::uint64_t bytes = item->bytes;
    lock.unlock();
    work_.check();
    KnownStore from(store_);
    for (const RangeRead& read : item->reads) from.learn(read);
    for (std::size_t f = 0; f < item->tails.size(); ++f)
      from.learn(item->wants.files_[f].key, item->wants.files_[f].most, std::move(item->tails[f]));
    body_(item->number, from);
    item.reset();
    lock.lock();
    held_ -= bytes;
    changed_.notify_all();
  }

  const Store& store_;
  const Work& work_;
  const std::size_t n_;
  const std::function<void(std::size_t, Wants&)>& plan_;
  const std::function<void(std::size_t, const Store&)>& body_;
  const std::uint64_t room_;
  const std::size_t files_at_once_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Item>> ready_;
  std::uint64_t held_ = 0;  // bytes being fetched, or not used yet
  bool fetched_ = false;
  std::exception_ptr error_;
};

void fetch_each(const Store& store, const Work& work, std::size_t n,
                const std::function<void(std::size_t, Wants&)>& plan,
                const std::function<void(std::size_t, const Store&)>& body) {
  if (n == 0) return;
  if (!store.hints().remote()) {
    parallel_for(work, n, [&](std::size_t i) { body(i, store); });
    return;
  }
  FetchLoop(store, work, n, plan, body).run();
}

}  // namespace tegula
