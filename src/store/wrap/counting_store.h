// A store that counts the requests to another one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "store/store.h"

namespace tegula {

// Requests as an object store would bill them: a batch counts one request per range, adjacent ranges of a file as one;
// listings and removals count one for each 1,000 keys. `batches` counts the calls: requests of one call are under way
// at the same time. `most_at_once` is how many puts were under way together.
struct StoreCounts {
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> reads{0}, bytes_read{0}, sizes{0}, lists{0}, writes{0}, bytes_written{0}, removes{0};
  std::atomic<std::uint64_t> puts_under_way{0}, most_at_once{0};
};
std::shared_ptr<Store> counting_store(std::shared_ptr<Store> store, std::shared_ptr<StoreCounts> counts);

}  // namespace tegula
