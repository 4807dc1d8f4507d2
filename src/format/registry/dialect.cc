#include "format/registry/dialect.h"

#include "tegula/capabilities.h"

namespace tegula {

Dialect dialect_of(const Schema& schema) {
  if (!capabilities(schema.format).numpy_types) return Dialect::tiledb;
  for (const Attribute& attribute : schema.attributes)
    for (const Filter& filter : attribute.filters)
      if (filter.name == "json2") return Dialect::objects;
  return Dialect::numpy;
}

}  // namespace tegula
