#include "format/tiledb/sparse/cell_test.h"

#include <algorithm>

#include "base/endian.h"
#include "format/tiledb/read/tile_pruning.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kNever = UINT64_MAX;  // time of a delete that did not happen

void evaluate(const Condition& condition, const Fragment& fragment, const LoadedFields& loaded,
              std::span<std::uint8_t> mask) {
  std::vector<ColumnView> views;
  for (const FieldInfo& field : condition.fields()) {
    const StoredField* stored = stored_field(fragment, field);
    if (!stored) {
      views.push_back(ColumnView::missing());
      continue;
    }
    const TileData& tile = loaded.of(stored);
    views.emplace_back(tile.data.data(), stored->var() ? tile.offsets.data() : nullptr,
                       stored->nullable ? tile.validity.data() : nullptr);
  }
  condition.evaluate(views, 0, mask);
}

}  // namespace

void want(std::vector<const StoredField*>& fields, const StoredField* field) {
  if (field && std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
}

bool TileTest::by_time() const {
  return std::any_of(deletes.begin(), deletes.end(), [](const FragmentDelete* removal) { return removal->by_time; });
}

std::optional<TileTest> plan_test(const SparseQuery& query, const SparseTile& tile) {
  const Fragment& fragment = *query.snapshot->fragments({})[tile.fragment];
  TileTest test;
  if (query.where.empty() && query.deletes[tile.fragment].empty() && !fragment.has_deletes()) return test;
  const Match match = match_by_statistics(query.where, fragment, tile.tile);
  if (match == Match::none) return std::nullopt;
  test.where = match == Match::some;
  if (test.where)
    for (const FieldInfo& field : query.where.fields()) want(test.fields, stored_field(fragment, field));
  for (const FragmentDelete& removal : query.deletes[tile.fragment]) {
    if (match_by_statistics(removal.stays, fragment, tile.tile) == Match::all) continue;
    test.deletes.push_back(&removal);
    for (const FieldInfo& field : removal.stays.fields()) want(test.fields, stored_field(fragment, field));
  }
  test.delete_times = fragment.has_deletes() ? fragment.special(FieldKind::delete_times) : nullptr;
  want(test.fields, test.delete_times);
  return test;
}

const TileData& LoadedFields::of(const StoredField* field) const {
  return tiles[static_cast<std::size_t>(std::find(fields.begin(), fields.end(), field) - fields.begin())];
}

void run_test(const SparseQuery& query, const SparseTile& tile, const TileTest& test, const LoadedFields& loaded,
              const std::uint64_t* times, std::span<std::uint8_t> mask) {
  const Fragment& fragment = *query.snapshot->fragments({})[tile.fragment];
  std::vector<std::uint8_t> stays(mask.size());
  if (test.where) {
    evaluate(query.where, fragment, loaded, stays);
    for (std::size_t i = 0; i < mask.size(); ++i) mask[i] &= stays[i];
  }
  for (const FragmentDelete* removal : test.deletes) {
    evaluate(removal->stays, fragment, loaded, stays);
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (!stays[i] && (!removal->by_time || times[i] <= removal->time)) mask[i] = 0;
  }
  if (test.delete_times) {
    const std::byte* deleted = loaded.of(test.delete_times).data.data();
    const std::uint64_t last = query.snapshot->window().last;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const auto time = load_le<std::uint64_t>(deleted + i * 8);
      if (time != kNever && time <= last) mask[i] = 0;
    }
  }
}

}  // namespace tegula::tiledb
