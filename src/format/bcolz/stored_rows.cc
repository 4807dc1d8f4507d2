#include "format/bcolz/stored_rows.h"

#include <algorithm>

#include "base/fail.h"
#include "base/parallel.h"
#include "format/bcolz/array.h"
#include "format/bcolz/carray_write.h"
#include "format/bcolz/disk/chunk_file.h"

namespace tegula::bcolz {

namespace {

// Can the chunk files be copied? Not when chunks are pending, when the table counts fewer rows, or when C-Blosc 1.4 may
// have damaged chunks: who wrote a carray tells which ones, and a copy does not say that any more.
bool plain(const Carray& carray) {
  return carray.pending.empty() && !carray.holds_objects() && carray.row_bytes > 0 &&
         carray.stored_rows == carray.rows() && !carray.storage.maybe_spoiled();
}

}  // namespace

bool rows_fit(const CopySource& source, const Schema& to) {
  const auto* from = dynamic_cast<const BcolzArray*>(&source.from);
  if (!from) return false;
  const std::shared_ptr<const Snapshot> snapshot = from->snapshot();
  const std::vector<std::uint64_t> chunks = to.chunks();
  if (to.table != snapshot->table || snapshot->rows == 0 || chunks.empty()) return false;
  // chunks() clips them to the rows there are.
  const Value& tile = to.dimensions[0].tile;
  if (tile != snapshot->schema->dimensions[0].tile) return false;
  for (std::size_t i = 0; i < source.fields.size(); ++i) {
    const Attribute &made = to.attributes[i], *was = snapshot->schema->attribute(source.fields[i]);
    const Carray& carray = snapshot->columns[snapshot->column(source.fields[i])];
    if (!was || !plain(carray) || tile != Value(carray.storage.chunklen) || !(made.type == was->type) ||
        made.values_per_cell != was->values_per_cell || made.filters != was->filters)
      return false;
  }
  return true;
}

std::uint64_t copy_rows(const CopySource& source, Array& to, Store&, const Work& work) {
  const auto* from = dynamic_cast<const BcolzArray*>(&source.from);
  auto* target = dynamic_cast<BcolzArray*>(&to);
  if (!from || !target) fail(ErrorKind::invalid_argument, "only the chunks of carrays are copied between carrays");
  const std::vector<std::string>& fields = source.fields;
  const std::shared_ptr<const Snapshot> snapshot = from->snapshot();
  std::uint64_t copied = 0;
  if (work.progress) work.progress->begin("copying chunks", 0);
  target->change(work, [&](const Snapshot& made) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Carray &old = snapshot->columns[snapshot->column(fields[i])], &fresh = made.columns[i];
      parallel_for(work, old.chunks(), [&](std::size_t chunk) {
        const std::string key = chunk_key(old.prefix, chunk), goal = chunk_key(fresh.prefix, chunk);
        const std::optional<Bytes> file = old.store->get(key);
        if (!file) fail(ErrorKind::not_found, "{}: the chunk is not there", old.store->describe(key));
        if (made.store->size(goal) != file->size() || made.store->get(goal) != file) made.store->put(goal, *file);
        if (work.progress) work.progress->advance(1);
      });
      copied += old.chunks();
    }
    // bcolz takes the length of the first column for the table's: the first is the last to grow.
    for (std::size_t i = fields.size(); i-- > 0;) {
      const Carray& old = snapshot->columns[snapshot->column(fields[i])];
      put_sizes(made.columns[i], old.rows(), old.sizes.cbytes);
    }
  });
  if (work.progress) work.progress->end();
  return copied;
}

std::optional<StoredGrid> stored_grid(const Array& array, std::string_view field) {
  const auto* from = dynamic_cast<const BcolzArray*>(&array);
  if (!from) return std::nullopt;
  const std::shared_ptr<const Snapshot> snapshot = from->snapshot();
  const std::size_t column = snapshot->column(field);
  const Carray& carray = snapshot->columns[column];
  // Chunks that C-Blosc 1.4 may have damaged are mended by decoding them here.
  if (!carray.pending.empty() || carray.holds_objects() || carray.row_bytes == 0 || carray.storage.maybe_spoiled() ||
      carray.storage.type.big_endian)
    return std::nullopt;
  const Compression& compression = carray.storage.compression;
  StoredGrid grid;
  grid.chunk = carray.sizes.shape;
  grid.chunk[0] = carray.storage.chunklen;
  grid.filters = {Filter{"blosc",
                         {{"cname", compression.cname.empty() ? "blosclz" : compression.cname},
                          {"clevel", std::int64_t{compression.level}},
                          {"shuffle", std::int64_t{compression.shuffle}}}}};
  grid.find = [snapshot, column](std::span<const std::uint64_t> chunk) -> std::optional<StoredChunk> {
    const Carray& of = snapshot->columns[column];
    if (chunk[0] >= std::min(of.rows(), snapshot->rows) / of.storage.chunklen) return std::nullopt;
    return StoredChunk{chunk_key(of.prefix, chunk[0]), kChunkFileHeader};
  };
  return grid;
}

}  // namespace tegula::bcolz
