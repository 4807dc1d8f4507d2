// Replacing a whole folder at once.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace tegula {

// The new folder is written into ".tegula-replace-NAME" beside the old one, of which the real path counts, and then the
// two exchange their names. Where the file system cannot do that, the old one is moved there and the new one gets its
// name: a stop between the two leaves no folder of that name, and finish_swap() mends it. A lock in that folder keeps
// others from replacing the same folder meanwhile: Error(io).
std::unique_ptr<Replacement> swap_folder(const std::string& path, const StoreOptions& options);

// Gives the new folder its name where a swap was stopped before that. False: nothing of that kind is there.
bool finish_swap(const std::string& path, const StoreOptions& options);

}  // namespace tegula
