// From a URI to the store behind it.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace tegula {

// Plain paths, file:// and mem:// URIs. A mem:// store lives as long as the process and is found again by its name.
std::shared_ptr<Store> open_store(const std::string& uri, const StoreOptions& options = {});

}  // namespace tegula
