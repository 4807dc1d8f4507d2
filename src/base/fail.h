// Throwing an Error with a formatted message.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "tegula/error.h"

namespace tegula {

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tegula
