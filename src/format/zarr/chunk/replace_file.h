// Changing files that other processes and machines may change at the same time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "store/store.h"

namespace tegula::zarr {

// Puts make(bytes of the file, none when it is absent) in place of the file. When somebody else changed it meanwhile,
// it starts again from what is there then, so that no change is lost: of stores that say `conditional`. Throws io when
// others are always first.
void replace_file(Store& store, const std::string& key, const std::function<Bytes(std::optional<ByteView> old)>& make);

}  // namespace tegula::zarr
