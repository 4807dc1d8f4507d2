// Reads cells and shows or saves them: what `read` and `head` have in common.
#pragma once

#include <string>

#include "app/command.h"
#include "run/opening.h"
#include "run/reading.h"

namespace tegula::cli {

struct ReadFlags {
  std::string uri;
  OpenFlags open;
  PartFlags part;
  std::string aggregates;
  std::string query_file, batch_file;
  bool csv = false, as_libtiledb = false;
  std::string npy, npz, arrow;
};

// Returns the exit code.
int show_cells(const ReadFlags& flags, const Globals& globals);

}  // namespace tegula::cli
