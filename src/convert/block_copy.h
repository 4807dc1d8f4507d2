// Copies cells block by block, by reading and writing them.
#pragma once

#include "convert/copy_task.h"

namespace tegula {

// An interrupted copy continues after the last complete block or batch.
void copy_dense_blocks(const CopyTask& task);
// Into a table: appends batches of rows.
void copy_rows(const CopyTask& task);

}  // namespace tegula
