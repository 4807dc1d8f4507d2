// Schemas as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tegula/array.h"
#include "text/json_writer.h"

namespace tegula::cli {

// "TileDB", "original zarr", "zarr v2" for the name of a format.
std::string family_text(std::string_view format);
// "dense TileDB array, format version 22", "bcolz table", "zarr v2 array".
std::string what_it_is(const Schema& schema);
// "bytes shuffled, zstd:5" -> "byteshuffle, zstd:5"; "none" without filters.
std::string filters_text(const std::vector<Filter>& filters);
// "int32", "int32 x 3", "utf8 (any length)", with ", nullable".
std::string cell_type_text(const Datatype& type, std::uint32_t values_per_cell, bool nullable);
// "1 .. 100"; "any text" for text dimensions.
std::string range_text(const Datatype& type, const Range& range);
// The fill value of an attribute.
std::string fill_text(const Attribute& attribute, const Schema& schema);
std::string time_text(std::uint64_t milliseconds);
std::string_view order_text(Order order);

// Lines in aligned columns, two spaces apart, each after `indent`.
std::string aligned(std::vector<std::vector<std::string>> rows, std::string_view indent);

void write_schema(JsonWriter& json, const Schema& schema);
void write_range(JsonWriter& json, const Range& range);

// "x 0 .. 9, y 1 .. 4".
std::string domain_text(const Schema& schema, const std::vector<Range>& domain);

}  // namespace tegula::cli
