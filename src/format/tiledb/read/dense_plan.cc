#include "format/tiledb/read/dense_plan.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "format/tiledb/read/dense_overlay.h"
#include "model/strided.h"

namespace tegula::tiledb {

namespace {

// The steps of a run whose coordinates lie in first .. last, all counted from the start of the tile.
struct Steps {
  std::uint64_t begin = 0, end = 0;
};
Steps steps_in(const Run& run, std::uint64_t first, std::uint64_t last) {
  if (last < run.start) return {};
  const std::uint64_t begin = first <= run.start ? 0 : (first - run.start + run.step - 1) / run.step;
  return {std::min(begin, run.count), std::min(run.count, (last - run.start) / run.step + 1)};
}

Run part_of(const Run& run, std::uint64_t begin, std::uint64_t end) {
  Run part = run;
  part.start = run.at(begin);
  part.count = end - begin;
  part.out += static_cast<std::uint64_t>(static_cast<std::int64_t>(begin) * run.out_step);
  return part;
}

}  // namespace

std::uint64_t DensePlan::cells() const { return cell_count(shape); }

// One space tile while its cells are given to fragments. Works through a list instead of recursing: a tile may have any
// number of fragments.
class DensePlanner::Piece {
 public:
  static constexpr std::size_t kFew = 16;  // sources that are tried one by one

  Piece(const DensePlanner& planner, std::span<const std::uint64_t> tile, DensePlan& plan)
      : planner_(planner), tile_(tile), plan_(plan) {}

  void resolve(Box box, Sources sources) {
    pending_.push_back({std::move(box), std::make_shared<const Sources>(std::move(sources)), 0});
    while (!pending_.empty()) {
      Item item = std::move(pending_.back());
      pending_.pop_back();
      if (item.sources->size() - item.at > kFew && halve(item)) continue;
      while (item.at < item.sources->size() && !take(item)) ++item.at;
      if (item.at == item.sources->size()) plan_.holes.push_back(std::move(item.box));
    }
  }

 private:
  struct Item {
    Box box;
    std::shared_ptr<const Sources> sources;  // the first `at` have been tried
    std::size_t at = 0;
  };

  // Gives the source its part of the box and leaves the rest to the older ones; false: it has no part.
  bool take(const Item& item) {
    const SourceBox& source = *(*item.sources)[item.at];
    ++plan_.comparisons;
    Box rest = item.box;
    std::vector<Box> outside;
    for (std::size_t d = 0; d < rest.size(); ++d) {
      const std::uint64_t begin = tile_[d] * planner_.grid_.extent[d];
      if (source.last[d] < begin) return false;
      const std::uint64_t first = source.first[d] > begin ? source.first[d] - begin : 0;
      const Steps in = steps_in(rest[d], first, source.last[d] - begin);
      if (in.begin >= in.end) return false;
      if (in.begin > 0) {
        outside.push_back(rest);
        outside.back()[d] = part_of(rest[d], 0, in.begin);
      }
      if (in.end < rest[d].count) {
        outside.push_back(rest);
        outside.back()[d] = part_of(rest[d], in.end, rest[d].count);
      }
      rest[d] = part_of(rest[d], in.begin, in.end);
    }
    const auto [known, fresh] = copies_.try_emplace(source.fragment, plan_.copies.size());
    if (fresh) plan_.copies.push_back({source.fragment, planner_.tile_number(source.fragment, tile_), {}});
    plan_.copies[known->second].boxes.push_back(std::move(rest));
    for (std::size_t i = outside.size(); i-- > 0;)
      pending_.push_back({std::move(outside[i]), item.sources, item.at + 1});
    return true;
  }

