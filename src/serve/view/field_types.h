// What zarr clients get for the types of every format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula::serve {

struct ServedType {
  Attribute attribute;  // as zarr has it: without a name, one value or a text in a cell, no nulls, no filters
  std::vector<std::uint64_t> inner;  // axes inside of cells
  Json attributes = Json::object();  // what the type says besides: units of dates
  // Cells that nobody wrote have a fill value that zarr can spell.
  bool fill_spelled = true;
};

// Numbers stay, dates are counted in int64 with the units of the CF conventions, text of any length is UTF-8, cells of
// several values get axes of their own. Throws unsupported, with the reason, for what no client reads.
ServedType served_type(const Attribute& field);

// A column of the field as a column of that type; nulls become NaN or the fill value. Throws unsupported for text that
// is not UTF-8, apart from the fill value, which then is empty.
void to_served(Column& column, const Attribute& field, const ServedType& type);

// The same for dimensions, as fields without nulls.
Attribute attribute_of(const Dimension& dimension);

}  // namespace tegula::serve
