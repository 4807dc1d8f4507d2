// From paths to what is there: folders, groups, arrays, and arrays as they were.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "serve/view/node.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::serve {

using TimeSpan = std::optional<std::pair<std::uint64_t, std::uint64_t>>;

// What is at a path. Immutable, but for nodes that are made when they are first asked for; thread-safe.
class Place {
 public:
  ObjectKind kind = ObjectKind::none;  // none: a folder
  std::string path;                    // below the root, as in the URL
  std::string name;                    // its last part, without a time
  std::shared_ptr<Store> store;
  TimeSpan at;
  std::string format;
  std::string state;                   // of an array: Driver::state
  std::shared_ptr<const Array> array;  // or
  std::shared_ptr<const Group> group;  // or neither: a folder

  // As zarr of version 2 or 3.
  std::shared_ptr<const Node> node(int version, const Work& work) const;
  std::shared_ptr<KeptCells> kept;

 private:
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<const Node>, 2> nodes_;
};

struct TreeOptions {
  // What is there is looked at again when it was seen longer ago than this.
  std::chrono::milliseconds fresh{1000};
  Work work = {};
  std::uint64_t kept = 256 << 20;                   // bytes of cells of sparse arrays that are kept
  Bytes key = {};                                   // of encrypted arrays
  std::map<std::string, std::string> storage = {};  // options of the store
};

// Thread-safe.
class Tree {
 public:
  Tree(std::shared_ptr<Store> root, TreeOptions options);

  // The last place on the way along `path`, and how many parts of it that took: inside of arrays there are no places.
  // Nothing outside of the root is ever found, neither by links nor as a member of a group.
  struct Way {
    std::shared_ptr<const Place> place;
    std::size_t used = 0;
  };
  Way find(std::span<const std::string> path);
  // NAME, or NAME@TIME and NAME@TIME:TIME for arrays and groups with a history. Null when there is no such thing.
  std::shared_ptr<const Place> below(const Place& parent, const std::string& name);
  // Names below a folder or group, sorted.
  std::vector<std::string> names(const Place& place) const;

  const Work& work() const { return options_.work; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    std::shared_ptr<const Place> place;
    Clock::time_point when;
  };
  // What was seen there lately.
  std::shared_ptr<const Place> remembered(const std::string& path);
  std::shared_ptr<const Place> look(const std::string& path, const std::string& name, std::shared_ptr<Store> store,
                                    const TimeSpan& at);
  std::shared_ptr<Store> member_store(const Place& parent, const std::string& name) const;

  const std::shared_ptr<Store> root_;
  const TreeOptions options_;
  const std::shared_ptr<KeptCells> kept_;
  std::mutex mutex_;
  std::map<std::string, Seen, std::less<>> seen_;
};

}  // namespace tegula::serve
