// The Arrow types of columns.
#pragma once

#include <string>

#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula::arrow {

enum class Layout : std::uint8_t {
  values,      // unchanged, or byte-swapped
  bits,        // booleans
  days,        // dates by the day or coarser, as int32 days
  seconds,     // dates and durations in weeks, hours or minutes, as int64 seconds
  text,        // UTF-8 with 64-bit offsets
  binary,      // bytes with 64-bit offsets
  list,        // any number of numbers
  fixed_list,  // a fixed number of numbers
  dictionary,  // codes of an enumeration
};

struct ArrowType {
  Layout layout = Layout::values;
  std::string format;  // of the interface: "i", "tsn:", "U", ...
};

// A single value of `type`, outside of text.
ArrowType value_type(const Datatype& type);
ArrowType arrow_type(const Column& column, const Schema& schema);
// The enumeration of a column of codes, or null.
const Enumeration* enumeration_of(const Column& column, const Schema& schema);
// The values of an enumeration as a column.
Column values_of(const Enumeration& enumeration);

}  // namespace tegula::arrow
