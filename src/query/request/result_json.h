// Results as one JSON object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "query/request/value_text.h"
#include "tegula/columns.h"

namespace tegula {

// {"shape": [...] or null, "fields": {name: [values...]}}, values flat in result order; without a line end.
std::string result_json(const Batch& batch, Dialect dialect);

// Its parts, for results that are written batch by batch: the shape, how many cells of a column are written, and cells
// first .. first + count with commas between them.
std::string json_shape(const std::optional<std::vector<std::uint64_t>>& shape);
std::uint64_t json_cells(const Batch& batch, const Column& column);
void append_json_cells(std::string& out, const Column& column, std::uint64_t first, std::uint64_t count,
                       Dialect dialect);

}  // namespace tegula
