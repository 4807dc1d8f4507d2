// Finds the parts of a dense array that were written.
#pragma once

#include <optional>
#include <vector>

#include "convert/blocks.h"
#include "tegula/array.h"

namespace tegula {

// In domains with more cells than this, only the written parts are copied and compared: TileDB's domains are often far
// larger than the data.
inline constexpr double kLargeDomain = 1 << 30;

CellBox whole_domain(const Schema& schema);

// Restricts a query to a box of a dense array. Uses ranges where the box is too far from the start of the domain for a
// selection (TileDB).
void ask_for(Query& query, const Schema& schema, const CellBox& box);

// Boxes that contain every cell that was written: TileDB's fragments, zarr's chunks. They may overlap. No value when
// the format does not record it: any cell may have been written.
std::optional<std::vector<CellBox>> written_boxes(const Array& array, const Work& work);

// Merges boxes until no two share a chunk, or into a single box when that is not much larger.
std::vector<CellBox> join_boxes(std::vector<CellBox> boxes, const std::vector<std::uint64_t>& chunks);

// A column with one cell: the fill value of the attribute.
Column fill_of(const Attribute& attribute);

// The boxes to copy into an array with the schema `to`; the rest is the fill value in both arrays. Attribute i is made
// of the field `fields[i]`. Throws unsupported when there are more cells than any copy can finish.
std::vector<CellBox> boxes_to_copy(const Array& from, const std::vector<std::string>& fields, const Schema& to,
                                   const Work& work);

}  // namespace tegula
