#include "format/zarr/chunk/shard_index.h"

#include <algorithm>

#include "base/context.h"
#include "base/fail.h"
#include "format/zarr/codec/variable_cells.h"
#include "store/wrap/fetch_each.h"
#include "store/wrap/known_store.h"

namespace tegula::zarr {

LeafPath leaf_path(const LeafGrid& grid, const Shape& leaf) {
  LeafPath path;
  Shape at(leaf.size());
  path.file.resize(leaf.size());
  for (std::size_t a = 0; a < leaf.size(); ++a) {
    const std::uint64_t origin = leaf[a] * grid.shape()[a];
    path.file[a] = origin / grid.shapes[0][a];
    at[a] = origin % grid.shapes[0][a];
  }
  for (std::size_t level = 0; level < grid.levels.size(); ++level) {
    const Shape &outer = grid.shapes[level], &inner = grid.shapes[level + 1];
    std::uint64_t number = 0;
    for (std::size_t a = 0; a < at.size(); ++a) {
      number = number * (outer[a] / inner[a]) + at[a] / inner[a];
      at[a] %= inner[a];
    }
    path.numbers.push_back(number);
  }
  return path;
}

bool ShardIndexes::load(const Store& store, const std::string& key, const LeafGrid& grid, std::size_t level,
                        ShardEntry extent, const std::vector<LeafPath>& paths, const std::string& state, Index& index) {
  const Sharding& sharding = *grid.levels[level];
  const std::uint64_t size = shard_index_size(sharding, grid.shapes[level]);
  if (extent.length < size)
    fail(ErrorKind::corrupt, "the shard has {} bytes, its index alone needs {}", extent.length, size);
  Bytes raw(size);
  std::string now;
  RangeRead read{key, extent.offset + (sharding.index_at_end ? extent.length - size : 0), raw, false, &now};
  store.get(std::span(&read, 1));
  if (!state.empty() && (!read.found || (!now.empty() && now != state))) return false;
  if (!read.found) fail(ErrorKind::io, "the shard was removed while it was read");
  index.entries = decode_shard_index(sharding, grid.shapes[level], raw, extent.length);
  for (ShardEntry& entry : index.entries)
    if (!entry.missing()) entry.offset += extent.offset;
  if (level + 1 == grid.levels.size()) return true;
  std::map<std::uint64_t, std::vector<LeafPath>> below;
  for (const LeafPath& path : paths) below[path.numbers[level]].push_back(path);
  for (const auto& [number, inner_paths] : below)
    if (!index.entries[number].missing() &&
        !load(store, key, grid, level + 1, index.entries[number], inner_paths, state, index.inner[number]))
      return false;
  return true;
}

namespace {

std::string state_now(const Store& store, const std::string& key) {
  const std::optional<Tail> end = store.tail(key, 1);
  return end ? end->state : std::string();
}

}  // namespace

void ShardIndexes::read(const Store& store, const std::string& key, const LeafGrid& grid,
                        const std::vector<LeafPath>& paths, File& file) {
  // The end of a shard says how large it is, too.
  const std::optional<Tail> end = store.tail(key, shard_index_size(*grid.levels[0], grid.shapes[0]));
  if (!end) return;
  file.state = end->state;
  file.index.emplace();
  KnownStore known(store);
  known.learn(key, end->bytes.size(), end);
  try {
    file.replaced = !load(known, key, grid, 0, {0, end->size}, paths, file.state, *file.index);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled || file.state.empty() || state_now(store, key) == file.state) throw;
    file.replaced = true;
  }
  if (file.replaced) file.index.reset();
}

ShardIndexes::ShardIndexes(const Store& store, const ArrayMeta& meta, const LeafGrid& grid,
                           const std::vector<LeafPath>& paths, const Work& work) {
  std::map<Shape, std::vector<LeafPath>> by_file;
  for (const LeafPath& path : paths) by_file[path.file].push_back(path);
  std::vector<std::pair<const std::vector<LeafPath>*, File*>> jobs;
  for (const auto& [file, inside] : by_file) jobs.emplace_back(&inside, &files_[file]);
  const std::uint64_t end = shard_index_size(*grid.levels[0], grid.shapes[0]);
  const auto plan = [&](std::size_t i, Wants& wants) {
    wants.file(meta.keys.key(jobs[i].first->front().file), end, end);
  };
  fetch_each(store, work, jobs.size(), plan, [&](std::size_t i, const Store& from) {
    const std::string key = meta.keys.key(jobs[i].first->front().file);
    const Context doing([&] { return fmt::format("reading the index of '{}'", store.describe(key)); });
    read(from, key, grid, *jobs[i].first, *jobs[i].second);
  });
}

bool ShardIndexes::is_state(const Shape& file, const std::string& state) const {
  const std::string& known = files_.at(file).state;
  return known.empty() || state.empty() || state == known;
}

bool ShardIndexes::knows_state(const Shape& file) const { return !files_.at(file).state.empty(); }

bool ShardIndexes::was_replaced(const Shape& file) const { return files_.at(file).replaced; }

bool ShardIndexes::changed(const Store& store, const ArrayMeta& meta) const {
  return std::ranges::any_of(files_, [&](const auto& file) {
    return !file.second.state.empty() && state_now(store, meta.keys.key(file.first)) != file.second.state;
  });
}

std::vector<ShardBatch> ShardIndexes::batches(const std::vector<LeafPath>& paths) const {
  // A request costs about as much as transferring this many bytes; larger batches gain little.
  constexpr std::uint64_t kBatchBytes = std::uint64_t{1} << 20;
  std::map<Shape, ShardBatch> by_file;
  for (std::size_t i = 0; i < paths.size(); ++i) by_file[paths[i].file].push_back({i, find(paths[i])});
  std::vector<ShardBatch> batches;
  for (auto& [file, leaves] : by_file) {
    std::ranges::sort(leaves, {}, [](const ShardLeaf& leaf) { return leaf.entry ? leaf.entry->offset : 0; });
    std::uint64_t size = 0;
    bool first = true;
    for (ShardLeaf& leaf : leaves) {
      const std::uint64_t length = leaf.entry ? leaf.entry->length : 0;
      if (first || size + length > kBatchBytes) {
        batches.emplace_back();
        size = 0;
      }
      first = false;
      size += length;
      batches.back().push_back(std::move(leaf));
    }
  }
  return batches;
}

std::optional<ShardEntry> ShardIndexes::find(const LeafPath& path) const {
  const auto file = files_.find(path.file);
  if (file == files_.end() || !file->second.index) return std::nullopt;
  const Index* index = &*file->second.index;
  for (std::size_t level = 0;; ++level) {
    const ShardEntry& entry = index->entries[path.numbers[level]];
    if (entry.missing()) return std::nullopt;
    if (level + 1 == path.numbers.size()) return entry;
    index = &index->inner.at(path.numbers[level]);
  }
}

}  // namespace tegula::zarr
