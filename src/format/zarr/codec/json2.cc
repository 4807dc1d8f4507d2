#include "format/zarr/codec/json2.h"

#include "base/fail.h"
#include "format/zarr/codec/variable_cells.h"

namespace tegula::zarr {

namespace {

// The objects of an N-d chunk are lists within lists.
void flatten(const Json& value, std::size_t depth, VariableCells& out) {
  if (depth == 0) return push_cell(out, bytes_of(dump_json(value, {.ascii = false})));
  if (!value.is_array()) fail(ErrorKind::corrupt, "the JSON chunk does not have the shape that it says");
  for (const Json& one : value) flatten(one, depth - 1, out);
}

}  // namespace

VariableCells decode_json2(ByteView text, std::uint64_t count) {
  Json list = parse_json(text, "JSON chunk");
  if (!list.is_array() || list.size() < 2 || !list.back().is_array() || list.back().size() > 64)
    fail(ErrorKind::corrupt, "the JSON chunk does not end in a type and a shape");
  const std::size_t depth = list.back().size();
  list.erase(list.end() - 2, list.end());
  VariableCells out;
  out.offsets.push_back(0);
  flatten(depth == 0 && list.size() == 1 ? list[0] : list, depth, out);
  if (count_cells(out) != count)
    fail(ErrorKind::corrupt, "the JSON chunk holds {} objects, expected {}", count_cells(out), count);
  return out;
}

}  // namespace tegula::zarr
