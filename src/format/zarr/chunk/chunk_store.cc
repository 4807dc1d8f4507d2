#include "format/zarr/chunk/chunk_store.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>
#include <shared_mutex>

#include "base/context.h"
#include "base/fail.h"
#include "format/zarr/chunk/shard_index.h"
#include "format/zarr/codec/variable_cells.h"
#include "model/strided.h"
#include "store/wrap/fetch_each.h"

namespace tegula::zarr {

namespace {

// No codec compresses better than this ratio: if a file had to, it or its metadata is damaged.
constexpr std::uint64_t kTrustedSize = std::uint64_t{1} << 30;
constexpr std::uint64_t kLargestRatio = 65536;
// A 64-bit number holds the number of a cell in these bits, and the number of its piece above them.
constexpr unsigned kCellBits = 36;
constexpr std::uint64_t kFill = UINT64_MAX;

Bytes cells_for(std::uint64_t size, ByteView file) {
  if (size > kTrustedSize && size / kLargestRatio > file.size())
    fail(ErrorKind::corrupt, "a file of {} bytes cannot hold a chunk of {}", file.size(), size);
  return Bytes(size);
}

void fill_cells(MutableBytes cells, ByteView fill) {
  const Shape shape{cells.size() / fill.size()};
  fill_box(cells.data(), contiguous_strides(shape, fill.size()), shape, fill);
}

// base, base + 1, ...: numbers that are copied about instead of cells of any length.
Buffer<std::uint64_t> numbered(std::uint64_t count, std::uint64_t base) {
  Buffer<std::uint64_t> out(count);
  std::iota(out.begin(), out.end(), base);
  return out;
}

// Is a part of the chunk outside of the array?
bool overhangs(const Shape& chunk, const Shape& chunks, const Shape& shape) {
  for (std::size_t a = 0; a < chunk.size(); ++a)
    if (shape[a] / chunks[a] <= chunk[a]) return true;
  return false;
}

void check_cell_count(const Shape& shape) {
  if (cell_count(shape) >> kCellBits) fail(ErrorKind::corrupt, "a chunk of {} cells of any length", cell_count(shape));
}

}  // namespace

LeafGrid leaf_grid(const ArrayMeta& meta) {
  LeafGrid grid;
  grid.chain = &meta.chain;
  grid.shapes.push_back(meta.chunks);
  while (grid.chain->serializer == Serializer::sharding && grid.chain->steps.empty() &&
         grid.chain->permutation.empty()) {
    const Sharding* sharding = grid.chain->sharding.get();
    grid.levels.push_back(sharding);
    grid.shapes.push_back(sharding->chunk_shape);
    grid.chain = &sharding->inner;
  }
  return grid;
}

ChunkStore::ChunkStore(std::shared_ptr<Store> store, const ArrayMeta& meta, const ChunkLocks& locks, Missing missing)
    : store_(std::move(store)), meta_(meta), locks_(locks), missing_(missing), leaf_(leaf_grid(meta)) {}

void ChunkStore::use_leaf(std::size_t piece, std::optional<ByteView> bytes, const UseLeaf& use) const {
  if (!bytes && missing_ == Missing::error)
    fail(ErrorKind::not_found, "the chunk is missing, and the caller asked for missing chunks to be errors");
  use(piece, bytes);
}

void ChunkStore::each_leaf(const ChunkPlan& plan, const Work& work, const UseLeaf& use) const {
  if (!leaf_.levels.empty()) return each_leaf_of_shards(plan, work, use);
  const std::uint64_t expected = meta_.chunk_cells() * std::max<std::size_t>(meta_.cell.item(), 1);
  const auto want = [&](std::size_t i, Wants& wants) { wants.file(meta_.keys.key(plan.chunk(i)), expected); };
  fetch_each(*store_, work, plan.pieces(), want, [&](std::size_t i, const Store& from) {
    const std::string key = meta_.keys.key(plan.chunk(i));
    const Context doing([&] { return fmt::format("reading '{}'", store_->describe(key)); });
    const std::optional<Bytes> file = from.get(key);
    use_leaf(i, file ? std::optional<ByteView>(*file) : std::nullopt, use);
  });
}

void ChunkStore::each_leaf_of_shards(const ChunkPlan& plan, const Work& work, const UseLeaf& use) const {
  constexpr int kMostTries = 100;
  std::vector<std::size_t> pieces(plan.pieces());
  std::iota(pieces.begin(), pieces.end(), std::size_t{0});
  std::vector<LeafPath> all;
  std::set<std::size_t> locks;
  for (const std::size_t piece : pieces) {
    all.push_back(leaf_path(leaf_, plan.chunk(piece)));
    locks.insert(locks_.number(all.back().file));
  }
  std::vector<std::shared_lock<std::shared_mutex>> held;
  for (const std::size_t lock : locks) held.emplace_back(ChunkLocks::at(lock));
  for (int tries = 1; !pieces.empty(); ++tries) {
    if (tries > kMostTries)
      fail(ErrorKind::io, "'{}' was replaced {} times while it was read; try again later",
           store_->describe(meta_.keys.key(all[pieces.front()].file)), kMostTries);
    work.check();
    std::vector<LeafPath> paths;
    for (const std::size_t piece : pieces) paths.push_back(all[piece]);
    pieces = read_leaves(pieces, paths, work, use);
  }
}

// Other processes may replace a shard between reading its index and its chunks: offsets of the one mean nothing in the
// other.
std::vector<std::size_t> ChunkStore::read_leaves(const std::vector<std::size_t>& pieces,
                                                 const std::vector<LeafPath>& paths, const Work& work,
                                                 const UseLeaf& use) const {
  const ShardIndexes shards(*store_, meta_, leaf_, paths, work);
  const std::vector<ShardBatch> batches = shards.batches(paths);
  std::mutex mutex;
  std::vector<std::size_t> again;
  const auto want = [&](std::size_t b, Wants& wants) {
    const std::string key = meta_.keys.key(paths[batches[b].front().path].file);
    for (const ShardLeaf& leaf : batches[b])
      if (leaf.entry) wants.range(key, leaf.entry->offset, leaf.entry->length);
  };
  const auto read = [&](std::size_t b, const Store& from) {
    const ShardBatch& batch = batches[b];
    const Shape& file = paths[batch.front().path].file;
    const std::string key = meta_.keys.key(file);
    const Context doing([&] { return fmt::format("reading '{}'", store_->describe(key)); });
    std::uint64_t size = 0;
    for (const ShardLeaf& leaf : batch)
      if (leaf.entry) size += leaf.entry->length;
    Bytes bytes(size);
    std::vector<RangeRead> reads;
    std::vector<std::string> states(batch.size());
    MutableBytes rest = bytes;
    for (const ShardLeaf& leaf : batch) {
      if (!leaf.entry) continue;
      reads.push_back({key, leaf.entry->offset, rest.first(leaf.entry->length), false, &states[reads.size()]});
      rest = rest.subspan(leaf.entry->length);
    }
    if (!reads.empty()) from.get(std::span<RangeRead>(reads));
    const bool same = std::ranges::all_of(
        reads, [&](const RangeRead& range) { return range.found && shards.is_state(file, *range.state); });
    if (!same || shards.was_replaced(file)) {
      if (!shards.knows_state(file)) fail(ErrorKind::io, "the shard was removed while it was read");
      const std::lock_guard lock(mutex);
      for (const ShardLeaf& leaf : batch) again.push_back(pieces[leaf.path]);
      return;
    }
    std::size_t next = 0;
    for (const ShardLeaf& leaf : batch)
      use_leaf(pieces[leaf.path], leaf.entry ? std::optional<ByteView>(reads[next++].into) : std::nullopt, use);
  };
  try {
    fetch_each(*store_, work, batches.size(), want, read);
  } catch (const Error& error) {
    // A range past the end of a shard that is shorter now, for one.
    if (error.kind() == ErrorKind::cancelled || !shards.changed(*store_, meta_)) throw;
    return pieces;
  }
  return again;
}

void ChunkStore::read_piece(const ChunkPlan& plan, std::size_t i, ByteView file, const StridedBuffer& out) const {
  const std::size_t item = meta_.cell.item();
  const std::uint64_t cells = cell_count(leaf_.shape());
  const std::vector<std::int64_t> strides = contiguous_strides(leaf_.shape(), item);
  if (std::byte* place = plan.direct(i, out, item))
    return decode_chunk(*leaf_.chain, file, leaf_.shape(), meta_.cell, MutableBytes(place, cells * item));
  const auto [first, last] = plan.extent(i);
  if (decodes_ranges(*leaf_.chain) && last - first <= cells / 2) {
    Bytes part = cells_for((last - first) * item, file);
    decode_range(*leaf_.chain, file, leaf_.shape(), meta_.cell, first, part);
    return plan.gather(i, part.data() - first * item, strides, out, item);
  }
  Bytes chunk = cells_for(cells * item, file);
  decode_chunk(*leaf_.chain, file, leaf_.shape(), meta_.cell, chunk);
  plan.gather(i, chunk.data(), strides, out, item);
}

void ChunkStore::read(const Picks& picks, const StridedBuffer& out, const Work& work) const {
  const ChunkPlan plan(picks, meta_.shape, leaf_.shape());
  each_leaf(plan, work, [&](std::size_t i, std::optional<ByteView> file) {
    if (file)
      read_piece(plan, i, *file, out);
    else
      plan.fill(i, out, meta_.cell.fill);
  });
}

VariableCells ChunkStore::read_variable(const Picks& picks, const Work& work) const {
  const ChunkPlan plan(picks, meta_.shape, leaf_.shape());
  check_cell_count(leaf_.shape());
  if (plan.pieces() >> (63 - kCellBits)) fail(ErrorKind::invalid_argument, "the selection touches too many chunks");
  // Gathers the numbers of the cells rather than the cells, so that text uses the same plan as fixed-size cells.
  const std::uint64_t cells = picks.cells();
  Buffer<std::uint64_t> places(cells);
  StridedBuffer out{reinterpret_cast<std::byte*>(places.data()), picks.shape(), {}};
  out.strides = contiguous_strides(out.shape, 8);
  const std::vector<std::int64_t> strides = contiguous_strides(leaf_.shape(), 8);
  std::vector<VariableCells> chunks(plan.pieces());
  each_leaf(plan, work, [&](std::size_t i, std::optional<ByteView> file) {
    if (!file) return plan.fill(i, out, std::as_bytes(std::span(&kFill, 1)));
    chunks[i] = decode_variable(*leaf_.chain, *file, leaf_.shape(), meta_.cell);
    const Buffer<std::uint64_t> numbers = numbered(count_cells(chunks[i]), std::uint64_t{i} << kCellBits);
    plan.gather(i, reinterpret_cast<const std::byte*>(numbers.data()), strides, out, 8);
  });
  VariableCells result;
  result.offsets.reserve(cells + 1);
  result.offsets.push_back(0);
  for (const std::uint64_t place : places)
    push_cell(result, place == kFill
                          ? ByteView(meta_.cell.fill)
                          : cell_of(chunks[place >> kCellBits], place & ((std::uint64_t{1} << kCellBits) - 1)));
  return result;
}

Bytes ChunkStore::cells_of(std::optional<ByteView> file) const {
  const std::uint64_t size = meta_.chunk_cells() * meta_.cell.item();
  if (!file) {
    Bytes cells(size);
    fill_cells(cells, meta_.cell.fill);
    return cells;
  }
  Bytes cells = cells_for(size, *file);
  decode_chunk(meta_.chain, *file, meta_.chunks, meta_.cell, cells);
  return cells;
}

VariableCells ChunkStore::variable_of(std::optional<ByteView> file) const {
  check_cell_count(meta_.chunks);
  if (file) return decode_variable(meta_.chain, *file, meta_.chunks, meta_.cell);
  VariableCells items;
  items.offsets.push_back(0);
  for (std::uint64_t i = meta_.chunk_cells(); i > 0; --i) push_cell(items, meta_.cell.fill);
  return items;
}

bool ChunkStore::write(const Picks& picks, const Shape& shape, const StridedView& values, const Work& work,
                       const Go& go) const {
  const ChunkPlan plan(picks, shape, meta_.chunks);
  const std::size_t item = meta_.cell.item();
  const std::vector<std::int64_t> strides = contiguous_strides(meta_.chunks, item);
  const auto make = [&](std::size_t i, std::optional<ByteView> old) {
    Bytes cells = plan.whole(i) ? Bytes(meta_.chunk_cells() * item) : cells_of(old);
    if (plan.whole(i) && overhangs(plan.chunk(i), meta_.chunks, shape)) fill_cells(cells, meta_.cell.fill);
    plan.scatter(i, cells.data(), strides, values, item);
    return encode_chunk(meta_.chain, cells, meta_.chunks, meta_.cell);
  };
  return replace_chunks(*store_, {meta_, locks_, plan, make, go}, work);
}

bool ChunkStore::write_variable(const Picks& picks, const Shape& shape, const VariableCells& values, const Work& work,
                                const Go& go) const {
  const ChunkPlan plan(picks, shape, meta_.chunks);
  if (plan.pieces() == 0) return true;
  const std::vector<std::int64_t> strides = contiguous_strides(meta_.chunks, 8);
  // Scatters numbers rather than cells: those below `in_chunk` are old cells of the chunk, the others are new values.
  // They are made once for all chunks, so that the cost of a chunk does not depend on the size of the write.
  check_cell_count(meta_.chunks);
  const std::uint64_t in_chunk = meta_.chunk_cells();
  const Buffer<std::uint64_t> numbers = numbered(count_cells(values), in_chunk);
  StridedView in{reinterpret_cast<const std::byte*>(numbers.data()), picks.shape(), {}};
  in.strides = contiguous_strides(in.shape, 8);
  const auto make = [&](std::size_t i, std::optional<ByteView> stored) {
    const VariableCells old = plan.whole(i) ? VariableCells() : variable_of(stored);
    Buffer<std::uint64_t> order = plan.whole(i) ? Buffer<std::uint64_t>(in_chunk) : numbered(in_chunk, 0);
    if (plan.whole(i)) std::ranges::fill(order, kFill);
    plan.scatter(i, reinterpret_cast<std::byte*>(order.data()), strides, in, 8);
    VariableCells cells;
    cells.offsets.reserve(in_chunk + 1);
    cells.offsets.push_back(0);
    for (const std::uint64_t number : order)
      push_cell(cells, number == kFill     ? ByteView(meta_.cell.fill)
                       : number < in_chunk ? cell_of(old, number)
                                           : cell_of(values, number - in_chunk));
    return encode_variable(meta_.chain, cells, meta_.chunks, meta_.cell);
  };
  return replace_chunks(*store_, {meta_, locks_, plan, make, go}, work);
}

void ChunkStore::check(const Shape& chunk) const {
  const std::string key = meta_.keys.key(chunk);
  const Context doing([&] { return fmt::format("reading '{}'", store_->describe(key)); });
  const std::optional<Bytes> file = store_->get(key);
  if (meta_.cell.var)
    variable_of(file);
  else
    cells_of(file);
}

}  // namespace tegula::zarr
