// Files being written, and scratch files.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "store/file/root_folder.h"
#include "store/store.h"

namespace tegula {

// Both borrow `root`. state_of(key) tells the state of the file of that name.
using StateOf = std::function<std::string(std::string_view key)>;
std::unique_ptr<Upload> begin_upload(const RootFolder& root, std::string_view key, StateOf state_of);
// A file without a name, which the system removes with its last descriptor.
std::unique_ptr<Scratch> make_scratch(const RootFolder& root);

}  // namespace tegula
