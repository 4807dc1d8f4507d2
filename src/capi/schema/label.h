// Dimension labels of a schema.
#pragma once

#include "capi/core/handles.h"
#include "format/tiledb/disk/array_schema.h"

namespace tegula::capi {

struct LabelHandle {
  static constexpr std::string_view kName = "dimension label";
  tiledb::SchemaLabel label;
  std::string uri;  // absolute when the schema was loaded from an array
};

}  // namespace tegula::capi
