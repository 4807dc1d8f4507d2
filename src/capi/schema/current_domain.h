// Current domains, and the rectangles they are made of.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "capi/core/handles.h"
#include "capi/schema/domain.h"
#include "format/tiledb/disk/nd_range.h"

namespace tegula::capi {

// A range for each dimension of a domain, as raw bytes; both empty when it is not set yet.
struct NdRectangle {
  std::vector<std::string> names;
  std::vector<tiledb::DimensionType> types;
  std::vector<std::pair<Bytes, Bytes>> ranges;

  NdRectangle() = default;
  explicit NdRectangle(const Dimensions& dimensions);
};

struct NdRectangleHandle {
  static constexpr std::string_view kName = "ndrectangle";
  std::shared_ptr<NdRectangle> rectangle;
};

struct CurrentDomain {
  std::shared_ptr<NdRectangle> rectangle;  // null: empty
};

struct CurrentDomainHandle {
  static constexpr std::string_view kName = "current domain";
  std::shared_ptr<CurrentDomain> domain;
};

CurrentDomain current_domain_from(const std::optional<tiledb::NdRange>& stored, const Dimensions& dimensions);
// No value for an empty one. Throws Refusal when a dimension has no range.
std::optional<tiledb::NdRange> stored_current_domain(const CurrentDomain& domain);
std::string dump(const CurrentDomain& domain);

}  // namespace tegula::capi
