// Files behind URIs, on the stores of the engine.
#pragma once

#include <memory>
#include <string>

#include "capi/files/place.h"

namespace tegula::capi {

struct VfsHandle {
  static constexpr std::string_view kName = "virtual filesystem";
  std::shared_ptr<ContextState> context;
  Config config;
  std::string memory;  // where its mem:// files are
};

// An open file. What is written appears, whole, when the file is synced or closed.
struct FileHandle {
  static constexpr std::string_view kName = "virtual filesystem file handle";
  Place place;
  std::int32_t mode = 0;  // read, write, append
  bool open = true;
  bool changed = false;
  Bytes written = {};
  void flush();
};

}  // namespace tegula::capi
