// Opening a store by its URI.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace tegula {

// Plain paths, URIs of the schemes in the table of open_store.cc, and zip archives in any of them
// (store/zip/archive_uri.h). A mem:// store lives as long as the process; its name finds it again. Nothing is read yet,
// but of archives their directory.
std::shared_ptr<Store> open_store(const std::string& uri, const StoreOptions& options = {});

}  // namespace tegula
