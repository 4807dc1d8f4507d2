#include "format/zarr/meta/schema_model.h"

#include <algorithm>

namespace tegula::zarr {

std::vector<std::string> axis_names(const ArrayMeta& meta) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < meta.rank(); ++a) names.push_back("dim_" + std::to_string(a));
  const auto attribute =
      meta.attributes.is_object() ? meta.attributes.find("_ARRAY_DIMENSIONS") : meta.attributes.end();
  if (!meta.dimension_names.empty()) {
    for (std::size_t a = 0; a < meta.rank(); ++a)
      if (meta.dimension_names[a] && !meta.dimension_names[a]->empty()) names[a] = *meta.dimension_names[a];
  } else if (meta.attributes.is_object() && attribute != meta.attributes.end() && attribute->is_array() &&
             attribute->size() == meta.rank()) {
    for (std::size_t a = 0; a < meta.rank(); ++a)
      if ((*attribute)[a].is_string()) names[a] = (*attribute)[a].get<std::string>();
  }
  // Queries refer to axes by name: axes that share a name get default names.
  for (std::size_t a = 0; a < names.size(); ++a)
    if (std::count(names.begin(), names.end(), names[a]) > 1) names[a] = "dim_" + std::to_string(a);
  return names;
}

Schema schema_of(const ArrayMeta& meta) {
  Schema schema;
  schema.format = "zarr" + std::to_string(meta.version);
  schema.format_version = static_cast<std::uint32_t>(meta.version);
  const std::vector<std::string> names = axis_names(meta);
  for (std::size_t a = 0; a < meta.rank(); ++a) {
    Dimension dimension;
    dimension.name = names[a];
    dimension.type = Datatype(TypeId::uint64);
    if (meta.shape[a] > 0) dimension.domain = {std::uint64_t{0}, meta.shape[a] - 1};
    dimension.tile = meta.chunks[a];
    schema.dimensions.push_back(std::move(dimension));
  }
  Attribute attribute;
  attribute.type = meta.cell.type;
  attribute.values_per_cell = meta.cell.var ? kVar : 1;
  attribute.fill = meta.cell.fill;
  attribute.fill_defined = meta.fill_defined;
  attribute.filters = meta.filters;
  schema.attributes.push_back(std::move(attribute));
  const auto& permutation = meta.chain.permutation;
  const bool reversed =
      meta.rank() > 1 && permutation.size() == meta.rank() && std::is_sorted(permutation.rbegin(), permutation.rend());
  schema.cell_order = reversed ? Order::col : Order::row;
  return schema;
}

}  // namespace tegula::zarr
