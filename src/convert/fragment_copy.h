// Copies cells into a format that is written in fragments, each visible as a whole or not at all.
#pragma once

#include "convert/copy_task.h"

namespace tegula {

// Fragments are of about fragment_bytes; an interrupted copy goes on behind the last whole one. Memory stays at a part
// of work.memory, but holds a tile.
void copy_dense_fragments(const CopyTask& task);
void copy_sparse_fragments(const CopyTask& task);

}  // namespace tegula
