// __attrs__: the user attributes of a carray or ctable, one JSON object.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "store/store.h"
#include "tegula/array.h"

namespace tegula::bcolz {

// A missing or empty file means no attributes. Throws corrupt.
Metadata read_attributes(const Store& store);
// Rewrites the file; attributes that stay keep their order. Throws unsupported for values that JSON does not have.
void change_attributes(Store& store, const std::map<std::string, std::optional<MetaValue>>& changes);

}  // namespace tegula::bcolz
