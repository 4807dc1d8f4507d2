#include "format/bcolz/carray.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/context.h"
#include "base/fail.h"
#include "base/parallel.h"
#include "base/product.h"
#include "format/bcolz/pending_set.h"
#include "model/chunk_plan.h"
#include "model/strided.h"
#include "store/wrap/fetch_each.h"

namespace tegula::bcolz {

namespace {

// Selected rows further apart than this are read one by one, so that the blocks between them are not decoded.
constexpr std::uint64_t kNear = 4096;
// Reads of up to this many bytes of a chunk use the cache: decoding the block around them costs more than copying it.
constexpr std::uint64_t kFew = 16 << 10;
// Chunks of up to this many bytes are fetched whole from a remote store, whatever part is wanted.
constexpr std::uint64_t kWhole = 8 << 20;

std::uint64_t bytes_of_rows(std::uint64_t rows, std::uint64_t row_bytes, const std::string& file) {
  const std::optional<std::uint64_t> bytes = checked_product(rows, row_bytes, INT64_MAX);
  if (!bytes) fail(ErrorKind::corrupt, "'{}': the shape and the chunk length make more than 2^63 bytes", file);
  return *bytes;
}

// Memory that is used again for many chunks.
struct Buffers {
  Bytes file, raw;
  std::vector<ByteRange> ranges;
};

bool whole(const AxisPick& axis, std::uint64_t extent) {
  return axis.indices.empty() && axis.start == 0 && axis.count == extent && (axis.step == 1 || extent <= 1);
}

bool contiguous(const StridedBuffer& out, std::uint64_t item) {
  auto stride = static_cast<std::int64_t>(item);
  for (std::size_t a = out.shape.size(); a-- > 0;) {
    if (out.shape[a] != 1 && out.strides[a] != stride) return false;
    stride *= static_cast<std::int64_t>(out.shape[a]);
  }
  return true;
}

// Whether the picks are a run of whole rows.
bool whole_rows(const Picks& picks, std::span<const std::uint64_t> shape) {
  if (picks.points || !picks.axes[0].indices.empty()) return false;
  if (picks.axes[0].step != 1 && picks.axes[0].count > 1) return false;
  for (std::size_t a = 1; a < shape.size(); ++a)
    if (!whole(picks.axes[a], shape[a])) return false;
  return true;
}

// The bytes of a row between the first and the last item that any pick touches.
ByteRange touched_in_row(const Picks& picks, std::span<const std::int64_t> strides, std::uint64_t item) {
  ByteRange range{0, item};
  for (std::size_t a = 1; a < picks.axes.size(); ++a) {
    const AxisPick& axis = picks.axes[a];
    std::uint64_t low = UINT64_MAX, high = 0;
    if (axis.indices.empty()) {
      low = std::min(axis.at(0), axis.at(axis.count - 1));
      high = std::max(axis.at(0), axis.at(axis.count - 1));
    } else {
      const auto [least, most] = std::minmax_element(axis.indices.begin(), axis.indices.end());
      low = *least;
      high = *most;
    }
    range.first += low * static_cast<std::uint64_t>(strides[a]);
    range.last += high * static_cast<std::uint64_t>(strides[a]);
  }
  return range;
}

// The selected rows, sorted and without repetitions, if they are far apart; none when one range for each chunk is
// better.
std::vector<std::uint64_t> scattered_rows(const AxisPick& axis, std::uint64_t row_bytes) {
  std::vector<std::uint64_t> rows;
  if (axis.indices.empty()) {
    const std::uint64_t step =
        axis.step < 0 ? 0 - static_cast<std::uint64_t>(axis.step) : static_cast<std::uint64_t>(axis.step);
    if (step < 2 || step * row_bytes < kNear) return rows;
    for (std::uint64_t i = 0; i < axis.count; ++i) rows.push_back(axis.at(i));
    if (axis.step < 0) std::reverse(rows.begin(), rows.end());
  } else {
    rows = axis.indices;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }
  return rows;
}

}  // namespace

Carray Carray::open(std::shared_ptr<Store> store, std::string prefix, const Store& from) {
  Carray out;
  out.store = std::move(store);
  out.prefix = std::move(prefix);
  const auto load = [&](const char* name) {
    std::optional<Bytes> text = from.get(join(out.prefix, name));
    if (!text)
      fail(
          from.hints().lists && from.list(join(out.prefix, "data")).empty() ? ErrorKind::not_found : ErrorKind::corrupt,
          "'{}' is missing: this is no carray, or one whose creation was interrupted", out.file(name));
    return std::move(*text);
  };
  out.storage = Storage::decode(load("meta/storage"), out.file("meta/storage"));
  out.sizes = Sizes::decode(load("meta/sizes"), out.file("meta/sizes"));
  out.stored_rows = out.rows();
  out.pending = find_pending(from, out.prefix);
  out.cache = std::make_shared<BlockCache>();
  out.measure();
  return out;
}

void Carray::measure() {
  item = storage.type.full_size();
  const std::string name = file("meta/sizes");
  row_bytes = item;
  for (std::size_t a = 1; a < sizes.shape.size(); ++a) row_bytes = bytes_of_rows(sizes.shape[a], row_bytes, name);
  bytes_of_rows(rows(), row_bytes, name);
  bytes_of_rows(storage.chunklen, row_bytes, name);
}

void Carray::refuse_objects() const {
  if (holds_objects())
    fail(ErrorKind::unsupported,
         "'{}' holds Python objects, stored as pickles: loading them could run any code, so tegula does not. Convert "
         "the "
         "column with bcolz in an environment you trust",
         store->describe(prefix));
}

ChunkFile Carray::open_chunk(std::uint64_t chunk, Bytes& buffer) const { return open_chunk(chunk, buffer, *store); }

ChunkFile Carray::open_chunk(std::uint64_t chunk, Bytes& buffer, const Store& from) const {
  const bool elsewhere = std::binary_search(pending.begin(), pending.end(), chunk);
  return ChunkFile(from, elsewhere ? pending_key(prefix, chunk) : chunk_key(prefix, chunk),
                   {rows_of(chunk), storage.chunklen, row_bytes}, buffer);
}

// Calls body(i, buffers, where to read from) for items that each read the chunk chunk_of(i), in parallel. With a local
// store in runs: long enough to reuse the buffers for many chunks, and enough of them for all threads.
template <class ChunkOf, class Body>
void Carray::each_chunk(const Work& work, std::size_t n, const ChunkOf& chunk_of, const Body& body) const {
  if (!store->hints().remote()) {
    const std::size_t runs = std::min<std::size_t>(n, std::size_t{thread_count(work)} * 4);
    return parallel_for(work, runs, [&](std::size_t run) {
      Buffers buffers;
      for (std::size_t i = n * run / runs; i < n * (run + 1) / runs; ++i) {
        work.check();
        body(i, buffers, *store);
      }
    });
  }
  const std::uint64_t expected = storage.chunklen * row_bytes;
  const auto plan = [&](std::size_t i, Wants& wants) {
    if (expected <= kWhole) wants.file(chunk_key(prefix, chunk_of(i)), expected);
  };
  fetch_each(*store, work, n, plan, [&](std::size_t i, const Store& from) {
    Buffers buffers;
    body(i, buffers, from);
  });
}

void Carray::read_rows(std::uint64_t first, std::uint64_t count, MutableBytes out, const Work& work) const {
  refuse_objects();
  if (out.empty()) return;
  const std::uint64_t length = storage.chunklen, end = first + count;
  const std::uint64_t first_chunk = first / length, chunks = (end - 1) / length - first_chunk + 1;
  if (chunks == 1 && cache && out.size() <= kFew) {
    const std::uint64_t at = (first - first_chunk * length) * row_bytes;
    return read_few(first_chunk, {at, at + out.size()}, out);
  }
  const bool spoiled = storage.maybe_spoiled();
  const auto chunk_of = [&](std::size_t i) { return first_chunk + i; };
  each_chunk(work, chunks, chunk_of, [&](std::size_t i, Buffers& buffers, const Store& from) {
    const std::uint64_t chunk = chunk_of(i), origin = chunk * length;
    const std::uint64_t low = std::max(first, origin), high = std::min(end, origin + length);
    const ByteRange range{(low - origin) * row_bytes, (high - origin) * row_bytes};
    ChunkFile file = open_chunk(chunk, buffers.file, from);
    file.decode(std::span(&range, 1), out.subspan((low - first) * row_bytes, (high - low) * row_bytes), range.first,
                spoiled);
  });
}

void Carray::read_few(std::uint64_t chunk, const ByteRange& range, MutableBytes out) const {
  if (cache->copy(chunk, range, out)) return;
  Bytes buffer;
  ChunkFile file = open_chunk(chunk, buffer);
  std::vector<ByteRange> wide{range};
  file.widen(wide);
  const ByteRange block = wide.front();
  if (file.header().plain_copy() || block.last - block.first > BlockCache::kLargest)
    return file.decode(std::span(&range, 1), out, range.first, storage.maybe_spoiled());
  Bytes raw(block.last - block.first);
  file.decode(wide, raw, block.first, storage.maybe_spoiled());
  std::memcpy(out.data(), raw.data() + (range.first - block.first), out.size());
  cache->keep(chunk, block, std::move(raw));
}

void Carray::read(const Picks& picks, const StridedBuffer& out, const Work& work) const {
  read_shaped(picks, sizes.shape, item, out, work);
}

void Carray::read_cells(const AxisPick& rows_wanted, const StridedBuffer& out, const Work& work) const {
  const std::uint64_t shape[1] = {rows()};
  read_shaped(Picks{{rows_wanted}, false}, shape, row_bytes, out, work);
}

void Carray::read_shaped(const Picks& picks, std::span<const std::uint64_t> shape, std::uint64_t item_bytes,
                         const StridedBuffer& out, const Work& work) const {
  refuse_objects();
  if (out.shape != picks.shape())
    fail(ErrorKind::invalid_argument, "the buffer has shape ({}), the selection ({})", fmt::join(out.shape, ", "),
         fmt::join(picks.shape(), ", "));
  if (picks.cells() == 0 || row_bytes == 0) return;
  if (whole_rows(picks, shape) && contiguous(out, item_bytes)) {
    const std::uint64_t count = picks.axes[0].count;
    return read_rows(picks.axes[0].at(0), count, {out.data, count * row_bytes}, work);
  }

  std::vector<std::uint64_t> chunk_shape(shape.begin(), shape.end());
  chunk_shape[0] = storage.chunklen;
  const ChunkPlan plan(picks, shape, chunk_shape);
  const std::vector<std::int64_t> strides = contiguous_strides(chunk_shape, item_bytes);
  const std::vector<std::uint64_t> scattered = scattered_rows(picks.axes[0], row_bytes);
  const ByteRange in_row = touched_in_row(picks, strides, item_bytes);
  const bool spoiled = storage.maybe_spoiled();
  const auto chunk_of = [&](std::size_t i) { return plan.chunk(i)[0]; };
  each_chunk(work, plan.pieces(), chunk_of, [&](std::size_t i, Buffers& buffers, const Store& from) {
    const std::uint64_t chunk = chunk_of(i);
    std::vector<ByteRange>& ranges = buffers.ranges;
    ranges.clear();
    if (scattered.empty()) {
      const auto [first, last] = plan.extent(i);
      ranges.push_back({first * item_bytes, last * item_bytes});
    } else {
      const std::uint64_t origin = chunk * storage.chunklen;
      auto row = std::lower_bound(scattered.begin(), scattered.end(), origin);
      for (; row != scattered.end() && *row - origin < storage.chunklen; ++row) {
        const std::uint64_t at = (*row - origin) * row_bytes;
        ranges.push_back({at + in_row.first, at + in_row.last});
      }
    }
    ChunkFile file = open_chunk(chunk, buffers.file, from);
    file.widen(ranges);
    const std::uint64_t base = ranges.front().first;
    Bytes& raw = buffers.raw;
    raw.clear();
    raw.resize(ranges.back().last - base);
    file.decode(ranges, raw, base, spoiled);
    // The plan counts from the start of the chunk, of which only the bytes from `base` on are in memory.
    const auto start = reinterpret_cast<std::uintptr_t>(raw.data()) - base;
    plan.gather(i, reinterpret_cast<const std::byte*>(start), strides, out, item_bytes);
  });
}

}  // namespace tegula::bcolz
