// Attributes.
#pragma once

#include <memory>

#include "capi/core/handles.h"
#include "format/tiledb/disk/array_schema.h"

namespace tegula::capi {

// Shared with the schemas it was added to: a later change shows in them.
struct AttributeHandle {
  static constexpr std::string_view kName = "attribute";
  std::shared_ptr<tiledb::SchemaAttribute> attribute;
};

std::string dump(const tiledb::SchemaAttribute& attribute);

}  // namespace tegula::capi
