// Throwing an Error with a formatted message.
#pragma once

#include <fmt/core.h>

#include "tegula/error.h"

namespace tegula {

[[noreturn]] void fail_with(ErrorKind kind, fmt::string_view format, fmt::format_args args);

// Only forwards its arguments: there are hundreds of calls, and each should compile to little code.
template <class... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  fail_with(kind, format, fmt::make_format_args(args...));
}

}  // namespace tegula
