// The note that a conversion keeps in its target until it is done, so that an interrupted one can continue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/registry/overwrite.h"
#include "store/store.h"

namespace tegula {

struct ResumeNote {
  std::string source;             // where the source is, its size, its fragments, a fingerprint of its files
  std::string target;             // the new array: format, shape, grid, fields
  std::uint64_t block_cells = 0;  // dense: cells of a block, about; depends on memory and options
  std::uint64_t blocks = 0;       // dense: number of blocks; 0 for rows
  std::uint64_t done = 0;         // dense: finished blocks
};

// No value when there is none. Throws corrupt for a file that is not such a note.
std::optional<ResumeNote> read_note(const Store& store);
void write_note(Store& store, const ResumeNote& note);
void remove_note(Store& store);

}  // namespace tegula
