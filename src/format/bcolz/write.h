// Changes of a carray or of all columns of a ctable together. Wherever one is cut short, what is there opens as before
// or as after: chunks are written so that the rows counted stay valid, and `sizes` in an order in which the shortest
// column, which decides, changes last when rows are added and first when rows go.
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
