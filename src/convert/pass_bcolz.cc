#include <algorithm>

#include "base/fail.h"
#include "base/parallel.h"
#include "convert/pass_through.h"
#include "format/bcolz/array.h"
#include "format/bcolz/carray_write.h"
#include "format/bcolz/chunk_file.h"

namespace tegula {

namespace {

using bcolz::BcolzArray;
using bcolz::Carray;
using bcolz::Snapshot;

// Chunks that wait elsewhere for a write to end, and rows that no table counts, are better read than copied; so are
// chunks that an old C-Blosc may have spoiled, which are told by who wrote the carray, and the copy is tegula's.
bool plain(const Carray& carray) {
  return carray.pending.empty() && !carray.holds_objects() && carray.row_bytes > 0 &&
         carray.stored_rows == carray.rows() && !carray.storage.maybe_spoiled();
}

}  // namespace

bool carrays_fit(const Array& source, const Target& target) {
  const auto* from = dynamic_cast<const BcolzArray*>(&source);
  if (!from || target.schema.format != "bcolz") return false;
  const std::shared_ptr<const Snapshot> opened = from->snapshot();
  const std::vector<std::uint64_t> chunks = target.schema.chunks();
  if (target.schema.table != opened->table || opened->rows == 0 || chunks.empty()) return false;
  // chunks() clips them to the rows there are.
  const Value& tile = target.schema.dimensions[0].tile;
  if (tile != opened->schema->dimensions[0].tile) return false;
  for (std::size_t i = 0; i < target.sources.size(); ++i) {
    const Attribute &to = target.schema.attributes[i], *was = opened->schema->attribute(target.sources[i]);
    const Carray& carray = opened->columns[opened->column(target.sources[i])];
    if (!was || !plain(carray) || tile != Value(carray.storage.chunklen) || !(to.type == was->type) ||
        to.values_per_cell != was->values_per_cell || to.filters != was->filters)
      return false;
  }
  return true;
}

std::uint64_t pass_carrays(const Array& source, const std::vector<std::string>& fields, Array& target,
                           const Work& work) {
  const auto* from = dynamic_cast<const BcolzArray*>(&source);
  auto* to = dynamic_cast<BcolzArray*>(&target);
  if (!from || !to) fail(ErrorKind::invalid_argument, "only bcolz columns are copied as they are");
  const std::shared_ptr<const Snapshot> opened = from->snapshot();
  std::uint64_t passed = 0;
  if (work.progress) work.progress->begin("copying chunks", 0);
  to->change([&](const Snapshot& made) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Carray &old = opened->columns[opened->column(fields[i])], &fresh = made.columns[i];
      parallel_for(work, old.chunks(), [&](std::size_t chunk) {
        const std::string key = bcolz::chunk_key(old.prefix, chunk), goal = bcolz::chunk_key(fresh.prefix, chunk);
        const std::optional<Bytes> file = old.store->get(key);
        if (!file) fail(ErrorKind::not_found, "{}: the chunk is not there", old.store->describe(key));
        if (made.store->size(goal) != file->size()) made.store->put(goal, *file);
        if (work.progress) work.progress->advance(1);
      });
      passed += old.chunks();
    }
    // bcolz takes the length of the first column for the table's: the first is the last to grow.
    for (std::size_t i = fields.size(); i-- > 0;) {
      const Carray& old = opened->columns[opened->column(fields[i])];
      bcolz::put_sizes(made.columns[i], old.rows(), old.sizes.cbytes);
    }
  });
  if (work.progress) work.progress->end();
  return passed;
}

}  // namespace tegula
