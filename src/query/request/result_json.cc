#include "query/request/result_json.h"

namespace tegula {

std::string json_shape(const std::optional<std::vector<std::uint64_t>>& shape) {
  if (!shape) return "null";
  std::string out = "[";
  for (std::size_t i = 0; i < shape->size(); ++i) out += (i > 0 ? "," : "") + std::to_string((*shape)[i]);
  return out + ']';
}

// Labels have one value per index of their dimension, so their columns may be shorter than the others. The number
// of items of size 0 cannot be told from the data.
std::uint64_t json_cells(const Batch& batch, const Column& column) {
  return column.var() || column.cell_size() > 0 ? column.cells() : batch.cells;
}

void append_json_cells(std::string& out, const Column& column, std::uint64_t first, std::uint64_t count,
                       Dialect dialect) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    if (i > first) out += ',';
    append_json_cell(out, column, i, dialect);
  }
}

std::string result_json(const Batch& batch, Dialect dialect) {
  std::string out = "{\"shape\":" + json_shape(batch.shape) + ",\"fields\":{";
  for (std::size_t c = 0; c < batch.columns.size(); ++c) {
    if (c > 0) out += ',';
    append_json_key(out, batch.columns[c].name);
    out += ":[";
    append_json_cells(out, batch.columns[c], 0, json_cells(batch, batch.columns[c]), dialect);
    out += ']';
  }
  out += "}}";
  return out;
}

}  // namespace tegula
