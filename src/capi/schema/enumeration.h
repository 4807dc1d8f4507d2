// Enumerations.
#pragma once

#include <memory>

#include "capi/core/handles.h"
#include "tegula/schema.h"

namespace tegula::capi {

// Never changes.
struct EnumerationHandle {
  static constexpr std::string_view kName = "enumeration";
  std::shared_ptr<const Enumeration> enumeration;
};

}  // namespace tegula::capi
