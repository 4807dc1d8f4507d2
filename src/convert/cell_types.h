// Cells of one type as cells of another that holds them exactly.
#pragma once

#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula {

// Gives the column the type, byte order and values per cell of the attribute. Only changes of form are made: byte
// order, texts of fixed size between TileDB's and numpy's types, texts of any length into fixed ones long enough.
// Throws invalid_argument.
void as_type(Column& column, const Attribute& to);

}  // namespace tegula
