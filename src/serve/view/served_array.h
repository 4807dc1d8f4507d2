// One array as clients of zarr see it: its document, and its chunks made when they are asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "format/stored_grid.h"
#include "format/zarr/meta/array_meta.h"
#include "model/cell_box.h"
#include "store/store.h"
#include "tegula/columns.h"
#include "tegula/schema.h"
#include "tegula/work.h"

namespace tegula::serve {

// What the server cannot do now, or not in this way; the text says what to do instead.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where the cells of a served array come from.
struct CellSource {
  // The cells of a box inside of the shape, in C order.
  std::function<Column(const CellBox& box, const Work& work)> cells;
  // Did nobody write a cell of the box? Null: there are no holes.
  std::function<bool(const CellBox& box)> hole = {};
  // Chunks that are sent as they are stored, and their store.
  std::optional<StoredGrid> stored = {};
  std::shared_ptr<const Store> store = {};
  // Another text after any change of the cells; empty: only the bytes tell.
  std::string state = {};
};

// The bytes of a chunk, and a text that changes with them.
struct Chunk {
  Bytes bytes;
  std::string state;  // empty: not known
};

// Immutable and thread-safe.
class ServedArray {
 public:
  // `schema` has one attribute as zarr has it, and dimensions with names that start at 0. Throws unsupported when this
  // version of zarr, 2 or 3, does not have the type.
  ServedArray(int version, Schema schema, Json attributes, CellSource source);

  int version() const { return meta_.version; }
  const std::vector<std::uint64_t>& shape() const { return meta_.shape; }
  // zarr.json or .zarray; for version 2 the attributes are .zattrs.
  const Json& document() const { return document_; }
  const Json& attributes() const { return attributes_; }
  const std::string& state() const { return source_.state; }

  // The chunk of a key below the array, "c/0/1" or "0.1". No value for other keys and for chunks outside of the grid.
  std::optional<std::vector<std::uint64_t>> chunk_of(std::string_view key) const;
  // Bytes of every chunk, where they are all of one length.
  std::optional<std::uint64_t> chunk_size() const;
  // Is it known without a look at cells that the chunk holds only the fill value?
  bool hole(const std::vector<std::uint64_t>& chunk) const;
  // No value for a chunk that is not there.
  std::optional<Chunk> chunk(const std::vector<std::uint64_t>& chunk, const Work& work) const;

 private:
  CellBox box_of(const std::vector<std::uint64_t>& chunk) const;
  std::optional<Chunk> stored_chunk(const StoredChunk& stored) const;
  Bytes encode(const CellBox& box, Column cells) const;

  Json document_, attributes_;
  zarr::ArrayMeta meta_;
  CellSource source_;
};

}  // namespace tegula::serve
