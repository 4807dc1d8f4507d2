#include "store/tail.h"

#include <algorithm>

namespace tegula {

std::optional<Tail> read_tail(const Store& store, std::string_view key, std::uint64_t most) {
  if (const auto* ready = dynamic_cast<const TailStore*>(&store)) return ready->tail(key, most);
  const std::optional<std::uint64_t> size = store.size(key);
  if (!size) return std::nullopt;
  Tail tail{Bytes(std::min(most, *size)), *size};
  RangeRead read{key, *size - tail.bytes.size(), tail.bytes};
  store.get(std::span(&read, 1));
  return read.found ? std::optional(std::move(tail)) : std::nullopt;
}

}  // namespace tegula
