// Reusable objects for the bodies of parallel loops, which do not know their thread.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tegula::tiledb {

// A Lease takes an object from the pool, or makes one, and returns it at its end. Safe to share between threads.
template <class T>
class ObjectPool {
 public:
  class Lease {
   public:
    explicit Lease(ObjectPool& pool) : pool_(pool), object_(pool.take()) {}
    ~Lease() {
      if (object_) pool_.give(std::move(object_));
    }
    Lease(Lease&& other) noexcept = default;  // leaves nothing to give back
    Lease& operator=(Lease&&) = delete;
    T& operator*() { return *object_; }
    T* operator->() { return object_.get(); }

   private:
    ObjectPool& pool_;
    std::unique_ptr<T> object_;
  };

  // Frees the objects that nobody has.
  void clear() {
    const std::lock_guard lock(mutex_);
    free_.clear();
  }

 private:
  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> object = std::move(free_.back());
        free_.pop_back();
        return object;
      }
    }
    return std::make_unique<T>();
  }

  void give(std::unique_ptr<T> object) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      free_.push_back(std::move(object));
    } catch (...) {  // no memory to keep it: it is freed
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace tegula::tiledb
