// Deletes and the condition of a query, tile by tile. Both speak of the cells that are left after older ones were
// hidden, so that a deleted cell does not bring back what it had replaced.
#include <algorithm>

#include "base/endian.h"
#include "base/parallel.h"
#include "format/tiledb/sparse_cells.h"
#include "format/tiledb/tile_source.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kSlabBytes = 64 << 20;
constexpr std::uint64_t kNever = UINT64_MAX;  // time of a delete that did not happen

// What must be evaluated on one tile.
struct TileTest {
  std::size_t tile = 0;  // in SparseCells::tiles
  bool where = false;
  std::vector<const FragmentDelete*> deletes;
  const StoredField* delete_times = nullptr;
  std::vector<const StoredField*> fields;  // to load, each once
  std::size_t first_part = 0;

  void want(const StoredField* field) {
    if (field && std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
  }
};

class TileTester {
 public:
  TileTester(const SparseQuery& query, SparseCells& cells, const TileTest& test, std::span<const TileData> parts)
      : query_(query), cells_(cells), test_(test), parts_(parts), tile_(cells.tiles[test.tile]) {}

  void run() {
    const Fragment& fragment = *query_.state->fragments({})[tile_.fragment];
    std::vector<std::uint8_t> mask(tile_.cells);
    if (test_.where) {
      evaluate(query_.where, fragment, mask);
      clear([&](std::uint64_t, std::uint64_t cell) { return mask[cell] == 0; });
    }
    for (const FragmentDelete* removal : test_.deletes) {
      evaluate(removal->stays, fragment, mask);
      clear([&](std::uint64_t candidate, std::uint64_t cell) {
        return mask[cell] == 0 && (!removal->by_time || cells_.times[candidate] <= removal->time);
      });
    }
    if (test_.delete_times) {
      const TileData& times = part(test_.delete_times);
      const std::uint64_t last = query_.state->window().last;
      clear([&](std::uint64_t, std::uint64_t cell) {
        const std::uint64_t deleted = load_le<std::uint64_t>(times.data.data() + cell * 8);
        return deleted != kNever && deleted <= last;
      });
    }
  }

 private:
  const TileData& part(const StoredField* field) const {
    const auto at = std::find(test_.fields.begin(), test_.fields.end(), field) - test_.fields.begin();
    return parts_[test_.first_part + static_cast<std::size_t>(at)];
  }

  void evaluate(const Condition& condition, const Fragment& fragment, std::vector<std::uint8_t>& mask) const {
    std::vector<ColumnView> views;
    for (const FieldInfo& field : condition.fields()) {
      const StoredField* stored = stored_field(fragment, field);
      if (!stored) {
        views.push_back(ColumnView::missing());
        continue;
      }
      const TileData& data = part(stored);
      views.emplace_back(data.data.data(), stored->var() ? data.offsets.data() : nullptr,
                         stored->nullable ? data.validity.data() : nullptr);
    }
    condition.evaluate(views, 0, mask);
  }

  template <class Removes>
  void clear(const Removes& removes) {
    for (std::uint64_t i = cells_.first[test_.tile]; i < cells_.first[test_.tile + 1]; ++i)
      if (cells_.keep[i] && removes(i, cells_.cell[i])) cells_.keep[i] = 0;
  }

  const SparseQuery& query_;
  SparseCells& cells_;
  const TileTest& test_;
  std::span<const TileData> parts_;
  const SparseTile& tile_;
};

}  // namespace

void apply_conditions(const SparseQuery& query, SparseCells& cells, const Work& work) {
  const auto& fragments = query.state->fragments(work);
  std::vector<std::optional<TileTest>> planned(cells.tiles.size());
  parallel_for(work, cells.tiles.size(), [&](std::size_t t) {
    const SparseTile& tile = cells.tiles[t];
    const Fragment& fragment = *fragments[tile.fragment];
    if (query.where.empty() && query.deletes[tile.fragment].empty() && !fragment.has_deletes()) return;
    const auto begin = cells.keep.begin() + static_cast<std::ptrdiff_t>(cells.first[t]);
    const auto end = cells.keep.begin() + static_cast<std::ptrdiff_t>(cells.first[t + 1]);
    if (std::find(begin, end, std::uint8_t{1}) == end) return;
    TileTest test;
    test.tile = t;
    const Match match = match_by_statistics(query.where, fragment, tile.tile);
    if (match == Match::none) {
      std::fill(begin, end, std::uint8_t{0});
      return;
    }
    test.where = match == Match::some;
    if (test.where)
      for (const FieldInfo& field : query.where.fields()) test.want(stored_field(fragment, field));
    for (const FragmentDelete& removal : query.deletes[tile.fragment]) {
      if (match_by_statistics(removal.stays, fragment, tile.tile) == Match::all) continue;
      test.deletes.push_back(&removal);
      for (const FieldInfo& field : removal.stays.fields()) test.want(stored_field(fragment, field));
    }
    test.delete_times = fragment.has_deletes() ? fragment.special(FieldKind::delete_times) : nullptr;
    test.want(test.delete_times);
    if (test.where || !test.deletes.empty() || test.delete_times) planned[t] = std::move(test);
  });
  std::vector<TileTest> tests;
  for (std::optional<TileTest>& test : planned)
    if (test) tests.push_back(std::move(*test));

  for (std::size_t i = 0; i < tests.size(); ++i) {
    const std::uint32_t fragment = cells.tiles[tests[i].tile].fragment;
    if (i == 0 || fragment != cells.tiles[tests[i - 1].tile].fragment) prefetch(*fragments[fragment], tests[i].fields);
  }
  const auto ref = [&](const TileTest& test, const StoredField* field) {
    const SparseTile& tile = cells.tiles[test.tile];
    return TileRef{fragments[tile.fragment].get(), field, tile.tile};
  };
  for (const auto& [begin, end] : slabs(tests.size(), kSlabBytes, [&](std::size_t i) {
         std::uint64_t bytes = 0;
         for (const StoredField* field : tests[i].fields) bytes += decoded_bytes(ref(tests[i], field));
         return bytes;
       })) {
    std::vector<TileRef> refs;
    for (std::size_t i = begin; i < end; ++i) {
      tests[i].first_part = refs.size();
      for (const StoredField* field : tests[i].fields) refs.push_back(ref(tests[i], field));
    }
    const std::vector<TileData> parts = load_in_file_order(query.state->files(), refs, work);
    parallel_for(work, end - begin, [&](std::size_t k) { TileTester(query, cells, tests[begin + k], parts).run(); });
  }
}

}  // namespace tegula::tiledb
