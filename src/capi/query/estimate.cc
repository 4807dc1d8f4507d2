#include "capi/query/estimate.h"

#include <algorithm>
#include <cmath>

#include "base/product.h"
#include "format/tiledb/order/dense_grid.h"

namespace tegula::capi {

namespace {

bool overlaps(const tiledb::SchemaDimension& dimension, const RawRange& range, const Range& domain) {
  if (dimension.var() && range.low.empty() && range.high.empty()) return true;  // the whole dimension
  Bytes low, high;
  tiledb::value_to_bytes(dimension.type, domain.low, low);
  tiledb::value_to_bytes(dimension.type, domain.high, high);
  return tiledb::compare_values(dimension.type, dimension.var(), range.low, high) <= 0 &&
         tiledb::compare_values(dimension.type, dimension.var(), low, range.high) <= 0;
}

bool touches(const Subarray& subarray, const tiledb::Fragment& fragment) {
  for (std::size_t d = 0; d < subarray.dimensions().size(); ++d) {
    const std::vector<RawRange>& ranges = subarray.ranges(d);
    if (std::none_of(ranges.begin(), ranges.end(), [&](const RawRange& range) {
          return overlaps(subarray.dimensions()[d], range, fragment.domain()[d]);
        }))
      return false;
  }
  return true;
}

std::uint64_t dense_cells(const QueryState& query) {
  const tiledb::ArraySchema& schema = query.array()->stored_schema();
  const tiledb::DenseGrid grid = tiledb::make_grid(schema);
  std::uint64_t cells = 1;
  for (std::size_t d = 0; d < schema.dimensions.size(); ++d) {
    std::uint64_t along = 0;
    for (const RawRange& range : query.subarray()->ranges(d)) {
      const auto low = grid.index(d, value_of(schema.dimensions[d].type, false, range.low)),
                 high = grid.index(d, value_of(schema.dimensions[d].type, false, range.high));
      if (low && high) along += *high - *low + 1;
    }
    cells = saturated_product(cells, along);
  }
  return cells;
}

// Cells, and bytes of variable cells, in the fragments that the ranges touch.
struct Stored {
  std::uint64_t cells = 0, var_bytes = 0;
};
Stored stored_in(const QueryState& query, std::string_view name, bool var) {
  const auto snapshot = query.array()->engine().snapshot();
  Stored all;
  for (const auto& fragment : snapshot->fragments(query.array()->work())) {
    if (!touches(*query.subarray(), *fragment)) continue;
    all.cells += fragment->total_cells();
    const tiledb::StoredField* field = fragment->field(name);
    if (!field || !var || !field->var()) continue;
    for (const std::uint64_t size : fragment->var_sizes(field->slot)) all.var_bytes += size;
  }
  return all;
}

}  // namespace

Estimate estimate(const QueryState& query, std::string_view name) {
  if (query.type() != QueryType::read)
    refuse("Query: Cannot get estimated result size; Operation only applicable to read queries");
  const QueryField field = query.field(name);
  const bool sparse = query.array()->stored_schema().sparse;
  Stored stored;
  if (sparse || field.var()) stored = stored_in(query, name, field.var());
  const std::uint64_t cells = sparse ? stored.cells : dense_cells(query);
  Estimate result;
  if (!field.var()) {
    result.data = saturated_product(cells, field.cell_size());
  } else {
    result.offsets = saturated_product(cells, 8);
    // As many bytes in a cell as on average, and the fill value where nobody wrote.
    const double share =
        stored.cells == 0 ? 0 : std::min(1.0, static_cast<double>(cells) / static_cast<double>(stored.cells));
    result.data = static_cast<std::uint64_t>(std::ceil(static_cast<double>(stored.var_bytes) * share));
    if (!sparse && cells > stored.cells) result.data += (cells - stored.cells) * field.type.size;
  }
  if (field.nullable) result.validity = cells;
  return result;
}

namespace {

Estimate checked_estimate(const QueryHandle* handle, const char* name, bool var, bool nullable) {
  const QueryState& query = query_of(handle);
  const QueryField field = query.field(given(name, "field name"));
  if (field.var() != var)
    refuse("Subarray: Cannot get estimated result size; Input attribute/dimension '{}' is not {}", name,
           var ? "var-sized" : "fixed-sized");
  if (field.nullable != nullable)
    refuse("Subarray: Cannot get estimated result size; Input attribute '{}' is {}", name,
           nullable ? "not nullable" : "nullable");
  return estimate(query, name);
}

}  // namespace

TEGULA_CAPI std::int32_t tiledb_query_get_est_result_size(ContextHandle* context, const QueryHandle* handle,
                                                          const char* name, std::uint64_t* size) {
  return enter(context, [&](const auto&) { out(size) = checked_estimate(handle, name, false, false).data; });
}

TEGULA_CAPI std::int32_t tiledb_query_get_est_result_size_nullable(ContextHandle* context, const QueryHandle* handle,
                                                                   const char* name, std::uint64_t* size,
                                                                   std::uint64_t* validity) {
  return enter(context, [&](const auto&) {
    const Estimate found = checked_estimate(handle, name, false, true);
    out(size) = found.data;
    out(validity) = found.validity;
  });
}

TEGULA_CAPI std::int32_t tiledb_query_get_est_result_size_var(ContextHandle* context, const QueryHandle* handle,
                                                              const char* name, std::uint64_t* offsets,
                                                              std::uint64_t* size) {
  return enter(context, [&](const auto&) {
    const Estimate found = checked_estimate(handle, name, true, false);
    out(offsets) = found.offsets;
    out(size) = found.data;
  });
}

TEGULA_CAPI std::int32_t tiledb_query_get_est_result_size_var_nullable(ContextHandle* context,
                                                                       const QueryHandle* handle, const char* name,
                                                                       std::uint64_t* offsets, std::uint64_t* size,
                                                                       std::uint64_t* validity) {
  return enter(context, [&](const auto&) {
    const Estimate found = checked_estimate(handle, name, true, true);
    out(offsets) = found.offsets;
    out(size) = found.data;
    out(validity) = found.validity;
  });
}

}  // namespace tegula::capi
