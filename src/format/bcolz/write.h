// Changes of a carray, or of all columns of a ctable together. An interrupted change leaves the array as it was before
// or after it: chunks are written so that the rows counted so far stay valid, and the length of the shortest column,
// which is that of the table, is written last when rows are added and first when rows are removed.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "format/bcolz/snapshot.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::bcolz {

// Nothing may be pending in `snapshot` (pending_set.h).
void append(const Snapshot& snapshot, const Batch& rows, const Work& work);
void resize(const Snapshot& snapshot, const std::vector<std::uint64_t>& shape, const Work& work);
void write(const Snapshot& snapshot, const Selection& selection, std::string_view field, const StridedView& values,
           const Work& work);

}  // namespace tegula::bcolz
