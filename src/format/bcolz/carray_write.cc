#include "format/bcolz/carray_write.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "base/fail.h"
#include "base/product.h"
#include "format/bcolz/disk/default_value.h"
#include "format/bcolz/disk/quantize.h"
#include "format/bcolz/snapshot.h"
#include "store/wrap/wait_each.h"

namespace tegula::bcolz {

namespace {

// As bcolz sets it: text is compressed by the character, and Blosc has one byte for the size.
std::uint32_t typesize(const Datatype& type) {
  if (type.id == TypeId::bytes) return 1;
  if (type.id == TypeId::unicode) return 4;
  return type.full_size() > 255 ? 1 : static_cast<std::uint32_t>(type.full_size());
}

// Rows of the partial last chunk.
Bytes leftover_rows(const Carray& carray) {
  const std::uint64_t count = carray.rows() % carray.storage.chunklen;
  Bytes out(count * carray.row_bytes);
  Work work;
  work.threads = 1;
  carray.read_rows(carray.rows() - count, count, out, work);
  return out;
}

// Calls put_chunk(chunk, first new row, count of new rows) for every chunk that new rows go to.
template <class PutChunk>
std::uint64_t for_new_chunks(const Carray& carray, std::uint64_t count, const Work& work, PutChunk put_chunk) {
  if (count == 0) return 0;
  carray.refuse_objects();
  const std::uint64_t length = carray.storage.chunklen, old_rows = carray.rows();
  const std::uint64_t total = old_rows + count;
  if (total < count || !checked_product(total, std::max<std::uint64_t>(carray.row_bytes, 1), INT64_MAX))
    fail(ErrorKind::invalid_argument, "{} rows and {} more are too many", old_rows, count);
  const std::uint64_t first_chunk = old_rows / length, chunks = (total - 1) / length - first_chunk + 1;
  std::atomic<std::uint64_t> added{0};
  wait_each(*carray.store, work, chunks, 2 * length * carray.row_bytes, [&](std::size_t i) {
    const std::uint64_t chunk = first_chunk + i;
    const std::uint64_t first = std::max(chunk * length, old_rows), last = std::min((chunk + 1) * length, total);
    const std::uint64_t stored = put_chunk(chunk, first - old_rows, last - first);
    if (last == (chunk + 1) * length) added += stored - kChunkFileHeader;
  });
  return added;
}

}  // namespace

Bytes encode_rows(const Carray& carray, ByteView raw) {
  const Compression& compression = carray.storage.compression;
  codec::BloscParams params;
  params.cname = compression.cname.empty() ? std::string_view("blosclz") : std::string_view(compression.cname);
  params.level = compression.level;
  params.shuffle = compression.shuffle;
  params.typesize = typesize(carray.storage.type);
  if (compression.quantize == 0) return encode_chunk_file(raw, params);
  Bytes rounded = copy_of(raw);
  quantize(rounded, carray.storage.type, compression.quantize);
  return encode_chunk_file(rounded, params);
}

std::uint64_t write_new_rows(const Carray& carray, std::uint64_t count, const NewRows& rows, const Work& work) {
  const Bytes old = carray.row_bytes ? leftover_rows(carray) : Bytes();
  return for_new_chunks(carray, count, work, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t n) {
    ByteView raw = rows(first, n);
    Bytes joined;
    if (first == 0 && !old.empty()) {
      joined.reserve(old.size() + raw.size());
      joined = old;
      joined.insert(joined.end(), raw.begin(), raw.end());
      raw = joined;
    }
    const Bytes file = encode_rows(carray, raw);
    carray.store->put(chunk_key(carray.prefix, chunk), file);
    return file.size();
  });
}

std::uint64_t write_default_rows(const Carray& carray, std::uint64_t count, const Work& work) {
  if (count == 0) return 0;
  const std::optional<Bytes> row =
      default_row(carray.storage.dflt, carray.storage.type, std::span(carray.sizes.shape).subspan(1));
  if (!row)
    fail(ErrorKind::corrupt, "'{}': the default {} does not fit the type {}, so rows cannot be added without values",
         carray.file(kStorage), carray.storage.dflt, display_name(carray.storage.type));
  const std::uint64_t length = carray.storage.chunklen, most = std::min(length, count);
  Bytes rows(most * row->size());
  for (std::uint64_t i = 0; i < most; ++i) std::memcpy(rows.data() + i * row->size(), row->data(), row->size());
  const Bytes full = most == length ? encode_rows(carray, rows) : Bytes();
  const Bytes old = carray.row_bytes ? leftover_rows(carray) : Bytes();
  return for_new_chunks(carray, count, work, [&](std::uint64_t chunk, std::uint64_t first, std::uint64_t n) {
    Bytes file;
    if (n < length || full.empty()) {
      Bytes raw;
      if (first == 0) raw = old;
      raw.insert(raw.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n * row->size()));
      file = encode_rows(carray, raw);
    }
    const ByteView bytes = file.empty() ? ByteView(full) : ByteView(file);
    carray.store->put(chunk_key(carray.prefix, chunk), bytes);
    return bytes.size();
  });
}

void put_sizes(const Carray& carray, std::uint64_t rows, std::uint64_t cbytes) {
  Sizes sizes = carray.sizes;
  sizes.shape[0] = rows;
  sizes.nbytes = rows * carray.row_bytes;
  sizes.cbytes = cbytes;
  carray.store->put_text(join(carray.prefix, kSizes), sizes.encode());
}

std::uint64_t count_cbytes(const Carray& carray, std::uint64_t rows) {
  const std::uint64_t full = rows / carray.storage.chunklen;
  std::uint64_t bytes = carray.storage.chunklen * carray.row_bytes;
  for (const Entry& entry : carray.store->list(join(carray.prefix, "data")))
    if (const std::optional<std::uint64_t> index = chunk_index(entry.name); index && *index < full)
      bytes += entry.size - std::min<std::uint64_t>(entry.size, kChunkFileHeader);
  return bytes;
}

void remove_surplus(const Carray& before, std::uint64_t rows) {
  const std::uint64_t length = before.storage.chunklen, kept = rows % length;
  if (kept > 0 && before.row_bytes > 0) {
    Bytes raw(kept * before.row_bytes);
    Work work;
    work.threads = 1;
    before.read_rows(rows - kept, kept, raw, work);
    before.store->put(chunk_key(before.prefix, rows / length), encode_rows(before, raw));
  }
  const std::string folder = join(before.prefix, "data");
  std::vector<std::uint64_t> surplus;
  for (const Entry& entry : before.store->list(folder))
    if (const std::optional<std::uint64_t> index = chunk_index(entry.name);
        index && *index >= rows / length + (kept > 0))
      surplus.push_back(*index);
  std::sort(surplus.begin(), surplus.end(), std::greater<>());
  for (const std::uint64_t chunk : surplus) before.store->remove(chunk_key(before.prefix, chunk));
  if (!surplus.empty()) before.store->sync_folder(folder);
}

}  // namespace tegula::bcolz
