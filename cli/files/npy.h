// numpy's array files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/datatype.h"

namespace tegula::cli {

struct NpyArray {
  Datatype type;
  std::vector<std::uint64_t> shape;
  bool fortran = false;
  Bytes data;
};

// Throws Error(corrupt) with the offset; Error(unsupported) for pickled objects.
NpyArray read_npy(ByteView file, const std::string& name);

// A header of format 1.0 or 2.0. With `room`, its length is the same for every shape with as many axes.
std::string npy_header(const Datatype& type, const std::vector<std::uint64_t>& shape, bool room = false);

// The cells of a column as numpy holds them: variable text becomes U of the longest cell, several values per cell a
// last axis. Throws unsupported for variable numbers.
NpyArray npy_of(const Column& column, std::uint64_t cells, const std::vector<std::uint64_t>& shape);
// The type of npy_of() when it does not depend on the values.
std::optional<NpyArray> npy_layout(const Column& column);

}  // namespace tegula::cli
