// What only bcolz tables and carrays have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tegula/array.h"

namespace tegula::bcolz {

// The number of rows that bcolz itself puts into a chunk of a carray of that size, for Dimension::tile of a new array.
// Never 0.
std::uint64_t chunk_length(std::uint64_t expected_rows, std::uint64_t row_bytes);

// Change the columns of a ctable. All-or-nothing, even when the process is killed. Throw invalid_argument for anything
// but a ctable.
//
// `values` has a cell for every row, or none: then every row gets the fill value of `column`.
void add_column(Array& table, const Attribute& column, const Column& values, const WriteOptions& options = {});
void drop_column(Array& table, std::string_view name, const WriteOptions& options = {});
void rename_column(Array& table, std::string_view from, std::string_view to, const WriteOptions& options = {});

// Of a table whose columns have different lengths, because an append by bcolz was stopped: which rows are shown and
// which are not, as a sentence. Empty for every other array.
std::string torn_rows(const Array& array);

// Repairs what verify() reports as recoverable: trailing rows whose chunks are missing or truncated are dropped, and
// the columns of a table are cut to the same length. Chunk files are never removed. Returns what was done, as notes,
// and the problems that remain.
std::vector<Problem> repair(Array& array, const Work& work = {});

}  // namespace tegula::bcolz
