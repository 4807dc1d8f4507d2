// Messages of errors that are told anew, from another side.
#pragma once

#include <algorithm>
#include <string_view>

#include "tegula/error.h"

namespace tegula {

// what() without the kind, which the new error names itself. Made under ContextNode::Adopt(nullptr), it has no contexts
// either, which the new error adds.
inline std::string_view error_message(const Error& error) {
  std::string_view what = error.what();
  if (what.starts_with(name(error.kind()))) what.remove_prefix(std::min(what.size(), name(error.kind()).size() + 2));
  return what;
}

}  // namespace tegula
