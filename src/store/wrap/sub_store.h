// A folder of a store as a store of its own.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace tegula {

// Views `prefix` of another store as a store of its own.
std::shared_ptr<Store> sub_store(std::shared_ptr<Store> store, std::string prefix);

}  // namespace tegula
