#pragma once

#define TEGULA_VERSION_MAJOR 0
#define TEGULA_VERSION_MINOR 1
#define TEGULA_VERSION_PATCH 0
#define TEGULA_VERSION "0.1.0"

namespace tegula {
// Of the library linked, which may differ from the headers compiled against.
const char* version() noexcept;
}  // namespace tegula
