// Files below a folder of the local file system.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace tegula {

// The folder need not exist: everything in it then is absent, and the first put makes it.
std::shared_ptr<Store> open_file_store(std::string root, const StoreOptions& options = {});

// Scratch room in the system's folder for temporary files, for stores that have none of their own.
std::unique_ptr<Scratch> local_scratch();

}  // namespace tegula
