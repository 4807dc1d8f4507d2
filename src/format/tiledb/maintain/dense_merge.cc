#include "format/tiledb/maintain/dense_merge.h"

#include <algorithm>

#include "base/fail.h"
#include "format/tiledb/dense/dense_query.h"
#include "format/tiledb/write/write_dense.h"

namespace tegula::tiledb {

namespace {

// The box around all fragments.
DenseBox box_around(const Snapshot& snapshot, const Work& work) {
  const DenseGrid& grid = snapshot.grid();
  DenseBox box;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    std::uint64_t first = UINT64_MAX, last = 0;
    for (const auto& fragment : snapshot.fragments(work)) {
      if (fragment->domain().size() != grid.dimensions()) continue;  // holds nothing
      const std::optional<std::uint64_t> low = grid.index(d, fragment->domain()[d].low),
                                         high = grid.index(d, fragment->domain()[d].high);
      if (!low || !high) fail(ErrorKind::corrupt, "fragment {} has cells outside of the domain", fragment->name());
      first = std::min(first, *low);
      last = std::max(last, *high);
    }
    box.first.push_back(first);
    box.count.push_back(last - first + 1);
  }
  box.dropped.resize(box.first.size());
  box.reversed.resize(box.first.size());
  return box;
}

std::unique_ptr<BatchStream> cells_of(const std::shared_ptr<const Snapshot>& snapshot, const DenseBox& box,
                                      const Work& work) {
  Query query;
  query.select.emplace();
  for (std::size_t d = 0; d < box.first.size(); ++d)
    query.select->axes.emplace_back(
        Slice{static_cast<std::int64_t>(box.first[d]), static_cast<std::int64_t>(box.first[d] + box.count[d]), 1});
  query.order = Order::global;
  query.work = work;
  query.work.memory = work.memory / 4;
  return query_dense(snapshot, query);
}

// Cuts the box into slabs of whole tiles, each of about the bytes that a fragment may have, judging by what a cell
// takes in the inputs.
std::vector<DenseBox> slabs_of(const Snapshot& snapshot, const DenseBox& box, std::uint64_t bytes, const Work& work) {
  if (bytes == UINT64_MAX) return {box};
  const DenseGrid& grid = snapshot.grid();
  double stored = 0, cells = 0;
  for (const auto& fragment : snapshot.fragments(work)) {
    for (const FooterSlot& slot : fragment->footer().slots)
      stored += static_cast<double>(slot.file_size + slot.var_file_size + slot.validity_file_size);
    cells += static_cast<double>(fragment->total_cells());
  }
  const std::size_t lead = grid.tile_order == Order::col ? box.first.size() - 1 : 0;
  double layer = static_cast<double>(grid.extent[lead]) * stored / std::max(1.0, cells);
  for (std::size_t d = 0; d < box.count.size(); ++d)
    if (d != lead) layer *= static_cast<double>(box.count[d]);
  const double layers = std::max(1.0, static_cast<double>(bytes) / std::max(1.0, layer));
  const std::uint64_t end = box.first[lead] + box.count[lead];
  const std::uint64_t thick = layers * static_cast<double>(grid.extent[lead]) >= static_cast<double>(box.count[lead])
                                  ? box.count[lead]
                                  : static_cast<std::uint64_t>(layers) * grid.extent[lead];
  std::vector<DenseBox> slabs;
  for (std::uint64_t first = box.first[lead]; first < end;) {
    const std::uint64_t next = std::min(end, first - first % grid.extent[lead] + std::max<std::uint64_t>(thick, 1));
    DenseBox slab = box;
    slab.first[lead] = first;
    slab.count[lead] = std::max(next, first + 1) - first;
    first += slab.count[lead];
    slabs.push_back(std::move(slab));
  }
  return slabs;
}

}  // namespace

NewFragments merge_dense(const WriteTarget& target, std::shared_ptr<const Snapshot> snapshot,
                         std::uint64_t max_fragment_size, const Work& work) {
  FragmentTimes times{UINT64_MAX, 0};
  for (const auto& fragment : snapshot->fragments(work)) {
    times.first = std::min(times.first, fragment->first_time());
    times.last = std::max(times.last, fragment->last_time());
  }
  Work writing = work;
  writing.memory = work.memory / 4;
  NewFragments fragments;
  for (const DenseBox& box : slabs_of(*snapshot, box_around(*snapshot, work), max_fragment_size, work)) {
    DenseTileWriter writer(target, box, times);
    const std::unique_ptr<BatchStream> cells = cells_of(snapshot, box, work);
    while (const std::optional<Batch> batch = cells->next()) writer.add(*batch, writing);
    fragments.push_back(std::move(writer).finish());
  }
  return fragments;
}

}  // namespace tegula::tiledb
