// A store as one process sees it over a bad network, in a simulation.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulation/scheduler.h"
#include "store/store.h"

namespace tegula::simulation {

// One in so many calls meets it; 0: none does.
struct Troubles {
  std::uint64_t lost = 0;        // not carried out, and the caller is told so
  std::uint64_t unanswered = 0;  // a change that is carried out; the caller is told that it failed
  std::uint64_t late = 0;        // a change that is carried out after the caller was told that it failed
  std::uint64_t crash = 0;       // the process ends before or after the call
};

// What several processes share: the files, and a record of what was done with them.
struct Disk {
  std::shared_ptr<Store> files;
  std::map<std::string, std::uint64_t, std::less<>> changed = {};  // when a file was last written
  std::vector<std::string> trace = {};                             // a line for each call
  bool traced = false;
};

// One life of a process. Each call is a step of its actor. After a crash every call fails and nothing happens any more.
class Process {
 public:
  Process(Actor& actor, Disk& disk, const Troubles& troubles) : actor_(actor), disk_(disk), troubles_(troubles) {}
  std::shared_ptr<Store> store();              // uses this process; a folder of its own for locks that a process shares
  bool troubled() const { return troubled_; }  // some call failed on purpose
  bool crashed() const { return crashed_; }

 private:
  friend class SimulatedStore;
  friend class SimulatedUpload;
  enum class Fate : std::uint8_t { done, unanswered, late };
  Fate before(std::string_view what, std::string_view key, bool change) const;
  template <class F>
  void change(std::string_view what, std::string_view key, F act) const;

  Actor& actor_;
  Disk& disk_;
  const Troubles troubles_;
  mutable bool troubled_ = false, crashed_ = false;
};

}  // namespace tegula::simulation
