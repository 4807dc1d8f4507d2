// A carray or ctable as a schema of the array model, and back.
//
// A carray is a dense array: one dimension for each axis ("dim_0", ...), one attribute without a name, tiles of
// chunklen rows. A ctable is a table: the dimension "row" and one attribute for each column. A column with inner axes
// has values_per_cell of their product, and keeps them in Attribute::cell_shape when there are several.
#pragma once

#include <cstdint>
#include <vector>

#include "format/bcolz/disk/meta.h"
#include "format/bcolz/snapshot.h"
#include "tegula/schema.h"

namespace tegula::bcolz {

inline constexpr std::string_view kFormat = "bcolz";

Schema schema_of(const Snapshot& snapshot);

// What a new carray for an attribute stores. `chunklen` 0 leaves the choice to bcolz's rule. Throws invalid_argument or
// unsupported for what bcolz does not have.
struct NewCarray {
  Storage storage;
  std::vector<std::uint64_t> inner;  // axes after that of the rows
};
NewCarray storage_of(const Attribute& attribute, std::vector<std::uint64_t> inner, std::uint64_t expected_rows,
                     std::uint64_t chunklen);
// The inner axes of a table's column.
std::vector<std::uint64_t> inner_axes(const Attribute& attribute);

}  // namespace tegula::bcolz
