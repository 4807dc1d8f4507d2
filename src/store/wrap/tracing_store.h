// A store that reports the requests to another one as text.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "store/store.h"

namespace tegula {

// Calls `sink` with one line per request, on the thread that made it: "read __fragments/x/a0.tdb 0+65536".
std::shared_ptr<Store> tracing_store(std::shared_ptr<Store> store, std::function<void(std::string_view)> sink);

}  // namespace tegula
