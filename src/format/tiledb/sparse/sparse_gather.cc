#include "format/tiledb/sparse/sparse_gather.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "format/tiledb/sparse/sparse_values.h"
#include "query/columns/copy_picked.h"
#include "query/columns/gather.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kBlock = 1 << 15;

Column gather_parallel(const Column& column, std::span<const std::uint64_t> order, const Work& work) {
  Column out = empty_like(column);
  const auto for_blocks = [&](const auto& body) {
    parallel_for(work, (order.size() + kBlock - 1) / kBlock, [&](std::size_t b) {
      const std::uint64_t first = b * kBlock;
      body(first, order.subspan(first, std::min<std::uint64_t>(kBlock, order.size() - first)));
    });
  };
  if (column.nullable) {
    out.validity.resize(order.size());
    for_blocks([&](std::uint64_t first, std::span<const std::uint64_t> some) {
      copy_picked(column.validity.data(), 1, some, out.validity.data() + first);
    });
  }
  if (!column.var()) {
    const std::size_t size = column.cell_size();
    out.data.resize(order.size() * size);
    for_blocks([&](std::uint64_t first, std::span<const std::uint64_t> some) {
      copy_picked(column.data.data(), size, some, out.data.data() + first * size);
    });
    return out;
  }
  out.offsets.resize(order.size() + 1);
  out.offsets[0] = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    out.offsets[i + 1] = out.offsets[i] + (column.offsets[order[i] + 1] - column.offsets[order[i]]);
  out.data.resize(out.offsets[order.size()]);
  for_blocks([&](std::uint64_t first, std::span<const std::uint64_t> some) {
    for (std::size_t i = 0; i < some.size(); ++i)
      if (const ByteView cell = column.cell(some[i]); !cell.empty())
        std::memcpy(out.data.data() + out.offsets[first + i], cell.data(), cell.size());
  });
  return out;
}

}  // namespace

std::vector<Column> gather_fields(const SparseQuery& query, const SparseCells& cells,
                                  std::span<const std::uint64_t> order, std::span<const FieldInfo> fields,
                                  const Work& work) {
  // Tiles and chunks without any candidate left are not read.
  std::optional<SparseHits> fewer;
  Buffer<std::uint64_t> renumbered;
  const auto shrink = [&] {
    const std::uint64_t count = cells.found.count();
    Buffer<std::uint8_t> used;
    used.assign(count, 0);
    for (const std::uint64_t candidate : order) used[candidate] = 1;
    fewer = cells.found;
    keep_hits(*fewer, used);
    Buffer<std::uint64_t> numbers(count);
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      numbers[i] = next;
      next += used[i];
    }
    renumbered.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) renumbered[i] = numbers[order[i]];
  };

  std::vector<Column> columns;
  for (const FieldInfo& field : fields) {
    if (field.dimension) {
      const std::size_t d = *query.snapshot->schema().dimension_index(field.name);
      columns.push_back(gather_parallel(cells.coordinates[d], order, work));
      continue;
    }
    if (!fewer && order.size() < cells.found.count()) shrink();
    const std::vector<Column> read = read_hits(query, fewer ? *fewer : cells.found, std::span(&field, 1), work);
    columns.push_back(gather_parallel(read[0], fewer ? std::span<const std::uint64_t>(renumbered) : order, work));
  }
  return columns;
}

}  // namespace tegula::tiledb
