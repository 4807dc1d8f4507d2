// How numpy's files begin, and how they hold columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/columns.h"
#include "tegula/datatype.h"

namespace tegula {

inline constexpr std::string_view kNpyMagic("\x93NUMPY", 6);

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

}  // namespace tegula
