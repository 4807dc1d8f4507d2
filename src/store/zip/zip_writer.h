// Writing a new zip archive.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace tegula {

// A store whose files become the members of a new archive. Until finish() they are in scratch room of the archive's
// store, where they can be read, replaced and removed; when it is dropped before that, nothing is left of it.
// Thread-safe, finish() excepted.
class ZipWriter : public Store {
 public:
  // Writes the archive, which appears whole and replaces what had its name. Members are stored as they are, in the
  // order in which their names first came up: what was created first, the documents of an array, is at its beginning.
  // Dates are left out, so that equal files make equal archives.
  virtual void finish(const Work& work) = 0;
};

std::shared_ptr<ZipWriter> zip_writer(std::shared_ptr<Store> store, std::string key);

}  // namespace tegula
