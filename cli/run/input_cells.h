// Cells from a file into an array: what `create`, `write` and `append` have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "tegula/array.h"

namespace tegula::cli {

// The file, and how its cells are written.
struct InputFlags {
  std::string file, as, select, at;
  std::optional<std::string> field;
  bool no_sync = false;

  void describe(Verb& verb);
  WriteOptions write_options(const Globals& globals) const;
  // The file, read once: stdin cannot be read again.
  const std::string& contents() const;

 private:
  mutable std::optional<std::string> contents_;
};

// What the file holds, as the array takes it. `shape` is that of a .npy file.
Batch read_cells(const InputFlags& flags, const Schema& schema);

// Where the cells of a batch go in a dense array: a selection, or the whole of it.
struct CellsPlace {
  Selection selection;
  std::vector<std::uint64_t> shape;
};
// Throws invalid_argument when the batch does not fit.
CellsPlace place_of(const Batch& batch, const Schema& schema, const InputFlags& flags);

void write_cells(Array& array, const Batch& batch, const InputFlags& flags, const WriteOptions& options);

}  // namespace tegula::cli
