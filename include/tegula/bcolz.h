// What only bcolz tables and carrays have.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tegula/array.h"

namespace tegula::bcolz {

// The rows of a chunk that bcolz chooses for a carray of that size, as Dimension::tile of a new one. Never 0.
std::uint64_t chunk_length(std::uint64_t expected_rows, std::uint64_t row_bytes);

// The columns of a ctable. A kill at any point leaves the table as before or as after. Throw invalid_argument for
// anything but a ctable.
// `values` has a cell for each row, or none at all: the fill value of `column` then stands in every row.
void add_column(Array& table, const Attribute& column, const Column& values, const WriteOptions& options = {});
void drop_column(Array& table, std::string_view name, const WriteOptions& options = {});
void rename_column(Array& table, std::string_view from, std::string_view to, const WriteOptions& options = {});

// Does what verify() names as recoverable: rows whose chunks are missing or cut short at the end are given up, columns
// of a table are made equally long. Chunk files are never removed. Returns what was done, as notes, and what remains.
std::vector<Problem> repair(Array& array, const Work& work = {});

}  // namespace tegula::bcolz
