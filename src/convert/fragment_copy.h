// Copies cells into a format that is written in fragments, each visible as a whole or not at all.
#pragma once

#include "convert/copy_task.h"

namespace tegula {

// Fragments have about fragment_bytes; an interrupted copy continues after the last complete one. Uses a part of
// work.memory, but always enough for a tile.
void copy_dense_fragments(const CopyTask& task);
void copy_sparse_fragments(const CopyTask& task);

}  // namespace tegula
