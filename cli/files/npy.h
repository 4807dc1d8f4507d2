// numpy's array files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/input_file.h"
#include "model/cell_box.h"
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

// A header of format 1.0 or 2.0. With `room`, its length is the same for every shape with as many axes.
std::string npy_header(const Datatype& type, const std::vector<std::uint64_t>& shape, bool room = false);

// How numpy holds the cells of a column: their type, and the axes that several values per cell make.
struct NpyLayout {
  Datatype type;
  std::vector<std::uint64_t> shape;
};
// No value for cells of variable length.
std::optional<NpyLayout> npy_layout(const Column& column);
// Is variable text of this type UTF-8?
bool npy_text(TypeId id);

}  // namespace tegula::cli
