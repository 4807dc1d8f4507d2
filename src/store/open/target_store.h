// Where a new array goes.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace tegula {

class ZipWriter;

// A store to create an array in; finish() once it is complete.
struct TargetStore {
  std::shared_ptr<Store> store;
  std::shared_ptr<ZipWriter> archive;  // null unless the store becomes a zip archive

  // Nothing to do but for archives, which appear here.
  void finish(const Work& work) const;
};

// As open_store(), but a URI whose name ends in .zip or .ozx becomes a new archive, unless there is a folder of that
// name. Throws invalid_argument when there is such an archive and `overwrite` does not allow to replace it.
TargetStore open_target(const std::string& uri, const StoreOptions& options, bool overwrite);

}  // namespace tegula
