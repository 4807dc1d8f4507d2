// The note that a conversion leaves in its target until it is done, so that an interrupted one can go on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tegula {

// Begins like other unfinished files, so that libraries and listings pass over it.
inline constexpr std::string_view kConversionKey = ".tegula-conversion";

struct ResumeNote {
  std::string source;             // what is copied: where it is, and how large
  std::string target;             // what it becomes: format, shape, grid, fields
  std::uint64_t block_cells = 0;  // dense: about the size of the pieces, which the memory decided, or the options
  std::uint64_t blocks = 0;       // dense: pieces in all; 0 for rows
  std::uint64_t done = 0;         // dense: pieces that are there, counted from the first
};

// No value when there is none. Throws corrupt for one that is no such note.
std::optional<ResumeNote> read_note(const Store& store);
void write_note(Store& store, const ResumeNote& note);
void remove_note(Store& store);

}  // namespace tegula
