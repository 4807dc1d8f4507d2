#include "store/wrap/wait_each.h"

#include <algorithm>

#include "base/parallel.h"

namespace tegula {

void wait_each(const Store& store, const Work& work, std::size_t n, std::uint64_t bytes,
               const std::function<void(std::size_t)>& body) {
  const std::uint64_t room = work.memory / 4 / std::max<std::uint64_t>(bytes, 1);
  const std::uint64_t wanted = std::min<std::uint64_t>(store.hints().in_flight, room);
  Work waiting = work;
  waiting.threads = std::max(thread_count(work), static_cast<unsigned>(wanted));
  parallel_for(waiting, n, body);
}

}  // namespace tegula
