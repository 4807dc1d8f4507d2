#include "format/tiledb/fragment/tile_fetch.h"

#include <map>
#include <set>
#include <vector>

#include "base/fail.h"
#include "format/tiledb/fragment/missing_file.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kUncheckedBytes = 16 << 20;

std::vector<WantedPart> place_parts(std::span<const StoredField* const> fields) {
  std::vector<WantedPart> parts;
  for (const StoredField* field : fields) {
    parts.push_back({FragmentPart::tile_offsets, field->slot});
    if (field->var()) {
      parts.push_back({FragmentPart::var_offsets, field->slot});
      parts.push_back({FragmentPart::var_sizes, field->slot});
    }
    if (field->nullable) parts.push_back({FragmentPart::validity_offsets, field->slot});
  }
  return parts;
}

}  // namespace

void prefetch_tile_places(const ArrayFiles& files, std::span<const WantedPlaces> wanted, const Work& work) {
  fetch_each(
      *files.store, work, wanted.size(),
      [&](std::size_t i, Wants& wants) { wanted[i].fragment->plan(place_parts(wanted[i].fields), wants); },
      [&](std::size_t i, const Store& from) { wanted[i].fragment->prefetch(place_parts(wanted[i].fields), from); });
}

void prefetch_tile_places(const ArrayFiles& files, std::span<const TileRef> refs, const Work& work) {
  std::map<const Fragment*, std::set<const StoredField*>> by_fragment;
  for (std::size_t i = 0; i < refs.size(); ++i)
    if (i == 0 || refs[i].fragment != refs[i - 1].fragment || refs[i].field != refs[i - 1].field)
      by_fragment[refs[i].fragment].insert(refs[i].field);
  std::vector<WantedPlaces> wanted;
  for (const auto& [fragment, fields] : by_fragment) wanted.push_back({fragment, {fields.begin(), fields.end()}});
  prefetch_tile_places(files, wanted, work);
}

void prefetch_parts(const ArrayFiles& files, std::span<const Fragment* const> fragments,
                    const std::function<std::vector<WantedPart>(const Fragment&)>& parts, const Work& work) {
  fetch_each(
      *files.store, work, fragments.size(),
      [&](std::size_t i, Wants& wants) { fragments[i]->plan(parts(*fragments[i]), wants); },
      [&](std::size_t i, const Store& from) { fragments[i]->prefetch(parts(*fragments[i]), from); });
}

void fetch_ranges(const Store& store, std::span<RangeRead> reads) {
  store.get(reads);
  for (const RangeRead& read : reads)
    if (!read.found) fail_missing(store, read.key);
}

void check_file_size(const Store& store, const std::string& key, std::uint64_t begin, std::uint64_t end) {
  if (end - begin <= kUncheckedBytes) return;
  const std::optional<std::uint64_t> size = store.size(key);
  if (!size) fail_missing(store, key);
  if (end > *size)
    fail(ErrorKind::corrupt, "{}: expected tiles at bytes {} to {}, found a file of {} bytes", store.describe(key),
         begin, end, *size);
}

}  // namespace tegula::tiledb
