// Reads and queries of a snapshot.
#pragma once

#include <memory>
#include <string_view>

#include "format/bcolz/snapshot.h"
#include "tegula/query.h"

namespace tegula::bcolz {

// Reads one field. The cells of a column of a table are its rows; those of a carray are its items.
void read_field(const Snapshot& snapshot, const Selection& selection, std::string_view field, const StridedBuffer& out,
                const Work& work);
// Tables are queried by rows, carrays by cells.
std::unique_ptr<BatchStream> query(std::shared_ptr<const Snapshot> snapshot, const Query& query);

}  // namespace tegula::bcolz
