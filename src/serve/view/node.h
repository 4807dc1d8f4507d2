// Nodes of what is served: arrays, and groups made of the fields of one array.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "serve/view/kept_cells.h"
#include "serve/view/served_array.h"
#include "tegula/array.h"

namespace tegula::serve {

struct Node {
  std::shared_ptr<const ServedArray> array;  // null: a group
  Json attributes = Json::object();          // of a group
  // The arrays of a group that stands for one array or table.
  std::map<std::string, std::shared_ptr<const ServedArray>, std::less<>> fields = {};
};

// The attribute of a group that says what is in the source and not served, with the reasons.
inline constexpr const char* kNotServed = "tegula_not_served";

struct NodeOptions {
  int version = 3;         // of zarr: 2 or 3
  std::string name = {};   // of the array, for axes without names
  std::string state = {};  // of the array: Driver::state
  Work work = {};
  std::shared_ptr<KeptCells> kept = {};  // of sparse arrays; null: none are kept
};

// An array of one field without a name is an array; everything else, and everything of a format whose arrays may have
// several fields, is a group. Fields that cannot be served are listed in the attribute kNotServed; when that is the
// only field, Error(unsupported).
Node array_node(const std::shared_ptr<const Array>& array, const NodeOptions& options);

// Metadata as JSON, as attributes hold it.
Json attributes_of(const Metadata& metadata);

}  // namespace tegula::serve
