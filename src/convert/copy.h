// The copying itself, once it is known what becomes of what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/blocks.h"
#include "convert/resume_note.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

// One running copy: what is left to do, and the note about it.
struct Copy {
  const Array& from;
  const std::vector<std::string>& sources;
  Array& to;
  const std::vector<CellBox>& boxes;  // dense: where there is something to copy
  Store& store;
  ConversionRecord& record;
  bool resumed;
  std::uint64_t fragment_bytes;
  bool may_pass;          // what is stored may go over as it is
  std::uint64_t& passed;  // how much of it did
  const Work& work;
};

// Notes the number of pieces. Throws invalid_argument when an earlier run cut the same cells into another number.
void check_blocks(const Copy& copy, std::uint64_t blocks);

// About what a cell takes in memory. Never 0.
std::uint64_t cell_bytes(const Schema& schema);

// Into TileDB: fragments of about fragment_bytes, each visible as a whole or not at all; an interrupted copy goes on
// behind the last whole one. Memory stays at a part of work.memory, but holds a tile.
void stream_dense_cells(const Copy& copy);
void stream_sparse_cells(const Copy& copy);

}  // namespace tegula
