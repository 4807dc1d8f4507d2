#include "model/schema_keeper.h"

#include <algorithm>

namespace tegula {

namespace {

bool same(const Dimension& a, const Dimension& b) {
  return a.name == b.name && a.type == b.type && a.values_per_cell == b.values_per_cell && a.domain == b.domain &&
         a.tile == b.tile && a.filters == b.filters;
}

bool same(const Attribute& a, const Attribute& b) {
  return a.name == b.name && a.type == b.type && a.values_per_cell == b.values_per_cell && a.nullable == b.nullable &&
         a.fill == b.fill && a.fill_valid == b.fill_valid && a.fill_defined == b.fill_defined &&
         a.filters == b.filters && a.enumeration == b.enumeration && a.cell_shape == b.cell_shape;
}

bool same(const Enumeration& a, const Enumeration& b) {
  return a.name == b.name && a.type == b.type && a.values_per_cell == b.values_per_cell && a.ordered == b.ordered &&
         a.data == b.data && a.offsets == b.offsets;
}

bool same(const Label& a, const Label& b) {
  return a.name == b.name && a.dimension == b.dimension && a.type == b.type && a.values_per_cell == b.values_per_cell &&
         a.increasing == b.increasing;
}

template <class T>
bool same_lists(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

}  // namespace

bool same_schema(const Schema& a, const Schema& b) {
  return same_lists(a.dimensions, b.dimensions) && same_lists(a.attributes, b.attributes) && a.format == b.format &&
         a.format_version == b.format_version && a.sparse == b.sparse && a.table == b.table &&
         a.tile_order == b.tile_order && a.cell_order == b.cell_order && a.capacity == b.capacity &&
         a.allows_duplicates == b.allows_duplicates && a.coords_filters == b.coords_filters &&
         a.offsets_filters == b.offsets_filters && a.validity_filters == b.validity_filters &&
         same_lists(a.enumerations, b.enumerations) && same_lists(a.labels, b.labels) &&
         a.current_domain == b.current_domain;
}

const Schema& SchemaKeeper::keep(std::shared_ptr<const Schema> schema) const {
  const std::lock_guard lock(mutex_);
  // Newest first: it is nearly always that one.
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const std::shared_ptr<const Schema>& kept) {
    return kept == schema || same_schema(*kept, *schema);
  });
  if (found != kept_.rend()) return **found;
  kept_.push_back(std::move(schema));
  return *kept_.back();
}

std::size_t SchemaKeeper::size() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

}  // namespace tegula
