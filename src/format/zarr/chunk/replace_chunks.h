// Replacing the chunks of a write, together as far as the format allows it.
#pragma once

#include <functional>
#include <optional>

#include "format/zarr/chunk/chunk_locks.h"
#include "format/zarr/meta/array_meta.h"
#include "model/chunk_plan.h"
#include "store/store.h"
#include "tegula/work.h"

namespace tegula::zarr {

// Asked when all chunks are made, just before the first of them is replaced. False: none of them is to be.
using Go = std::function<bool()>;

struct ChunkChange {
  const ArrayMeta& meta;
  const ChunkLocks& locks;
  const ChunkPlan& plan;
  // The bytes of the file of a piece. Of a piece that is not a whole chunk `old` is the file as it is, none when it is
  // absent; it is called again when somebody else has changed the file meanwhile.
  std::function<Bytes(std::size_t piece, std::optional<ByteView> old)> make;
  Go go = {};
};

// All chunks are made and written under temporary names, and then all are renamed: whatever fails before the renames, a
// cancellation included, leaves the array as it was. A reader, and a crash among the renames, may see some chunks new
// and some old. Up to 65,536 chunks are renamed together, and of a remote store, where they are sent at the end, as
// many as fit a quarter of the memory of `work`; more than that become several such changes. Returns false when `go`
// did.
bool replace_chunks(Store& store, const ChunkChange& change, const Work& work);

}  // namespace tegula::zarr
