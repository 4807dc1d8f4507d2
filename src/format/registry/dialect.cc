#include "format/registry/dialect.h"

namespace tegula {

Dialect dialect_of(const Schema& schema) {
  for (const Attribute& attribute : schema.attributes)
    for (const Filter& filter : attribute.filters)
      if (filter.name == "json2") return Dialect::objects;
  return Dialect::common;
}

Dialect dialect_of(const Query& query, const Schema& schema) {
  return query.as_libtiledb ? Dialect::libtiledb : dialect_of(schema);
}

}  // namespace tegula
