#include "capi/array/ranges_out.h"

#include <cstring>
#include <string>

#include "capi/core/handles.h"
#include "format/tiledb/disk/nd_range.h"

namespace tegula::capi {

void put_fixed_range(const Range& range, const Datatype& type, void* into) {
  if (!into) refuse("C API: Invalid output pointer: it is null");
  Bytes bytes;
  tiledb::value_to_bytes(type, range.low, bytes);
  tiledb::value_to_bytes(type, range.high, bytes);
  std::memcpy(into, bytes.data(), bytes.size());
}

void put_var_sizes(const Range* range, std::uint64_t* low, std::uint64_t* high) {
  if (!range) return;
  out(low) = std::get<std::string>(range->low).size();
  out(high) = std::get<std::string>(range->high).size();
}

void put_var_range(const Range* range, void* low, void* high) {
  if (!range) return;
  const auto put = [](const Value& value, void* into) {
    const std::string& text = std::get<std::string>(value);
    if (text.empty()) return;
    if (!into) refuse("C API: Invalid output pointer: it is null");
    std::memcpy(into, text.data(), text.size());
  };
  put(range->low, low);
  put(range->high, high);
}

}  // namespace tegula::capi
