// Checks that every write makes before it touches the store.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "tegula/columns.h"

namespace tegula::tiledb {

// The columns of a batch for the attributes of a schema, then (with `dimensions`) for its dimensions. Throws
// invalid_argument for columns that are missing, unknown, of another type or length, or that have invalid offsets.
std::vector<const Column*> input_columns(const ArraySchema& schema, const Batch& cells, bool dimensions);

// Throws invalid_argument unless the values strictly increase (or decrease) where the attribute is ordered.
void check_data_order(const SchemaAttribute& attribute, const Column& column);

// Appends cells of a checked column to one with the schema's own nullability.
void append_cells(Column& to, const Column& from, std::uint64_t first, std::uint64_t count);

}  // namespace tegula::tiledb
