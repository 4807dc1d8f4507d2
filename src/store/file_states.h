// Stores that can say in which state a file is.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tegula {

struct FileState {
  std::string_view key;
  std::string state;  // another text after any change of the file; "" when it is absent or its state is not known
};

// What a Store may be besides: one that tells states without reading files, with small requests.
class FileStates {
 public:
  virtual ~FileStates() = default;
  // All of them, as if asked for at once.
  virtual void states(std::span<FileState> files) const = 0;
};

}  // namespace tegula
