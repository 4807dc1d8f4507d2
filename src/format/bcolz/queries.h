// Reads and queries of what is open.
#pragma once

#include <memory>
#include <string_view>

#include "format/bcolz/snapshot.h"
#include "tegula/query.h"

namespace tegula::bcolz {

// One field into place. Cells of a table's column are whole rows of it; those of a carray are its items.
void read_field(const Snapshot& snapshot, const Selection& selection, std::string_view field, const StridedBuffer& out,
                const Work& work);
// Tables by rows, carrays by cells.
std::unique_ptr<BatchStream> query(std::shared_ptr<const Snapshot> snapshot, const Query& query);

}  // namespace tegula::bcolz
