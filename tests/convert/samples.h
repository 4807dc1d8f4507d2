// Small schemas and cells of several kinds.
#pragma once

#include <cstdint>
#include <string>

#include "base/endian.h"
#include "query/columns/gather.h"
#include "tegula/columns.h"
#include "tegula/schema.h"

namespace tegula {

inline Attribute attribute(const char* name, TypeId type, std::uint32_t values_per_cell = 1, bool nullable = false) {
  Attribute a;
  a.name = name;
  a.type = type;
  a.values_per_cell = values_per_cell;
  a.nullable = nullable;
  a.fill = Bytes(a.cell_size(), std::byte{0});
  return a;
}

inline Dimension dimension(const char* name, std::int64_t high, std::int64_t tile) {
  Dimension d;
  d.name = name;
  d.type = TypeId::int64;
  d.domain = {std::int64_t{0}, high};
  d.tile = tile;
  return d;
}

template <class T>
void put(Bytes& out, T value) {
  out.resize(out.size() + sizeof(T));
  store_le(out.data() + out.size() - sizeof(T), value);
}

// Numbers, texts of many lengths, and numbers of which some are null; all different. `seed` makes others.
inline Batch cells_for(const Schema& schema, std::uint64_t cells, std::int32_t seed = 0) {
  Batch batch;
  batch.cells = cells;
  for (const Attribute& a : schema.attributes) {
    Column column = empty_column(field_info(a, schema));
    for (std::uint64_t i = 0; i < cells; ++i) {
      if (column.var()) {
        const std::string text = std::string(i % 5, 'a') + std::to_string(i + static_cast<std::uint64_t>(seed));
        column.data.insert(column.data.end(), bytes_of(text).begin(), bytes_of(text).end());
        column.offsets.push_back(column.data.size());
      } else {
        put(column.data, static_cast<std::int32_t>(i * 3) + seed);
      }
      if (a.nullable) column.validity.push_back(std::byte{i % 3 != 0});
    }
    batch.columns.push_back(std::move(column));
  }
  return batch;
}

// The same with coordinates for a sparse array of the dimensions x and y, 0 to 999.
inline Batch points_for(const Schema& schema, std::uint64_t cells, std::int32_t seed = 0) {
  Batch batch = cells_for(schema, cells, seed);
  for (const char* name : {"x", "y"}) {
    Column column;
    column.name = name;
    column.type = TypeId::int64;
    for (std::uint64_t i = 0; i < cells; ++i)
      put(column.data, static_cast<std::int64_t>((*name == 'x' ? i * 37 : i * 11) % 1000));
    batch.columns.push_back(std::move(column));
  }
  return batch;
}

}  // namespace tegula
