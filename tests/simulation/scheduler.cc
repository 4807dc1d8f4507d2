#include "simulation/scheduler.h"

#include <cstdio>
#include <cstdlib>

namespace tegula::simulation {

void Actor::step() {
  Scheduler& all = scheduler_;
  std::unique_lock lock(all.mutex_);
  // A call from another thread would run beside whoever has the baton: the order would no longer be the seed's.
  if (std::this_thread::get_id() != all.places_[number_]->thread.get_id()) {
    std::fprintf(stderr, "simulation: a call of %s from a thread of its own\n", name_.c_str());
    std::abort();
  }
  ++all.time_;
  all.run_late(false);
  all.pass_on();
  all.wait_for_turn(lock, number_);
}

std::uint64_t Actor::below(std::uint64_t n) { return scheduler_.below(n); }

Scheduler::~Scheduler() {
  for (const auto& place : places_)
    if (place->thread.joinable()) place->thread.join();
}

void Scheduler::add(std::string name, std::function<void(Actor&)> life) {
  auto place = std::make_unique<Place>();
  place->actor = std::make_unique<Actor>(*this, places_.size(), std::move(name));
  place->life = std::move(life);
  places_.push_back(std::move(place));
}

void Scheduler::run() {
  std::unique_lock lock(mutex_);
  for (const auto& place : places_) place->thread = std::thread([this, &place] { live(*place); });
  pass_on();
  ended_.wait(lock, [&] { return turn_ == kNobody; });
  run_late(true);
  if (failure_) std::rethrow_exception(failure_);
}

void Scheduler::later(std::uint64_t most, std::function<void()> act) {
  late_.emplace_back(time_ + 1 + below(most), std::move(act));
}

void Scheduler::run_late(bool all) {
  for (std::size_t i = 0; i < late_.size();) {
    if (!all && late_[i].first > time_) {
      ++i;
      continue;
    }
    const std::function<void()> act = std::move(late_[i].second);
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
    act();
  }
}

void Scheduler::pass_on() {
  std::vector<std::size_t> alive;
  std::size_t hungriest = kNobody;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i]->ended) continue;
    alive.push_back(i);
    if (hungriest == kNobody || places_[i]->last < places_[hungriest]->last) hungriest = i;
  }
  if (alive.empty()) {
    turn_ = kNobody;
    ended_.notify_one();
    return;
  }
  turn_ = alive[below(alive.size())];
  if (time_ - places_[hungriest]->last > kMostWait) turn_ = hungriest;
  places_[turn_]->last = time_;
  places_[turn_]->turn.notify_one();
}

void Scheduler::wait_for_turn(std::unique_lock<std::mutex>& lock, std::size_t number) {
  places_[number]->turn.wait(lock, [&] { return turn_ == number; });
}

void Scheduler::live(Place& place) {
  {
    std::unique_lock lock(mutex_);
    wait_for_turn(lock, place.actor->number());
  }
  std::exception_ptr failure;
  try {
    place.life(*place.actor);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::unique_lock lock(mutex_);
  if (failure && !failure_) failure_ = failure;
  place.ended = true;
  pass_on();
}

}  // namespace tegula::simulation
