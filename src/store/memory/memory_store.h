// Files in memory, for tests and scratch.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "store/store.h"

namespace tegula {

std::shared_ptr<Store> make_memory_store();
// The store of that name, which lives as long as the process; "a/b" is the folder "b" of "a".
std::shared_ptr<Store> open_memory_store(std::string_view name);

}  // namespace tegula