  // Replaces a box with many sources by its halves, each with the sources it meets, so that not every piece is compared
  // with all of them. Cuts where the halves have the fewest sources; false: no cut separates them.
  bool halve(const Item& item) {
    std::size_t fewest = SIZE_MAX;
    Item below, above;
    for (std::size_t d = 0; d < item.box.size(); ++d) {
      const Run& run = item.box[d];
      if (run.count < 2) continue;
      Item low{item.box, nullptr, 0}, high{item.box, nullptr, 0};
      low.box[d] = part_of(run, 0, run.count / 2);
      high.box[d] = part_of(run, run.count / 2, run.count);
      low.sources = those_in(low.box, item);
      high.sources = those_in(high.box, item);
      if (const std::size_t sum = low.sources->size() + high.sources->size(); sum < fewest) {
        fewest = sum;
        below = std::move(low);
        above = std::move(high);
      }
    }
    const std::size_t count = item.sources->size() - item.at;
    if (fewest > count + count / 2) return false;
    pending_.push_back(std::move(above));
    pending_.push_back(std::move(below));
    return true;
  }

  // Those of an item's sources that meet a box, up to the first that covers it.
  std::shared_ptr<const Sources> those_in(const Box& box, const Item& item) {
    std::vector<std::uint64_t> low, high;
    for (std::size_t d = 0; d < box.size(); ++d) {
      const std::uint64_t begin = tile_[d] * planner_.grid_.extent[d];
      low.push_back(begin + box[d].start);
      high.push_back(begin + box[d].at(box[d].count - 1));
    }
    auto found = std::make_shared<Sources>();
    for (std::size_t i = item.at; i < item.sources->size(); ++i) {
      const SourceBox* source = (*item.sources)[i];
      ++plan_.comparisons;
      if (!source->meets(low, high)) continue;
      found->push_back(source);
      if (source->covers(low, high)) break;
    }
    return found;
  }

  const DensePlanner& planner_;
  const std::span<const std::uint64_t> tile_;
  DensePlan& plan_;
  std::vector<Item> pending_;                    // next one last
  std::map<std::uint32_t, std::size_t> copies_;  // place in plan.copies by fragment
};

DensePlanner::DensePlanner(const ArrayFiles& files, const DenseGrid& grid,
                           std::span<const std::shared_ptr<const Fragment>> fragments)
    : files_(files), grid_(grid), fragments_(fragments) {
  std::vector<SourceBox> dense, sparse;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    const Fragment& fragment = *fragments[i];
    if (fragment.domain().size() != grid.dimensions()) continue;  // holds nothing
    SourceBox source;
    source.fragment = static_cast<std::uint32_t>(i);
    for (std::size_t d = 0; d < grid.dimensions(); ++d) {
      const auto first = grid.index(d, fragment.domain()[d].low), last = grid.index(d, fragment.domain()[d].high);
      if (!first || !last || *first > *last)
        fail(ErrorKind::corrupt, "{}: its non-empty domain does not lie in the domain of the array", fragment.folder());
      source.first.push_back(*first);
      source.last.push_back(*last);
    }
    (fragment.dense() ? dense : sparse).push_back(std::move(source));
  }
  std::reverse(dense.begin(), dense.end());
  dense_ = SourceIndex(std::move(dense));
  sparse_ = SourceIndex(std::move(sparse));
}

std::uint64_t DensePlanner::tile_number(std::uint32_t fragment, std::span<const std::uint64_t> tile) const {
  const Fragment::TileBox& box = fragments_[fragment]->tile_box();
  std::uint64_t number = 0;
  const std::size_t n = grid_.dimensions();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = grid_.tile_order == Order::col ? n - 1 - i : i;
    number = number * box.count[d] + (tile[d] - box.first[d]);
  }
  return number;
}

std::optional<std::uint32_t> DensePlanner::sole_source(std::span<const std::uint64_t> first,
                                                       std::span<const std::uint64_t> last) const {
  bool overlaid = false;
  sparse_.visit(first, last, [&](const SourceBox&) {
    overlaid = true;
    return false;
  });
  std::optional<std::uint32_t> newest;
  if (overlaid) return newest;
  dense_.visit(first, last, [&](const SourceBox& source) {
    if (source.covers(first, last)) newest = source.fragment;
    return false;
  });
  return newest;
}

bool DensePlanner::written(std::span<const std::uint64_t> tile) const {
  std::vector<std::uint64_t> first, last;
  for (std::size_t d = 0; d < tile.size(); ++d) {
    first.push_back(tile[d] * grid_.extent[d]);
    last.push_back(first[d] + (grid_.extent[d] - 1));
  }
  bool any = false;
  const auto found = [&](const SourceBox&) {
    any = true;
    return false;
  };
  dense_.visit(first, last, found);
  if (!any) sparse_.visit(first, last, found);
  return any;
}

