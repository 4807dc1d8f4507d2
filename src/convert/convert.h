// Copies an array into another format or another grid.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "convert/target.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula {

struct ConvertOptions {
  TargetOptions target;
  CreateOptions create;
  bool lossy = false;  // go on when the target cannot hold everything
};

// Makes the target array in `store` and fills it block by block, holding about work.memory / 4 at once. Throws
// Error(unsupported) before anything is written when something would be lost and `lossy` is not set. Returns the new
// array.
std::shared_ptr<Array> convert(const Array& source, std::shared_ptr<Store> store, const ConvertOptions& options,
                               const Work& work);

}  // namespace tegula
