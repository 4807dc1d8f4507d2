// The names in a folder that changes while it is read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tegula {

struct FolderNames {
  std::vector<std::string> names;
  bool steady = true;  // the folder did not change while it was read
};

// Reads a folder, if need be several times, until no file is missed together with the one that took its place. A
// folder that is read while a file appears in it and another is removed may show neither of them: an array whose
// fragments are consolidated and vacuumed meanwhile would look empty. Sorted by name; nullopt when names keep appearing
// and disappearing.
std::optional<std::vector<std::string>> steady_names(const std::function<FolderNames()>& read);

}  // namespace tegula
