// Which part of a dense array was written.
#pragma once

#include <optional>
#include <vector>

#include "convert/blocks.h"
#include "tegula/array.h"

namespace tegula {

// Of domains with more cells than this only what was written is copied and compared: TileDB's domains often leave room
// for everything that may come.
inline constexpr double kLargeDomain = 1 << 30;

CellBox whole_domain(const Schema& schema);

// Makes a query ask for a box of a dense array, by ranges where it lies further from the start of the domain than a
// selection can say (TileDB).
void ask_for(Query& query, const Schema& schema, const CellBox& box);

// Boxes that contain every cell that was written: TileDB's fragments, zarr's chunks. They may overlap. No value when
// the format cannot say: then it is the whole domain.
std::optional<std::vector<CellBox>> written_boxes(const Array& array, const Work& work);

// Merges boxes until no two share a chunk; into a single one when that is not much larger.
std::vector<CellBox> join_boxes(std::vector<CellBox> boxes, const std::vector<std::uint64_t>& chunks);

// The cell that is read where nothing was written.
Column fill_of(const Attribute& attribute);

// The boxes to copy into an array with the schema `to`; the rest is the fill value in both arrays. Attribute i is made
// of the field `fields[i]`. Throws unsupported when there are more cells than any copy can finish.
std::vector<CellBox> boxes_to_copy(const Array& from, const std::vector<std::string>& fields, const Schema& to,
                                   const Work& work);

}  // namespace tegula
