#include "format/tiledb/read/dense_plan.h"

#include <algorithm>
#include <map>

#include "base/fail.h"
#include "format/tiledb/read/dense_overlay.h"
#include "model/strided.h"

namespace tegula::tiledb {

namespace {

// Steps of a run whose coordinate lies in first .. last, all counted inside of the tile.
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

// One space tile while its cells are given to fragments.
struct DensePlanner::Piece {
  std::span<const std::uint64_t> tile;
  DensePlan& plan;
  std::vector<std::pair<std::uint32_t, std::size_t>> copies;  // fragment, place in plan.copies
};

DensePlanner::DensePlanner(const ArrayFiles& files, const DenseGrid& grid,
                           std::span<const std::shared_ptr<const Fragment>> fragments)
    : files_(files), grid_(grid), fragments_(fragments) {
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    const Fragment& fragment = *fragments[i];
    if (fragment.domain().size() != grid.dimensions()) continue;  // holds nothing
    SourceBox source;
    source.fragment = static_cast<std::uint32_t>(i);
    for (std::size_t d = 0; d < grid.dimensions(); ++d) {
      const auto first = grid.index(d, fragment.domain()[d].low), last = grid.index(d, fragment.domain()[d].high);
      if (!first || !last || *first > *last)
        fail(ErrorKind::corrupt, "{}: the box it says to cover does not lie in the domain of the array",
             fragment.folder());
      source.first.push_back(*first);
      source.last.push_back(*last);
    }
    (fragment.dense() ? dense_ : sparse_).push_back(std::move(source));
  }
  std::reverse(dense_.begin(), dense_.end());
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

std::vector<const SourceBox*> DensePlanner::sources_in(std::span<const std::uint64_t> first,
                                                       std::span<const std::uint64_t> last) const {
  std::vector<const SourceBox*> found;
  for (const SourceBox& source : dense_) {
    bool meets = true;
    for (std::size_t d = 0; d < first.size() && meets; ++d)
      meets = source.first[d] <= last[d] && first[d] <= source.last[d];
    if (meets) found.push_back(&source);
  }
  return found;
}

std::optional<std::uint32_t> DensePlanner::sole_source(std::span<const std::uint64_t> first,
                                                       std::span<const std::uint64_t> last) const {
  const auto meets = [&](const SourceBox& source) {
    for (std::size_t d = 0; d < first.size(); ++d)
      if (source.first[d] > last[d] || first[d] > source.last[d]) return false;
    return true;
  };
  if (std::any_of(sparse_.begin(), sparse_.end(), meets)) return std::nullopt;
  const auto newest = std::find_if(dense_.begin(), dense_.end(), meets);
  if (newest == dense_.end()) return std::nullopt;
  for (std::size_t d = 0; d < first.size(); ++d)
    if (newest->first[d] > first[d] || newest->last[d] < last[d]) return std::nullopt;
  return newest->fragment;
}

bool DensePlanner::written(std::span<const std::uint64_t> tile) const {
  const auto meets = [&](const SourceBox& source) {
    for (std::size_t d = 0; d < tile.size(); ++d) {
      const std::uint64_t begin = tile[d] * grid_.extent[d], end = begin + (grid_.extent[d] - 1);
      if (source.first[d] > end || begin > source.last[d]) return false;
    }
    return true;
  };
  return std::any_of(dense_.begin(), dense_.end(), meets) || std::any_of(sparse_.begin(), sparse_.end(), meets);
}

// Cuts off what the newest source has, and passes the rest on to the older ones.
void DensePlanner::resolve(Piece& piece, const Box& box, std::size_t at,
                           std::span<const SourceBox* const> sources) const {
  if (at == sources.size()) {
    piece.plan.holes.push_back(box);
    return;
  }
  const SourceBox& source = *sources[at];
  Box rest = box;
  std::vector<Box> outside;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const std::uint64_t begin = piece.tile[d] * grid_.extent[d];
    if (source.last[d] < begin) return resolve(piece, box, at + 1, sources);
    const std::uint64_t first = source.first[d] > begin ? source.first[d] - begin : 0;
    const Steps in = steps_in(rest[d], first, source.last[d] - begin);
    if (in.begin >= in.end) return resolve(piece, box, at + 1, sources);
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
  const auto known = std::find_if(piece.copies.begin(), piece.copies.end(),
                                  [&](const auto& copy) { return copy.first == source.fragment; });
  if (known != piece.copies.end()) {
    piece.plan.copies[known->second].boxes.push_back(std::move(rest));
  } else {
    piece.copies.emplace_back(source.fragment, piece.plan.copies.size());
    piece.plan.copies.push_back({source.fragment, tile_number(source.fragment, piece.tile), {std::move(rest)}});
  }
  for (const Box& part : outside) resolve(piece, part, at + 1, sources);
}

void DensePlanner::add_piece(DensePlan& plan, std::span<const std::uint64_t> tile, std::span<const Box> boxes,
                             std::span<const SourceBox* const> sources) const {
  std::vector<const SourceBox*> here;
  for (const SourceBox* source : sources) {
    bool meets = true, covers = true;
    for (std::size_t d = 0; d < tile.size() && meets; ++d) {
      const std::uint64_t begin = tile[d] * grid_.extent[d];
      const std::uint64_t end = std::min(grid_.last[d], begin + (grid_.extent[d] - 1));
      meets = source->first[d] <= end && begin <= source->last[d];
      covers = covers && source->first[d] <= begin && end <= source->last[d];
    }
    if (!meets) continue;
    here.push_back(source);
    if (covers) break;
  }
  Piece piece{tile, plan, {}};
  for (const Box& box : boxes) resolve(piece, box, 0, here);
}

DensePlan DensePlanner::plan(std::span<const AxisRuns> axes, const Work& work) const {
  DensePlan plan;
  const std::size_t n = grid_.dimensions();
  std::vector<std::vector<TilePart>> parts(n);
  std::vector<std::uint64_t> first(n, UINT64_MAX), last(n, 0);
  for (const AxisRuns& axis : axes) plan.shape.push_back(axis.length);
  for (std::size_t d = 0; d < n; ++d) {
    parts[d] = split_by_tile(axes[d], grid_.extent[d]);
    if (parts[d].empty()) return plan;
    for (const Run& run : axes[d].runs) {
      first[d] = std::min(first[d], run.start);
      last[d] = std::max(last[d], run.at(run.count - 1));
    }
  }
  const std::vector<const SourceBox*> sources = sources_in(first, last);
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
    add_piece(plan, tile, boxes, sources);
    more = false;
    for (std::size_t d = n; d-- > 0 && !more;) {
      more = ++at[d] < parts[d].size();
      if (!more) at[d] = 0;
    }
  }
  if (!sparse_.empty()) add_overlays(plan, {files_, grid_, fragments_, sparse_}, {axes, nullptr}, work);
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
  std::vector<const SourceBox*> sources;
  for (const SourceBox& source : dense_) sources.push_back(&source);
  for (const auto& [place, boxes] : tiles) add_piece(plan, place, boxes, sources);
  if (!sparse_.empty()) add_overlays(plan, {files_, grid_, fragments_, sparse_}, {{}, &points}, work);
  return plan;
}

}  // namespace tegula::tiledb
