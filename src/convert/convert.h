// Copies an array into another format or another grid.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "convert/compare.h"
#include "convert/target.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

struct ConvertOptions {
  TargetOptions target;
  CreateOptions create;
  std::string source_name;  // where the source is; kept in the resume note of the target
  bool lossy = false;       // convert even when the target cannot hold everything
  bool verify = false;      // read the copy back and compare
  // A format with fragments gets one, or several of about this size: an interruption loses at most one of them.
  std::uint64_t fragment_bytes = std::uint64_t{16} << 30;
};

// The result of a conversion.
struct Converted {
  std::shared_ptr<Array> array;
  bool resumed = false;             // an earlier run had been interrupted
  std::uint64_t passed = 0;         // chunks or tiles copied without decoding
  std::vector<std::string> losses;  // what the target cannot hold, from plan_target()
  std::optional<Comparison> compared;
};

// Creates the target array in `store` and copies the source in blocks, using about work.memory / 4. Throws
// Error(unsupported) before anything is written when something would be lost and `lossy` is not set, and
// invalid_argument when the target lies inside the source or contains it.
//
// With options.create.overwrite the copy is written aside and takes the place of what is there when it is whole. The
// target may then be the source itself: the copy is always compared with it before, and one that differs is
// Error(corrupt) and changes nothing.
//
// An interrupted conversion leaves a note in the target; the same call then continues after the finished blocks. A call
// with other options, or a source that was written to meanwhile, throws invalid_argument, unless
// options.create.overwrite starts from the beginning.
Converted convert(const Array& source, std::shared_ptr<Store> store, const ConvertOptions& options, const Work& work);

// Turns a column of the source into one of the target: null cells become the fill value where the target has no nulls.
void shape_column(Column& column, const Attribute& to);

}  // namespace tegula