void DensePlanner::add_piece(DensePlan& plan, std::span<const std::uint64_t> tile, std::span<const Box> boxes) const {
  std::vector<std::uint64_t> first(tile.size(), UINT64_MAX), last(tile.size(), 0);
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const std::uint64_t begin = tile[d] * grid_.extent[d];
    for (const Box& box : boxes) {
      first[d] = std::min(first[d], begin + box[d].start);
      last[d] = std::max(last[d], begin + box[d].at(box[d].count - 1));
    }
  }
  Sources sources;
  plan.comparisons += dense_.visit(first, last, [&](const SourceBox& source) {
    sources.push_back(&source);
    return !source.covers(first, last);
  });
  Piece piece(*this, tile, plan);
  for (const Box& box : boxes) {
    if (boxes.size() == 1 || sources.size() <= Piece::kFew) {
      piece.resolve(box, sources);
      continue;
    }
    // Many boxes and many fragments on one tile: not every box is compared with all of them.
    std::vector<std::uint64_t> low, high;
    for (std::size_t d = 0; d < tile.size(); ++d) {
      low.push_back(tile[d] * grid_.extent[d] + box[d].start);
      high.push_back(tile[d] * grid_.extent[d] + box[d].at(box[d].count - 1));
    }
    Sources own;
    plan.comparisons += dense_.visit(low, high, [&](const SourceBox& source) {
      own.push_back(&source);
      return !source.covers(low, high);
    });
    piece.resolve(box, std::move(own));
  }
}

DensePlan DensePlanner::plan(std::span<const AxisRuns> axes, const Work& work) const {
  DensePlan plan;
  const std::size_t n = grid_.dimensions();
  std::vector<std::vector<TilePart>> parts(n);
  for (const AxisRuns& axis : axes) plan.shape.push_back(axis.length);
  for (std::size_t d = 0; d < n; ++d) {
    parts[d] = split_by_tile(axes[d], grid_.extent[d]);
    if (parts[d].empty()) return plan;
  }
  std::vector<std::size_t> at(n, 0);
  std::vector<std::uint64_t> tile(n);
  for (bool more = true; more;) {
    std::vector<Box> boxes{Box{}};
    for (std::size_t d = 0; d < n; ++d) {
      const TilePart& part = parts[d][at[d]];
      tile[d] = part.tile;
      std::vector<Box> grown;
      for (const Box& box : boxes)
        for (const Run& run : part.runs) {
          grown.push_back(box);
          grown.back().push_back(run);
        }
      boxes = std::move(grown);
    }
    add_piece(plan, tile, boxes);
    more = false;
    for (std::size_t d = n; d-- > 0 && !more;) {
      more = ++at[d] < parts[d].size();
      if (!more) at[d] = 0;
    }
  }
  if (!sparse_.empty()) add_overlays(plan, {files_, grid_, fragments_, sparse_.all()}, {axes, nullptr}, work);
  return plan;
}

DensePlan DensePlanner::plan(const DensePoints& points, const Work& work) const {
  DensePlan plan;
  const std::size_t n = grid_.dimensions();
  const std::uint64_t count = points[0].size();
  plan.shape.assign(n, 1);
  plan.shape[0] = count;
  std::map<std::vector<std::uint64_t>, std::vector<Box>> tiles;
  std::vector<std::uint64_t> tile(n);
  for (std::uint64_t i = 0; i < count; ++i) {
    Box box(n);
    for (std::size_t d = 0; d < n; ++d) {
      tile[d] = points[d][i] / grid_.extent[d];
      box[d] = {points[d][i] % grid_.extent[d], 1, 1, d == 0 ? i : 0, 1};
    }
    tiles[tile].push_back(std::move(box));
  }
  for (const auto& [place, boxes] : tiles) add_piece(plan, place, boxes);
  if (!sparse_.empty()) add_overlays(plan, {files_, grid_, fragments_, sparse_.all()}, {{}, &points}, work);
  return plan;
}

}  // namespace tegula::tiledb
