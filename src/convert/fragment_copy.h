// Copies cells into a format with fragments, each of which becomes visible as a whole.
#pragma once

#include "convert/copy_task.h"

namespace tegula {

// Fragments have about fragment_bytes; an interrupted copy continues after the last complete one. Uses a part of
// work.memory, but always enough for a tile.
void copy_dense_fragments(const CopyTask& task);
void copy_sparse_fragments(const CopyTask& task);

}  // namespace tegula
