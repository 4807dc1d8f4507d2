#include "format/tiledb/dense/dense_filter.h"

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "model/strided.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kBlock = 1 << 16;

void evaluate(const Condition& condition, std::span<const ColumnView> views, std::span<std::uint8_t> mask,
              const Work& work) {
  parallel_for(work, (mask.size() + kBlock - 1) / kBlock, [&](std::size_t b) {
    const std::uint64_t first = b * kBlock;
    condition.evaluate(views, first, mask.subspan(first, std::min<std::uint64_t>(kBlock, mask.size() - first)));
  });
}

}  // namespace

std::vector<std::uint8_t> match_cells(const Snapshot& snapshot, const DensePlan& plan, const Condition& condition,
                                      std::span<const Column> columns, bool fortran, const Work& work) {
  std::vector<std::uint8_t> mask(plan.cells());
  const std::vector<FieldInfo>& fields = condition.fields();
  std::vector<ColumnView> views(columns.begin(), columns.end());
  evaluate(condition, views, mask, work);

  // Fragments by the set of fields they lack; most lack none.
  const auto& fragments = snapshot.fragments(work);
  std::map<std::uint32_t, std::vector<bool>> lacking;
  const auto look = [&](std::uint32_t f) {
    std::vector<bool> absent;
    for (const FieldInfo& field : fields) absent.push_back(!field.dimension && !stored_attribute(*fragments[f], field));
    if (std::find(absent.begin(), absent.end(), true) != absent.end()) lacking.emplace(f, std::move(absent));
  };
  for (const TileCopy& copy : plan.copies) look(copy.fragment);
  for (const CellOverlay& overlay : plan.overlays) look(overlay.fragment);
  if (lacking.empty()) return mask;

  std::map<std::vector<bool>, std::uint8_t> kinds;
  for (const auto& [fragment, absent] : lacking) kinds.emplace(absent, static_cast<std::uint8_t>(kinds.size() + 1));
  std::vector<std::uint8_t> kind_of(mask.size(), 0);
  const Target target{reinterpret_cast<std::byte*>(kind_of.data()), contiguous_strides(plan.shape, 1, fortran), 1};
  const auto kind = [&](std::uint32_t fragment) {
    const auto at = lacking.find(fragment);
    return at == lacking.end() ? std::uint8_t{0} : kinds.at(at->second);
  };
  for (const TileCopy& copy : plan.copies) {
    const std::byte id{kind(copy.fragment)};
    for (const Box& box : copy.boxes) fill_cells(box, {&id, 1}, target);
  }
  for (const CellOverlay& overlay : plan.overlays)
    for (const std::uint64_t place : overlay.places) {
      std::uint64_t rest = place;
      std::byte* at = target.data;
      for (std::size_t d = plan.shape.size(); d-- > 0; rest /= plan.shape[d])
        at += static_cast<std::int64_t>(rest % plan.shape[d]) * target.strides[d];
      *at = std::byte{kind(overlay.fragment)};
    }
  std::vector<std::uint8_t> other(mask.size());
  for (const auto& [absent, id] : kinds) {
    std::vector<ColumnView> some = views;
    for (std::size_t i = 0; i < some.size(); ++i)
      if (absent[i]) some[i] = ColumnView::missing();
    evaluate(condition, some, other, work);
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (kind_of[i] == id) mask[i] = other[i];
  }
  return mask;
}

std::vector<std::uint8_t> written_cells(const Snapshot& snapshot, const DensePlan& plan, const FieldInfo* field,
                                        const Work& work) {
  const auto& fragments = snapshot.fragments(work);
  const auto has = [&](std::uint32_t f) {
    return !field || field->dimension || stored_attribute(*fragments[f], *field) != nullptr;
  };
  if (plan.holes.empty() && std::ranges::all_of(plan.copies, has, &TileCopy::fragment) &&
      std::ranges::all_of(plan.overlays, has, &CellOverlay::fragment))
    return {};
  std::vector<std::uint8_t> mask(plan.cells(), 0);
  const Target target{reinterpret_cast<std::byte*>(mask.data()), contiguous_strides(plan.shape, 1, false), 1};
  const std::byte yes{1};
  for (const TileCopy& copy : plan.copies)
    if (has(copy.fragment))
      for (const Box& box : copy.boxes) fill_cells(box, {&yes, 1}, target);
  for (const CellOverlay& overlay : plan.overlays)
    for (const std::uint64_t place : overlay.places) mask[place] = has(overlay.fragment);
  return mask;
}

}  // namespace tegula::tiledb
