// Writing a fragment: tiles are filtered in parallel and streamed into files, which a commit makes visible at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/tiledb/disk/array_schema.h"
#include "format/tiledb/filter/filter_scratch.h"
#include "format/tiledb/fragment/fragment.h"
#include "format/tiledb/fragment/tile_statistics.h"
#include "store/store.h"
#include "tegula/work.h"

namespace tegula::tiledb {

// The array that is written to.
struct WriteTarget {
  std::shared_ptr<Store> store;
  Key key;
  std::shared_ptr<const ArraySchema> schema;
  std::string schema_name;  // its file, as footers name it
  // Receives the names of fragments when they are committed one by one. Borrowed; may be null.
  std::vector<std::string>* written = nullptr;
};

// The version of new fragments: that of the schema, so that every reader of the array can read them. Schemas of
// versions 1 and 2, which no library writes any more, get the newest. Throws unsupported for a newer schema.
std::uint32_t written_version(const ArraySchema& schema);

// What the footer says of the fragment as a whole.
struct FragmentCover {
  NdRange domain;
  MbrTable rectangles;  // sparse: one per tile
  std::uint64_t last_tile_cells = 0;
  std::vector<std::string> processed = {};  // deletes that the cells have been through
};

// The times in the name of a fragment, and which columns it stores besides the schema's fields.
struct FragmentTimes {
  std::uint64_t first = 0, last = 0;
  bool timestamps = false, deletes = false;
};

// Consecutive tiles of a field as they are stored. A part that the field lacks is empty.
struct StoredTiles {
  struct Part {
    Bytes bytes;
    std::vector<std::uint64_t> ends;  // of each tile in `bytes`
  };
  Part data, var, validity;
  std::vector<std::uint64_t> var_sizes;
  std::vector<TileStatistics> statistics;
  void clear() {  // keeps the memory
    for (Part* part : {&data, &var, &validity}) {
      part->bytes.clear();
      part->ends.clear();
    }
    var_sizes.clear();
    statistics.clear();
  }
};

// Not thread-safe. Nothing is visible before commit() returns; destroyed before that, it removes what it wrote.
class FragmentWriter {
 public:
  FragmentWriter(WriteTarget target, bool dense, const FragmentTimes& times);
  FragmentWriter(WriteTarget target, bool dense, std::uint64_t time)
      : FragmentWriter(std::move(target), dense, FragmentTimes{time, time}) {}
  ~FragmentWriter();
  FragmentWriter(const FragmentWriter&) = delete;
  FragmentWriter& operator=(const FragmentWriter&) = delete;

  const std::vector<StoredField>& fields() const { return fields_; }
  const std::string& name() const { return name_; }
  std::uint32_t version() const { return version_; }

  // Adds the next `count` tiles. `fill` puts the cells of one tile of a field (an index into fields()) into an empty
  // column, whose buffers are reused; it is called from several threads. `tile_bytes` is about what a tile of all
  // fields takes; it bounds the memory.
  using TileFiller = std::function<void(std::uint64_t tile, std::size_t field, TileColumn& out)>;
  void add_tiles(std::uint64_t count, std::uint64_t tile_bytes, const TileFiller& fill, const Work& work);
  // Adds the next `count` tiles as another fragment stores them; the caller knows that they fit. `take` puts the tiles
  // of a field (an index into fields()) into an empty StoredTiles, whose buffers are reused; it is called from several
  // threads. Versions 5 and later.
  using TileTaker = std::function<void(std::size_t field, StoredTiles& out)>;
  void add_stored(std::uint64_t count, const TileTaker& take, const Work& work);
  void commit(const FragmentCover& cover);

  // commit() in two steps, for fragments that one file of commits makes visible together. finish() writes everything
  // but the commit file; hand_over() returns the key of the commit file (empty in versions 3 and 4, which have none)
  // and keeps the destructor from removing the fragment.
  void finish(const FragmentCover& cover);
  std::string hand_over();
  std::uint64_t bytes() const;  // stored so far

 private:
  // A file and where its tiles start.
  struct File {
    std::string key;
    std::unique_ptr<Upload> upload;
    std::uint64_t size = 0;
    std::vector<std::uint64_t> offsets;
    void append(ByteView tile);
    void append(const StoredTiles::Part& tiles);
  };
  // One slot of the footer: a field, or all the dimensions of versions 3 and 4.
  struct Column {
    std::vector<std::size_t> fields;
    FilterPlan plan, var_plan, validity_plan;
    bool text = false;  // the first filter also stores where cells begin
    File data, var, validity;
    std::vector<std::uint64_t> var_sizes;
    std::vector<TileStatistics> statistics;
  };
  struct EncodedTile {
    Bytes data, var, validity;
    std::uint64_t var_size = 0;
    TileStatistics statistics;
  };
  void open_columns();
  void encode(const Column& column, std::uint64_t tile, const TileFiller& fill, EncodedTile& out, const Work& work);
  static void append(Column& column, EncodedTile& tile);
  Bytes metadata_file(const FragmentCover& cover) const;

  const WriteTarget target_;
  const bool dense_;
  const FragmentTimes times_;
  const std::uint32_t version_;
  const std::string name_, folder_;
  std::vector<StoredField> fields_;
  std::vector<Column> columns_;
  std::uint64_t tiles_ = 0;
  unsigned threads_ = 0;  // of the last call
  ScratchPool scratch_;
  ObjectPool<TileColumn> cells_;
  ObjectPool<EncodedTile> encoded_;
  ObjectPool<StoredTiles> stored_;
  bool committed_ = false;
};

// Makes finished fragments of one version visible: all at once through one file of commits from version 12 on, one
// after the other before that. The times are those of the file's name.
void commit_fragments(Store& store, std::span<const std::unique_ptr<FragmentWriter>> fragments, std::uint64_t first,
                      std::uint64_t last);

}  // namespace tegula::tiledb
