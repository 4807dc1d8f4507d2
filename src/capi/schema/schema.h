// Array schemas.
#pragma once

#include <memory>
#include <vector>

#include "capi/core/handles.h"
#include "capi/schema/attribute.h"
#include "capi/schema/current_domain.h"
#include "capi/schema/domain.h"
#include "capi/schema/enumeration.h"
#include "format/tiledb/disk/array_schema.h"

namespace tegula::capi {

// A schema in parts that handles share.
struct SchemaParts {
  tiledb::ArraySchema rest;  // everything but what is below
  std::shared_ptr<Dimensions> dimensions;
  std::vector<std::shared_ptr<tiledb::SchemaAttribute>> attributes;
  std::vector<std::shared_ptr<const Enumeration>> enumerations;
  std::shared_ptr<CurrentDomain> current_domain = std::make_shared<CurrentDomain>();
  std::uint64_t first_time = 0, last_time = 0;
  std::string uri;  // of the array it was loaded from

  explicit SchemaParts(bool sparse);
  SchemaParts(const tiledb::ArraySchema& schema, const std::vector<Enumeration>& loaded);

  const tiledb::SchemaAttribute* attribute(std::string_view name) const;
  const std::shared_ptr<const Enumeration>* enumeration(std::string_view name) const;
  const tiledb::SchemaLabel* label(std::string_view name) const;

  // In one piece, with the extents of dimensions that were made without one. Throws Refusal without a domain.
  tiledb::ArraySchema stored() const;
  std::vector<Enumeration> stored_enumerations() const;
  // Throws what creating an array with it would throw.
  void check() const;
};

struct SchemaHandle {
  static constexpr std::string_view kName = "array schema";
  std::shared_ptr<SchemaParts> schema;
};

inline SchemaParts& schema_of(const SchemaHandle* handle) { return *checked(handle).schema; }

std::string dump(const SchemaParts& schema);

}  // namespace tegula::capi
