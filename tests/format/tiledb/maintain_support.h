// What the tests of consolidation and vacuum share: what a reader sees of an array, as text.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "format/tiledb/reader_support.h"
#include "format/tiledb/write_support.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb::writing {

inline WriteOptions at(std::uint64_t time) {
  WriteOptions options;
  options.at = time;
  return options;
}

inline OpenOptions opened(std::optional<std::uint64_t> time = {}, const Bytes& key = {}) {
  OpenOptions options;
  options.key = key;
  if (time) options.at = {0, *time};
  return options;
}

// One line per cell, in global order; where cells may repeat, sorted.
inline std::vector<std::string> cells_at(const std::shared_ptr<Store>& store, std::optional<std::uint64_t> time = {},
                                         const Bytes& key = {}) {
  const TiledbArray array(store, opened(time, key));
  Query query;
  if (array.schema().sparse) query.order = Order::global;
  const Batch batch = ask(array, query);
  std::vector<std::string> lines(batch.cells);
  for (const Column& column : batch.columns)
    for (std::size_t i = 0; i < batch.cells; ++i) {
      lines[i] += column.name + "=";
      if (!column.valid(i)) {
        lines[i] += "null ";
        continue;
      }
      for (const std::byte b : column.cell(i)) lines[i] += fmt::format("{:02x}", static_cast<unsigned>(b));
      lines[i] += " ";
    }
  if (array.schema().allows_duplicates) std::sort(lines.begin(), lines.end());
  return lines;
}

inline std::size_t fragments_of(const std::shared_ptr<Store>& store, const Bytes& key = {}) {
  return TiledbArray(store, opened({}, key)).info({}).fragments.size();
}

// Writes four times, at 10, 20, 30 and 40: cells that are partly the same. The third has the coordinates of the first.
inline std::shared_ptr<Array> write_four(const std::shared_ptr<Store>& store, const Case& c, std::uint32_t version,
                                         const Bytes& key = {}) {
  CreateOptions options;
  options.format_version = version;
  options.key = key;
  options.at = 1;
  const std::shared_ptr<Array> array = create_array(store, c.schema, options);
  for (std::uint64_t i = 0; i < 4; ++i) {
    if (c.schema.sparse) {
      const std::uint64_t count = i == 1 ? c.cells / 2 : i == 3 ? c.cells / 5 : c.cells;
      Batch batch = random_cells(c.schema, count, 7 + (i == 2 ? 0 : i));
      const Batch other = random_cells(c.schema, count, 70 + i);
      for (std::size_t k = c.schema.dimensions.size(); k < batch.columns.size(); ++k)
        batch.columns[k] = other.columns[k];
      array->write(batch, at(10 * (i + 1)));
    } else {
      auto box = c.box;
      box[0].first += i;
      box[0].second -= 2 * i;
      box[1].first -= std::min<std::uint64_t>(box[1].first, 2 * i);
      std::uint64_t cells = 1;
      for (const auto& [first, count] : box) cells *= count;
      array->write(box_selection(box), random_cells(c.schema, cells, 7 + i), at(10 * (i + 1)));
    }
  }
  return array;
}

}  // namespace tegula::tiledb::writing
