// Loops whose items are read ahead of them: plan, fetch, use.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/store.h"
#include "tegula/work.h"

namespace tegula {

// What an item is going to read. It need not be complete: what is missing is read when the item asks for it.
class Wants {
 public:
  void range(std::string key, std::uint64_t offset, std::uint64_t length) {
    ranges_.push_back({std::move(key), offset, length});
  }
  // A whole file, or its last `most` bytes. `expected` is how many bytes it may turn out to be.
  void file(std::string key, std::uint64_t expected, std::uint64_t most = UINT64_MAX) {
    files_.push_back({std::move(key), most, expected});
  }

 private:
  friend class FetchLoop;
  struct Range {
    std::string key;
    std::uint64_t offset, length;
  };
  struct File {
    std::string key;
    std::uint64_t most, expected;
  };
  std::vector<Range> ranges_;
  std::vector<File> files_;
};

// Calls body(i, from) for every i in [0, n) in parallel, as parallel_for() does; whatever it throws ends the loop and
// is rethrown. `from` stands for the store while the call lasts. With a local store `from` is the store itself, and
// nothing is planned: each call reads for itself. With a remote one plan(i, wants) says what the item reads; the reads
// of many items are under way at once, whatever the number of threads, and items are used as their reads arrive while
// those of others are fetched. What was fetched and not used yet takes at most a quarter of the budget of `work`, or
// what one item needs.
void fetch_each(const Store& store, const Work& work, std::size_t n,
                const std::function<void(std::size_t, Wants&)>& plan,
                const std::function<void(std::size_t, const Store&)>& body);

}  // namespace tegula
