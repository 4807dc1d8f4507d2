// Dimensions and the domain they make.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "capi/core/handles.h"
#include "format/tiledb/disk/array_schema.h"

namespace tegula::capi {

using Dimensions = std::vector<std::shared_ptr<tiledb::SchemaDimension>>;

// Shared with the domains it was added to: a later change shows in them.
struct DimensionHandle {
  static constexpr std::string_view kName = "dimension";
  std::shared_ptr<tiledb::SchemaDimension> dimension;
};

struct DomainHandle {
  static constexpr std::string_view kName = "domain";
  std::shared_ptr<Dimensions> dimensions;
};

// The place of the dimension. Throws Refusal when there is none.
std::size_t dimension_index(const Dimensions& dimensions, std::string_view name);
std::size_t checked_index(const Dimensions& dimensions, std::uint64_t index);

std::string dump(const tiledb::SchemaDimension& dimension);
std::string dump(const Dimensions& dimensions);

// The whole domain as an extent, for dimensions that were made without one.
Bytes whole_extent(const tiledb::SchemaDimension& dimension);

}  // namespace tegula::capi
