// The part of a dense array that holds more than its fill value.
#pragma once

#include <optional>
#include <vector>

#include "convert/blocks.h"
#include "tegula/array.h"

namespace tegula {

// Domains of more cells than this are walked only where somebody wrote: TileDB's often leave room for all that may
// come.
inline constexpr double kLargeDomain = 1 << 30;

CellBox whole_domain(const Schema& schema);

// Asks for a box of cells of a dense array. TileDB's may lie further behind the start of the domain than a selection
// can name.
void ask_for(Query& query, const Schema& schema, const CellBox& box);

// Boxes that hold every cell that was written: TileDB's fragments, zarr's chunks. No value when the format does not
// tell, and all of the domain counts. They may overlap.
std::optional<std::vector<CellBox>> written_boxes(const Array& array, const Work& work);

// Boxes around the ones given, no two of which share a chunk. All of them become one box when it is not much larger.
std::vector<CellBox> join_boxes(std::vector<CellBox> boxes, const std::vector<std::uint64_t>& chunks);

// One cell, as those are read that nobody wrote.
Column fill_of(const Attribute& attribute);

// What a copy into an array of the schema `to` has to copy; the rest is the fill value on both sides. Attribute i is
// made of the field `fields[i]`. Throws unsupported when there is more than anybody can wait for.
std::vector<CellBox> boxes_to_copy(const Array& from, const std::vector<std::string>& fields, const Schema& to,
                                   const Work& work);

}  // namespace tegula
