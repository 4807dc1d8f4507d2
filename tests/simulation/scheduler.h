// Actors that take turns, in an order that a seed decides.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace tegula::simulation {

class Scheduler;

// A thread that runs only while it has the baton.
class Actor {
 public:
  Actor(Scheduler& scheduler, std::size_t number, std::string name)
      : scheduler_(scheduler), number_(number), name_(std::move(name)) {}
  // Hands the baton to an actor that the seed chooses, perhaps this one, and returns when it comes back.
  void step();
  std::uint64_t below(std::uint64_t n);  // a number that the seed chooses
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  Scheduler& scheduler() const { return scheduler_; }
  std::size_t number() const { return number_; }
  const std::string& name() const { return name_; }

 private:
  Scheduler& scheduler_;
  const std::size_t number_;
  const std::string name_;
};

// Exactly one actor runs at a time, and which one is decided at each step. The same seed gives the same order.
class Scheduler {
 public:
  explicit Scheduler(std::uint64_t seed) : random_(seed) {}
  ~Scheduler();

  void add(std::string name, std::function<void(Actor&)> life);
  // Starts all actors and returns when the last one has ended. Rethrows what an actor threw.
  void run();

  std::uint64_t time() const { return time_; }  // steps so far
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  // Runs `act` after some more steps, at most `most`, or at the end.
  void later(std::uint64_t most, std::function<void()> act);

 private:
  friend class Actor;
  struct Place {
    std::unique_ptr<Actor> actor;
    std::function<void(Actor&)> life;
    std::condition_variable turn;
    std::uint64_t last = 0;  // when it last ran
    bool ended = false;
    std::thread thread;
  };
  static constexpr std::size_t kNobody = SIZE_MAX;
  static constexpr std::uint64_t kMostWait = 60;  // steps after which an actor runs whatever the seed says

  void pass_on();  // chooses the next actor
  void wait_for_turn(std::unique_lock<std::mutex>& lock, std::size_t number);
  void live(Place& place);
  void run_late(bool all);

  std::mt19937_64 random_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Place>> places_;
  std::condition_variable ended_;
  std::size_t turn_ = kNobody;
  std::uint64_t time_ = 0;
  std::vector<std::pair<std::uint64_t, std::function<void()>>> late_;
  std::exception_ptr failure_;
};

}  // namespace tegula::simulation
