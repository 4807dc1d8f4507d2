#include "query/request/result_json.h"

namespace tegula {

namespace {

// Labels have one value per index of their dimension, so their columns may be shorter than the others. The number
// of items of size 0 cannot be told from the data.
std::uint64_t cells_of(const Batch& batch, const Column& column) {
  return column.var() || column.cell_size() > 0 ? column.cells() : batch.cells;
}

}  // namespace

std::string result_json(const Batch& batch, Dialect dialect) {
  std::string out = "{\"shape\":";
  if (batch.shape) {
    out += '[';
    for (std::size_t i = 0; i < batch.shape->size(); ++i) out += (i > 0 ? "," : "") + std::to_string((*batch.shape)[i]);
    out += ']';
  } else {
    out += "null";
  }
  out += ",\"fields\":{";
  for (std::size_t c = 0; c < batch.columns.size(); ++c) {
    if (c > 0) out += ',';
    append_json_key(out, batch.columns[c].name);
    out += ":[";
    for (std::uint64_t i = 0; i < cells_of(batch, batch.columns[c]); ++i) {
      if (i > 0) out += ',';
      append_json_cell(out, batch.columns[c], i, dialect);
    }
    out += ']';
  }
  out += "}}";
  return out;
}

}  // namespace tegula
