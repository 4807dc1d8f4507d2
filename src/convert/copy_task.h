// The state of a running copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/blocks.h"
#include "convert/resume_note.h"
#include "format/stored_copy.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

struct CopyTask {
  CopySource source;
  Array& to;
  const std::vector<CellBox>& boxes;  // dense: the boxes to copy
  Store* store;                       // of the new array, where the note is kept; null: no note is kept
  ResumeNote& note;
  bool resumed;
  std::uint64_t fragment_bytes;
  bool may_pass;          // stored chunks and tiles may be copied without decoding
  std::uint64_t& passed;  // how many were
  const Work& work;
  std::uint64_t at = 0;  // TileDB: time of the write; 0: now
};

Work quiet(const Work& work);  // the same without progress

// Writes the note to the store, if it is kept.
void keep_note(const CopyTask& task);

// Stores the number of blocks in the note. Throws invalid_argument when the interrupted run had another number.
void check_blocks(const CopyTask& task, std::uint64_t blocks);

// The approximate size of a cell in memory. Never 0.
std::uint64_t cell_bytes(const Schema& schema);

}  // namespace tegula
