// A folder of a store as a store.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace tegula {

// Keys of the new store are below `prefix` of the other.
std::shared_ptr<Store> sub_store(std::shared_ptr<Store> store, std::string prefix);

}  // namespace tegula
