// Cells from a file into an array: what `create`, `write` and `append` have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/command.h"
#include "files/input_file.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::cli {

// The file, and how its cells are written.
struct InputFlags {
  std::string file, as, select, at;
  std::optional<std::string> field;
  bool no_sync = false;

  void describe(Verb& verb);
  WriteOptions write_options(const Globals& globals) const;
  // Throws invalid_argument when the name does not tell what is in the file.
  InputFile open(const Work& work) const;
};

// The file is read piece by piece and written as it is read, within the budget of `options.work`: a .json file alone is
// in memory as a whole.
struct CellInput {
  const InputFile& file;
  const InputFlags& flags;
  WriteOptions options;
  Bytes key;  // of an encrypted array: cells that are sorted aside are encrypted, too
};

// Writes the cells into an array, dense: where flags.select says. TileDB gets one fragment. `note` is the store of a
// new array, which is marked as unfinished until all cells are there; null for an array that is in use. `scratch` is
// where sparse cells are sorted that do not fit in memory.
void store_cells(Array& to, const CellInput& input, Store* note, const std::shared_ptr<Store>& scratch);

// Adds the rows at the end; when it throws, the array has the rows that it had.
void append_rows(Array& to, const CellInput& input);

}  // namespace tegula::cli
