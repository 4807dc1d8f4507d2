// Values of JSON and of CSV text as bytes of a type.
#pragma once

#include <string>

#include "base/json.h"
#include "tegula/bytes.h"
#include "tegula/columns.h"
#include "tegula/datatype.h"

namespace tegula {

// Appends one value. Accepts what results are written as: numbers, "nan", booleans, text, {"hex"}, dates as ticks or
// ISO text. Throws invalid_argument when the value does not fit the type.
void append_value(Bytes& out, const Datatype& type, const Json& value);
// Appends one cell: null for nullable columns, lists for several values, text for text types.
void append_cell(Column& column, const Json& cell);
// One cell from the text of a CSV field; empty is null for nullable columns, unless it is a quoted text.
void append_cell_text(Column& column, const std::string& text, bool quoted);

}  // namespace tegula
