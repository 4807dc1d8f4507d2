// The message of an error, to be rethrown as another kind of error.
#pragma once

#include <algorithm>
#include <string_view>

#include "tegula/error.h"

namespace tegula {

// what() without the name of its kind, which the new error adds again. To leave out the contexts too, which the new
// error also adds, run what may throw under ContextNode::Adopt(nullptr).
inline std::string_view error_message(const Error& error) {
  std::string_view what = error.what();
  if (what.starts_with(name(error.kind()))) what.remove_prefix(std::min(what.size(), name(error.kind()).size() + 2));
  return what;
}

}  // namespace tegula
