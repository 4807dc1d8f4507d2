// Consolidation, vacuum, deletion and evolution of arrays by URI.
#pragma once

#include "capi/schema/schema.h"
#include "tegula/tiledb.h"

namespace tegula::capi {

struct EvolutionHandle {
  static constexpr std::string_view kName = "array schema evolution";
  tiledb::Evolution changes;
  std::uint64_t time = 0;
};

}  // namespace tegula::capi
