// numpy's array files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/input_file.h"
#include "model/cell_box.h"
#include "query/request/npy_header.h"
#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/datatype.h"

namespace tegula::cli {

// What the header of a file says; the cells begin at `offset`.
struct NpyHeader {
  Datatype type;
  std::vector<std::uint64_t> shape;
  bool fortran = false;
  std::uint64_t offset = 0;
};

// Throws Error(corrupt) with the offset; Error(unsupported) for pickled objects.
NpyHeader read_npy_header(const InputFile& file);

// The cells of a box in C order. Reads what the box needs, in large pieces.
Bytes read_npy_box(const InputFile& file, const NpyHeader& header, const CellBox& box);

}  // namespace tegula::cli
