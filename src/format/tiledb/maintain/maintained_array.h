// The array that maintenance works on, and the paths that its files name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "format/tiledb/read/array_contents.h"
#include "store/store.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

// options.at is ignored: maintenance looks at what readers see now.
struct MaintainedArray {
  std::shared_ptr<Store> store;
  OpenOptions options;
};

// Whether an operation only plans, or carries out its plan.
enum class Doing : std::uint8_t { plan, change };

// With the newest schema and the fragments visible now, which are not loaded yet.
ArrayContents open_now(const MaintainedArray& array);

// A line of a .vac file: a path relative to the array from version 19 on, a whole URI before.
std::string vacuum_line(const Store& store, std::string_view key, std::uint32_t version);

}  // namespace tegula::tiledb
