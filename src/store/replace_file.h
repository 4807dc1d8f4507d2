// Changing files that other processes and machines may change at the same time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "store/store.h"

namespace tegula {

// The new bytes of a file, from those that it has: none when it is absent. No result: it stays as it is.
using MakeFile = std::function<std::optional<Bytes>(std::optional<ByteView> old)>;

// Puts what `make` makes in place of the file. When somebody else changed it meanwhile, it starts again from what is
// there then, so that no change is lost: of stores that say `conditional`. Throws io when others are always first.
void replace_file(Store& store, const std::string& key, const MakeFile& make);

}  // namespace tegula
