// One carray of a snapshot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/bcolz/block_cache.h"
#include "format/bcolz/disk/chunk_file.h"
#include "format/bcolz/disk/meta.h"
#include "store/store.h"
#include "tegula/columns.h"
#include "tegula/selection.h"
#include "tegula/work.h"

namespace tegula::bcolz {

// Immutable, so that threads can share it while a writer makes the next one.
struct Carray {
  std::shared_ptr<Store> store;
  std::string prefix;  // empty, or the folder of a column
  Storage storage;
  Sizes sizes;
  std::uint64_t stored_rows = 0;       // as meta/sizes has it; a table may count fewer
  std::vector<std::uint64_t> pending;  // chunks that are read from the pending set; see pending_set.h
  std::shared_ptr<BlockCache> cache;   // null: small reads are not cached
  std::uint64_t item = 1;              // bytes of an item
  std::uint64_t row_bytes = 1;         // 0 when an inner axis has length 0

  // Reads meta/storage and meta/sizes, from a store that may know them. Throws not_found, corrupt, unsupported.
  static Carray open(std::shared_ptr<Store> store, std::string prefix, const Store& from);
  // Sets item and row_bytes; throws corrupt when a size does not fit 63 bits.
  void measure();

  std::uint64_t rows() const { return sizes.shape[0]; }
  // Chunks with rows; the last one may be partial.
  std::uint64_t chunks() const { return rows() / storage.chunklen + (rows() % storage.chunklen != 0); }
  std::uint64_t rows_of(std::uint64_t chunk) const {
    return std::min(storage.chunklen, rows() - chunk * storage.chunklen);
  }
  bool holds_objects() const { return storage.type.id == TypeId::object; }
  std::string file(std::string_view name) const { return store->describe(join(prefix, name)); }

  ChunkFile open_chunk(std::uint64_t chunk, Bytes& buffer) const;
  // The same from a store that may know the file.
  ChunkFile open_chunk(std::uint64_t chunk, Bytes& buffer, const Store& from) const;
  // Throws unsupported for Python objects.
  void refuse_objects() const;

  // Rows first .. first + count, one after the other; `out` has exactly their bytes.
  void read_rows(std::uint64_t first, std::uint64_t count, MutableBytes out, const Work& work) const;
  // `picks` were made for sizes.shape; `out` has their shape.
  void read(const Picks& picks, const StridedBuffer& out, const Work& work) const;
  // Picks of rows, each as one cell of row_bytes; `out` has one axis, or none for a single row.
  void read_cells(const AxisPick& picks, const StridedBuffer& out, const Work& work) const;

 private:
  template <class ChunkOf, class Body>
  void each_chunk(const Work& work, std::size_t n, const ChunkOf& chunk_of, const Body& body) const;
  // Rows inside one chunk, through the cache.
  void read_few(std::uint64_t chunk, const ByteRange& range, MutableBytes out) const;
  void read_shaped(const Picks& picks, std::span<const std::uint64_t> shape, std::uint64_t item_bytes,
                   const StridedBuffer& out, const Work& work) const;
};

}  // namespace tegula::bcolz
