#include "result_json.h"

namespace tegula::cli {

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
    append_json_string(out, batch.columns[c].name);
    out += ":[";
    for (std::uint64_t i = 0; i < batch.columns[c].cells(); ++i) {  // labels have cells of their own number
      if (i > 0) out += ',';
      append_json_cell(out, batch.columns[c], i, dialect);
    }
    out += ']';
  }
  out += "}}";
  return out;
}

}  // namespace tegula::cli
