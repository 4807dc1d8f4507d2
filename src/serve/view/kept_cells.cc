#include "serve/view/kept_cells.h"

#include <algorithm>

namespace tegula::serve {

std::uint64_t held_bytes(const Batch& batch) {
  std::uint64_t bytes = 0;
  for (const Column& column : batch.columns) bytes += column.bytes();
  return bytes;
}

std::shared_ptr<const Batch> KeptCells::find(const void* owner) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, owner, &Kept::owner);
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return found->cells;
}

void KeptCells::keep(const void* owner, std::shared_ptr<const Batch> cells) {
  const std::uint64_t bytes = held_bytes(*cells);
  const std::lock_guard lock(mutex_);
  kept_.push_front({owner, std::move(cells), bytes});
  bytes_ += bytes;
  while (bytes_ > most_ && kept_.size() > 1) {
    bytes_ -= kept_.back().bytes;
    kept_.pop_back();
  }
}

void KeptCells::forget(const void* owner) {
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [&](const Kept& kept) {
    if (kept.owner == owner) bytes_ -= kept.bytes;
    return kept.owner == owner;
  });
}

}  // namespace tegula::serve
