#include "format/tiledb/fragment_target.h"

#include <algorithm>

#include "format/tiledb/array.h"
#include "format/tiledb/disk/versions.h"
#include "format/tiledb/pass_tiles.h"
#include "tegula/tiledb.h"

namespace tegula::tiledb {

namespace {

// Differences are right for signed and unsigned values alike.
std::uint64_t bits_of(const Value& value) {
  const auto* i = std::get_if<std::int64_t>(&value);
  const auto* u = std::get_if<std::uint64_t>(&value);
  return i ? static_cast<std::uint64_t>(*i) : u ? *u : 0;
}

// Are the cells stored in the global order of `to`?
bool same_order(const Array& from, const Schema& to) {
  const Schema& schema = from.schema();
  const std::vector<Dimension>& dimensions = schema.dimensions;
  const bool mixed = std::any_of(dimensions.begin(), dimensions.end(),
                                 [&](const Dimension& d) { return d.type != dimensions.front().type; });
  for (const FragmentInfo& fragment : from.info().fragments) {
    if (schema.cell_order == Order::hilbert &&
        hilbert_by_range(fragment.version) != hilbert_by_range(to.format_version))
      return false;
    if (mixed && !mixed_types_in_order(fragment.version)) return false;
  }
  return schema.tile_order == to.tile_order && schema.cell_order == to.cell_order &&
         std::equal(dimensions.begin(), dimensions.end(), to.dimensions.begin(), to.dimensions.end(),
                    [](const Dimension& x, const Dimension& y) {
                      return x.type == y.type && x.domain == y.domain && x.tile == y.tile;
                    });
}

class TiledbTarget final : public FragmentTarget {
 public:
  TiledbTarget(const CopySource& source, Array& to, bool copy_tiles, const Work& work)
      : from_(source.from),
        to_(to),
        pass_(copy_tiles ? TilePass::between(source.from, source.fields, to, work) : nullptr) {}

  std::unique_ptr<CellWriter> write_box(const Coordinates& first, const Coordinates& count,
                                        const WriteOptions& options) override {
    return tiledb_array(to_).write_box_stream(first, count, options);
  }
  bool copies_tiles() const override { return pass_ != nullptr; }
  std::uint64_t copy_box(const Coordinates& first, const Coordinates& count, const BoxReader& read,
                         const Work& work) override {
    return pass_->copy_box(first, count, read, work);
  }
  std::uint64_t tiles() const override { return pass_->tiles(); }
  std::uint64_t copy_tiles(std::uint64_t first, std::uint64_t count, const Work& work) override {
    return pass_->copy_tiles(first, count, work);
  }
  bool in_order() const override { return same_order(from_, to_.schema()); }
  void merge(const Work& work) override {
    ConsolidateOptions merge;
    merge.keep_times = false;
    merge.work = work;
    consolidate(to_, merge);
    VacuumOptions rest;
    rest.work = work;
    rest.work.progress = nullptr;
    vacuum(to_, rest);
  }

 private:
  const Array& from_;
  Array& to_;
  const std::unique_ptr<TilePass> pass_;
};

}  // namespace

std::unique_ptr<FragmentTarget> fragment_target(const CopySource& source, Array& to, bool copy_tiles,
                                                const Work& work) {
  return std::make_unique<TiledbTarget>(source, to, copy_tiles, work);
}

std::optional<std::vector<CellBox>> written_boxes(const Array& array, const Work& work) {
  const Schema& schema = array.schema();
  Work quiet = work;
  quiet.progress = nullptr;
  std::vector<CellBox> boxes;
  for (const FragmentInfo& fragment : array.info(quiet).fragments) {
    if (fragment.domain.size() != schema.dimensions.size()) continue;  // holds nothing
    CellBox& box = boxes.emplace_back();
    for (std::size_t d = 0; d < fragment.domain.size(); ++d) {
      const std::uint64_t low = bits_of(fragment.domain[d].low), high = bits_of(fragment.domain[d].high);
      box.first.push_back(low - bits_of(schema.dimensions[d].domain.low));
      box.count.push_back(high - low + 1);
    }
  }
  return boxes;
}

}  // namespace tegula::tiledb
