#include "query/columns/field.h"

namespace tegula {

FieldInfo field_info(const Attribute& attribute, const Schema& schema) {
  FieldInfo info{attribute.name, attribute.type, attribute.values_per_cell, attribute.nullable, false, nullptr};
  if (!attribute.enumeration.empty()) info.enumeration = schema.enumeration(attribute.enumeration);
  return info;
}

FieldInfo field_info(const Dimension& dimension) {
  return {dimension.name, dimension.type, dimension.values_per_cell, false, true, nullptr};
}

std::vector<FieldInfo> field_infos(const Schema& schema) {
  std::vector<FieldInfo> infos;
  infos.reserve(schema.attributes.size() + schema.dimensions.size());
  for (const Attribute& attribute : schema.attributes) infos.push_back(field_info(attribute, schema));
  for (const Dimension& dimension : schema.dimensions) infos.push_back(field_info(dimension));
  return infos;
}

ColumnView::ColumnView(const Column& column)
    : data(column.data.data()),
      offsets(column.var() ? column.offsets.data() : nullptr),
      validity(column.nullable ? column.validity.data() : nullptr) {}

}  // namespace tegula
