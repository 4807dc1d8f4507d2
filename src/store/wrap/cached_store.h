// Parts of remote files, kept on a disk.
#pragma once

#include <cstdint>
#include <memory>

#include "store/store.h"

namespace tegula {

// The store, whose reads are kept in `disk`: the same range, end or whole file is read from there the next time, as
// long as the file is in the same state. The state is asked for before each batch of reads, and again before what was
// read is kept, so that nothing of another state is kept for it. A store that is no FileStates is returned as it is.
//
// Several processes may share one disk. Each entry carries a checksum and what it is a part of; an entry that is
// damaged, or cannot be read or written, is passed over. All lie in the folder tegula-cache-1 of the disk; nothing else
// of the disk is looked at or removed. About `most` bytes are kept: entries lie in 16 generations,
// and the oldest of these goes when the newest is full. What is used again moves to the newest.
std::shared_ptr<Store> cached_store(std::shared_ptr<Store> store, std::shared_ptr<Store> disk, std::uint64_t most);

}  // namespace tegula
