// Copies an array into another format or another grid.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "convert/target.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

struct ConvertOptions {
  TargetOptions target;
  CreateOptions create;
  std::string source_name;  // for the note in the target: where the source is
  bool lossy = false;       // go on when the target cannot hold everything
  // TileDB targets are written as one fragment, or as several of about this many bytes: what an interruption loses.
  std::uint64_t fragment_bytes = std::uint64_t{16} << 30;
};

// What became of a conversion.
struct Converted {
  std::shared_ptr<Array> array;
  bool resumed = false;             // an earlier run had been interrupted
  std::uint64_t passed = 0;         // chunks copied as they are, without decoding
  std::vector<std::string> losses;  // what the target cannot hold, as announced by plan_target()
};

// Makes the target array in `store` and fills it piece by piece, holding about work.memory / 4 at once. Throws
// Error(unsupported) before anything is written when something would be lost and `lossy` is not set. Interrupted, it
// leaves a note in the target, and the same call goes on: pieces that are there are not copied again. A call that
// differs, or a source that has changed since, throws invalid_argument unless options.create.overwrite starts anew.
Converted convert(const Array& source, std::shared_ptr<Store> store, const ConvertOptions& options, const Work& work);

// The source's column as the target holds it: null cells become the fill value where the target has no nulls.
void shape_column(Column& column, const Attribute& to);

}  // namespace tegula
