#include "format/tiledb/fragment/tile_fetch.h"

#include <map>
#include <set>
#include <vector>

#include "base/fail.h"
#include "base/parallel.h"
#include "format/tiledb/fragment/missing_file.h"

namespace tegula::tiledb {

namespace {

constexpr std::uint64_t kUncheckedBytes = 16 << 20;

}  // namespace

void prefetch_tile_places(const Fragment& fragment, std::span<const StoredField* const> fields) {
  std::vector<WantedPart> parts;
  for (const StoredField* field : fields) {
    parts.push_back({FragmentPart::tile_offsets, field->slot});
    if (field->var()) {
      parts.push_back({FragmentPart::var_offsets, field->slot});
      parts.push_back({FragmentPart::var_sizes, field->slot});
    }
    if (field->nullable) parts.push_back({FragmentPart::validity_offsets, field->slot});
  }
  if (!parts.empty()) fragment.prefetch(parts);
}

void prefetch_tile_places(std::span<const TileRef> refs, const Work& work) {
  std::map<const Fragment*, std::set<const StoredField*>> wanted;
  for (std::size_t i = 0; i < refs.size(); ++i)
    if (i == 0 || refs[i].fragment != refs[i - 1].fragment || refs[i].field != refs[i - 1].field)
      wanted[refs[i].fragment].insert(refs[i].field);
  const std::vector<std::pair<const Fragment*, std::set<const StoredField*>>> fragments(wanted.begin(), wanted.end());
  parallel_for(work, fragments.size(), [&](std::size_t i) {
    prefetch_tile_places(*fragments[i].first, std::vector(fragments[i].second.begin(), fragments[i].second.end()));
  });
}

void fetch_ranges(const ArrayFiles& files, std::span<RangeRead> reads) {
  files.store->get(reads);
  for (const RangeRead& read : reads)
    if (!read.found) fail_missing(files, read.key);
}

void check_file_size(const ArrayFiles& files, const std::string& key, std::uint64_t begin, std::uint64_t end) {
  if (end - begin <= kUncheckedBytes) return;
  const std::optional<std::uint64_t> size = files.store->size(key);
  if (!size) fail_missing(files, key);
  if (end > *size)
    fail(ErrorKind::corrupt, "{}: expected tiles at bytes {} to {}, found a file of {} bytes",
         files.store->describe(key), begin, end, *size);
}

}  // namespace tegula::tiledb
