// What the arrays of a format can hold and do.
#pragma once

#include <string_view>
#include <vector>

#include "tegula/array.h"

namespace tegula {

struct Capabilities {
  std::string_view format;  // as in Schema::format: "zarr2"
  std::string_view family;  // of formats that share their code: "zarr"
  std::string_view title;   // for people: "zarr v2"

  bool create = false;          // arrays can be created; false: they are only read
  bool groups = false;          // groups can be created
  bool members = false;         // members can be added to groups and removed from them
  bool append = false;          // rows can be added at the end
  bool resize = false;          // the extents can be changed
  bool fragments = false;       // each write is kept as a fragment: write_stream, consolidation, vacuuming
  bool history = false;         // arrays can be opened as they were at a time: OpenOptions::at
  bool encryption = false;      // arrays can be encrypted: CreateOptions::key
  bool versions = false;        // Schema::format_version can be chosen
  bool repair = false;          // tegula::bcolz::repair
  bool sparse = false;          // sparse arrays
  bool tables = false;          // tables: columns that share their rows
  bool many_fields = false;     // dense arrays of more than one attribute
  bool scalars = false;         // arrays without dimensions
  bool empty_axes = false;      // dimensions without cells
  bool domains = false;         // domains may start anywhere and may be dates; otherwise indices start at 0
  bool column_order = false;    // cells can be stored in column order
  bool unwritten = false;       // chunks that were never written take no space
  bool nullable = false;        // attributes can be nullable
  bool enumerations = false;    // attributes can hold codes of an enumeration
  bool text = false;            // cells can hold text of any length
  bool lists = false;           // cells can hold several values, or any number of them
  bool numpy_types = false;     // text and bytes of a fixed size are types of their own: S7, U7, V7
  bool typed_metadata = false;  // metadata has types; otherwise it is JSON
};

// The names of all formats, always in the same order.
std::vector<std::string_view> formats();

// The name of a family stands for its newest format: "zarr" is "zarr3". Throws invalid_argument for any other name.
const Capabilities& capabilities(std::string_view format);
const Capabilities& capabilities(const Array& array);

}  // namespace tegula
